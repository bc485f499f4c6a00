"""k-means on label rows, for any prototypes that depend on counts alone.

The state is a labeling; prototypes follow from the number of rows in each base cluster and
consensus cluster. Counts are whole numbers, so that results are the same for weighted
micro-clusters and for all rows, and for any number of threads.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from lsec import checks
from lsec.consensus.memory import labels_bytes
from lsec.consensus.methods import Joined, Map, Tasks
from lsec.consensus.micro_clusters import (
    MicroClusters,
    cluster_counts,
    sum_over_labels,
    with_missing,
)
from lsec.kernels.prototypes import LANES, count_moves, nearest_prototype
from lsec.typing import Float64, Int32

ROWS_AT_ONCE = 8192


@dataclass(frozen=True)
class Distances:
    """Distances of micro-clusters to prototypes, in parts.

    The distance of micro-cluster i to prototype c is shift[i] + offsets[c], plus the sum of
    table[b, c] over the base clusters b of i, divided by scale[i].
    """

    table: Float64  # (C, k)
    offsets: Float64  # (k,)
    shift: Float64  # (n',)
    scale: Float64  # (n',)

    def matrix(self, micro: MicroClusters) -> Float64:
        """All distances, float64 (n', k)."""
        sums = sum_over_labels(with_missing(self.table), micro.base_clusters)
        distances: Float64 = self.shift[:, None] + sums / self.scale[:, None] + self.offsets
        return distances

    def nearest(self, micro: MicroClusters, map: Map) -> Int32:
        """Nearest prototype of every micro-cluster, the first of those that tie, int32 (n',)."""
        labels = np.empty(len(micro), np.int32)
        tables, offsets = self._in_lanes()

        def fill(low: int) -> None:
            part = slice(low, low + ROWS_AT_ONCE)
            rows, scaling = micro.base_clusters[part], (self.shift[part], self.scale[part])
            nearest_prototype(rows, tables, *scaling, offsets, labels[part])

        map(fill, range(0, len(micro), ROWS_AT_ONCE))
        return labels

    def _in_lanes(self) -> tuple[Float64, Float64]:
        """Tables (parts, C + 1, LANES), the last row for missing labels; offsets (parts, LANES)."""
        surplus = -len(self.offsets) % LANES
        table = np.pad(self.table, ((0, 1), (0, surplus)))
        offsets = np.pad(self.offsets, (0, surplus), constant_values=np.inf)
        tables = table.reshape(len(table), -1, LANES).transpose(1, 0, 2)
        return np.ascontiguousarray(tables), offsets.reshape(-1, LANES)


class Prototypes(Protocol):
    """Prototypes of consensus clusters, as a function of counts."""

    def distances(self, counts: Float64) -> Distances:
        """Distances to the prototypes for counts (C, k)."""

    def loss(self, counts: Float64) -> float:
        """Total distance of all rows to the prototypes of their clusters."""


@dataclass(frozen=True, kw_only=True)
class LabelKMeans:
    """Options of the consensus functions that are k-means on label rows.

    Parameters
    ----------
    n_init : int, default=5
        Random starts, of which the best is returned.
    max_iter : int, default=100
    start_rows : int or None, default=None
        Micro-clusters, drawn by weight, on which the random starts are compared; the best one is
        continued on all. None compares them on all.
    """

    n_init: int = 5
    max_iter: int = 100
    start_rows: int | None = None

    chooses_k = False

    def __post_init__(self) -> None:
        checks.integer("n_init", self.n_init, 1)
        checks.integer("max_iter", self.max_iter, 1)
        checks.integer("start_rows", self.start_rows, 1, words=(None,))

    def prototypes(self, micro: MicroClusters) -> Prototypes:
        """The prototypes of the function."""
        raise NotImplementedError

    def n_bytes(self, micro: MicroClusters, n_clusters: int, n_threads: int) -> int:
        """Tables of counts and distances."""
        tables = (4 + n_threads) * micro.n_base_clusters + len(micro)
        return labels_bytes(micro) + 8 * n_clusters * tables

    def join(self, micro: MicroClusters, n_clusters: int | None, tasks: Tasks) -> Joined:
        """Labels of the run with the smallest loss; no cluster is empty."""
        assert n_clusters is not None
        prototypes = self.prototypes(micro)
        if self.start_rows is None or len(micro) <= self.start_rows:
            return Joined(self._best_run(micro, n_clusters, tasks, prototypes).labels)
        _, some = micro.drawn(max(self.start_rows, n_clusters), tasks.rng)
        best = self._best_run(some, n_clusters, tasks, self.prototypes(some))
        counts = cluster_counts(some, best.labels, n_clusters)
        start = prototypes.distances(counts).nearest(micro, tasks.map)
        return Joined(_lloyd(micro, start, n_clusters, tasks, prototypes, self.max_iter).labels)

    def _best_run(
        self, micro: MicroClusters, n_clusters: int, tasks: Tasks, prototypes: Prototypes
    ) -> _Run:
        """The run with the smallest loss of several from random starts."""
        given = n_clusters, tasks, prototypes, self.max_iter
        starts = (_seed(micro, n_clusters, tasks.rng) for _ in range(self.n_init))
        return min((_lloyd(micro, start, *given) for start in starts), key=lambda run: run.loss)


class _Run(NamedTuple):
    labels: Int32
    loss: float


def _lloyd(
    micro: MicroClusters,
    labels: Int32,
    n_clusters: int,
    tasks: Tasks,
    prototypes: Prototypes,
    max_iter: int,
) -> _Run:
    """Lloyd's algorithm from labels int32 (n',), -1 for none: labels and their loss."""
    counts = cluster_counts(micro, labels, n_clusters)
    for _ in range(max_iter):
        distances = prototypes.distances(counts)
        before, labels = labels, distances.nearest(micro, tasks.map)
        if not np.bincount(labels, minlength=n_clusters).all():
            labels = _fill_empty(labels, distances.matrix(micro))
        if np.array_equal(labels, before):
            break
        counts = counts + _change(micro, before, labels, n_clusters, tasks)
    return _Run(labels, prototypes.loss(counts))


def _change(
    micro: MicroClusters, before: Int32, after: Int32, n_clusters: int, tasks: Tasks
) -> Float64:
    """Change of the counts (C, k) between two labelings."""
    pool = tasks.lend(lambda: np.zeros((micro.n_base_clusters + 1, n_clusters)))

    def add(low: int) -> None:
        part = slice(low, low + ROWS_AT_ONCE)
        rows = micro.base_clusters[part], micro.weights[part], before[part], after[part]
        with pool.one() as moves:
            count_moves(*rows, moves)

    tasks.map(add, range(0, len(micro), ROWS_AT_ONCE))
    change: Float64 = np.add.reduce(pool.states)
    return change[:-1]


def _seed(micro: MicroClusters, n_clusters: int, rng: np.random.Generator) -> Int32:
    """A random row as the only member of each cluster, all with distinct labels; -1 elsewhere."""
    labels = np.full(len(micro), -1, np.int32)
    mass = micro.weights.copy()
    for cluster in range(n_clusters):
        cumulative = np.cumsum(mass)
        draw = rng.random() * cumulative[-1]
        chosen = int(np.searchsorted(cumulative, draw, side="right"))
        chosen = min(chosen, int(np.flatnonzero(mass)[-1]))
        labels[chosen] = cluster
        mass[chosen] = 0
    return labels


def _fill_empty(labels: Int32, distances: Float64) -> Int32:
    """Give every empty cluster the micro-cluster that is farthest from its own prototype."""
    members = np.bincount(labels, minlength=distances.shape[1])
    own = np.take_along_axis(distances, labels[:, None], 1)[:, 0]
    farthest = iter(np.argsort(-own, kind="stable"))
    for cluster in np.flatnonzero(members == 0):
        moved = next(i for i in farthest if members[labels[i]] > 1)
        members[labels[moved]] -= 1
        labels[moved] = cluster
    return labels
