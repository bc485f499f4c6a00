"""A k-means ensemble: base clusterings by k-means on the rows themselves.

Every member looks at a random sample of its own, about 500 rows per cluster (all rows
where there are no more), and all rows join its nearest center.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from lsec.rows.frame import Frame
from lsec.spectral.kmeans import kmeans
from lsec.spectral.sweep import Sweeper

SAMPLE_ROWS_PER_CLUSTER = 500
MAX_ITER = 100
FINEST_CLUSTERS = 1000


@dataclass(frozen=True)
class KMeansEnsemble:
    """Base clusterings as centers; gives any rows their base labels.

    Attributes
    ----------
    frame : Frame
    centers : list of float32 (c, d)
        One array per member.
    """

    frame: Frame
    centers: list[np.ndarray]

    @property
    def n_clusters(self) -> list[int]:
        """Number of base clusters of each member."""
        return [len(centers) for centers in self.centers]

    @property
    def n_labels(self) -> np.ndarray:
        """Number of labels in each column, int64 (m,)."""
        return np.array(self.n_clusters)

    @property
    def dtype(self) -> np.dtype:
        """Smallest unsigned type that holds the labels."""
        return np.min_scalar_type(int(self.n_labels.max()) - 1)

    def finer(self, sweeper: Sweeper) -> KMeansEnsemble:
        """The ensemble with one more clustering that tells most rows apart: rows as centers."""
        n = sweeper.source.shape[0]
        rng = np.random.default_rng(n)
        some = np.sort(rng.choice(n, min(n, FINEST_CLUSTERS), replace=False))
        rows = self.frame.rows(sweeper.source.take(some))
        return replace(self, centers=[*self.centers, rows.points(np.arange(len(some)))])

    def labels(self, sweeper: Sweeper, block: int) -> np.ndarray:
        """Base labels of a block of rows, unsigned (n, m)."""
        rows = self.frame.rows(sweeper.source.block(block))
        out: np.ndarray = np.empty((rows.shape[0], len(self.centers)), self.dtype)
        for j, centers in enumerate(self.centers):
            out[:, j] = rows.nearest(centers)[0]
        return out


def fit_kmeans_ensemble(
    sweeper: Sweeper, n_clusters: Sequence[int], seed: np.random.SeedSequence
) -> KMeansEnsemble:
    """Fit a member for every number of clusters."""
    source = sweeper.source
    frame_seed, member_seed = seed.spawn(2)

    def draw(rng: np.random.Generator, clusters: int) -> np.ndarray:
        n_rows = source.shape[0]
        most = min(n_rows, SAMPLE_ROWS_PER_CLUSTER * clusters)
        return source.take(np.sort(rng.choice(n_rows, most, replace=False, shuffle=False)))

    frame = Frame.of(draw(np.random.default_rng(frame_seed), max(n_clusters)))

    def learn(task: tuple[int, np.random.SeedSequence]) -> np.ndarray:
        clusters, task_seed = task
        rng = np.random.default_rng(task_seed)
        rows = frame.rows(draw(rng, clusters))
        result = kmeans(rows, min(clusters, rows.shape[0]), rng, max_iter=MAX_ITER)
        sweeper.stages.advance("centers")
        return result.centers

    with sweeper.stages.whole("centers", 1 + len(n_clusters)):
        seeds = member_seed.spawn(len(n_clusters))
        centers = sweeper.workers.map(learn, zip(n_clusters, seeds, strict=True))
    return KMeansEnsemble(frame, centers)
