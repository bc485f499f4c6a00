"""A k-means ensemble: base clusterings by k-means on the rows themselves.

Every member is fitted to a random sample of its own, about 500 rows per cluster (all rows if
there are no more); all rows join its nearest center.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from lsec.rows.frame import Frame
from lsec.spectral.kmeans import kmeans
from lsec.typing import AnyArray, Float32, Int64, RawRows

TakeRows = Callable[[Int64], RawRows]  # at ascending positions
SAMPLE_ROWS_PER_CLUSTER = 500
MAX_ITER = 100
FINEST_CLUSTERS = 1000


@dataclass(frozen=True)
class KMeansPlan:
    """Number of clusters of each member, and whether rows are divided by their length."""

    n_clusters: list[int]
    unit_rows: bool = False
    n_bytes: ClassVar[int] = 0  # members have no tables over landmarks


@dataclass(frozen=True)
class KMeansEnsemble:
    """Base clusterings as centers; gives any rows their base labels."""

    frame: Frame
    centers: list[Float32]  # (c, d) per member

    @property
    def n_clusters(self) -> list[int]:
        """Number of base clusters of each member."""
        return [len(centers) for centers in self.centers]

    @property
    def n_labels(self) -> Int64:
        """Number of labels in each column (m,)."""
        return np.array(self.n_clusters)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Smallest unsigned type that holds the labels."""
        return np.min_scalar_type(int(self.n_labels.max()) - 1)

    def label(self, raw: RawRows) -> AnyArray:
        """Base labels of raw rows, unsigned (n, m)."""
        rows = self.frame.rows(raw)
        out: AnyArray = np.empty((rows.shape[0], len(self.centers)), self.dtype)
        for j, centers in enumerate(self.centers):
            out[:, j] = rows.nearest(centers)[0]
        return out

    def finer(self, n_rows: int, take: TakeRows) -> KMeansEnsemble:
        """The ensemble with one more clustering, which tells most rows apart.

        Its centers are distinct rows: products of equal centers may be rounded differently, and
        would tell equal rows apart.
        """
        rng = np.random.default_rng(n_rows)
        some = np.sort(rng.choice(n_rows, min(n_rows, FINEST_CLUSTERS), replace=False))
        points = self.frame.rows(take(some)).points(np.arange(len(some)))
        _, first = np.unique(points, axis=0, return_index=True)
        return replace(self, centers=[*self.centers, points[np.sort(first)]])


def fit_kmeans_ensemble(
    n_rows: int,
    take: TakeRows,
    plan: KMeansPlan,
    seed: np.random.SeedSequence,
    map_tasks: Callable[..., Iterable[Float32]] = map,
) -> KMeansEnsemble:
    """Fit a member for every number of clusters; `map_tasks` may be that of a pool of threads."""
    frame_seed, member_seed = seed.spawn(2)

    def draw(rng: np.random.Generator, n_clusters: int) -> RawRows:
        most = min(n_rows, SAMPLE_ROWS_PER_CLUSTER * n_clusters)
        return take(np.sort(rng.choice(n_rows, most, replace=False, shuffle=False)))

    some = draw(np.random.default_rng(frame_seed), max(plan.n_clusters))
    frame = Frame.of(some, unit_rows=plan.unit_rows)

    def learn(n_clusters: int, seed: np.random.SeedSequence) -> Float32:
        rng = np.random.default_rng(seed)
        rows = frame.rows(draw(rng, n_clusters))
        return kmeans(rows, min(n_clusters, rows.shape[0]), rng, max_iter=MAX_ITER).centers

    seeds = member_seed.spawn(len(plan.n_clusters))
    tasks = zip(plan.n_clusters, seeds, strict=True)
    return KMeansEnsemble(frame, list(map_tasks(lambda task: learn(*task), tasks)))
