"""k-means on label rows, for any kind of prototype that follows from counts.

The state is a labeling; a prototype follows from the counts of base clusters inside
each consensus cluster. Counts are whole numbers, so that everything is the same for
weighted micro-clusters and for all rows, and for any number of threads.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from lsec.consensus.bipartite_graph import add_up
from lsec.consensus.methods.method import Run
from lsec.consensus.micro_clusters import MicroClusters
from lsec.execution.threads import Lent, Workers
from lsec.kernels.prototypes import LANES, count_moves, nearest_prototype

ROWS_AT_ONCE = 8192


@dataclass(frozen=True)
class Distances:
    """Distances of micro-clusters to prototypes, not yet added up.

    That of micro-cluster i to prototype c is the sum of table[b, c] over its base clusters b,
    divided by scale[i], and shift[i] and offsets[c] are added.

    Attributes
    ----------
    table : float64 (C, k)
    offsets : float64 (k,)
    shift, scale : float64 (n',)
    """

    table: np.ndarray
    offsets: np.ndarray
    shift: np.ndarray
    scale: np.ndarray

    def all_of(self, micro: MicroClusters) -> np.ndarray:
        """Every distance, float64 (n', k)."""
        k = self.table.shape[1]
        sums = add_up(np.concatenate([self.table, np.zeros((1, k))]), micro.base_clusters)
        return self.shift[:, None] + sums / self.scale[:, None] + self.offsets

    def nearest(self, micro: MicroClusters, workers: Workers) -> np.ndarray:
        """First of the prototypes with the least distance, int32 (n',)."""
        labels = np.empty(len(micro), np.int32)
        tables, offsets = self._in_parts()

        def fill(low: int) -> None:
            part = slice(low, low + ROWS_AT_ONCE)
            nearest_prototype(
                micro.base_clusters[part],
                tables,
                self.shift[part],
                self.scale[part],
                offsets,
                labels[part],
            )

        workers.map(fill, range(0, len(micro), ROWS_AT_ONCE))
        return labels

    def _in_parts(self) -> tuple[np.ndarray, np.ndarray]:
        """Tables (parts, C + 1, LANES), whose last row is no label, and offsets (parts, LANES)."""
        n_clusters, k = self.table.shape
        parts = -(-k // LANES)
        table = np.zeros((n_clusters + 1, parts * LANES))
        table[:-1, :k] = self.table
        offsets = np.full(parts * LANES, np.inf)
        offsets[:k] = self.offsets
        tables = table.reshape(n_clusters + 1, parts, LANES).transpose(1, 0, 2)
        return np.ascontiguousarray(tables), offsets.reshape(parts, LANES)


class Prototypes(Protocol):
    """What a consensus cluster is compared by."""

    def distances(self, counts: np.ndarray) -> Distances:
        """Distances to the prototypes that follow from counts (C, k)."""

    def loss(self, counts: np.ndarray) -> float:
        """Sum of distances of all rows to the prototypes of their own clusters."""


def best_labeling(
    micro: MicroClusters,
    n_clusters: int,
    run: Run,
    prototypes: Prototypes,
    n_init: int,
    max_iter: int,
) -> np.ndarray:
    """Labels int32 (n',) of the run with the smallest loss; every cluster has a member."""
    best, least = np.empty(0), np.inf
    for _ in range(n_init):
        labels, counts = _run(micro, n_clusters, run, prototypes, max_iter)
        loss = prototypes.loss(counts)
        if loss < least:
            best, least = labels, loss
    return best


def count(micro: MicroClusters, labels: np.ndarray, n_clusters: int) -> np.ndarray:
    """Rows in each base cluster and consensus cluster, float64 (C, k); labels < 0 are left out."""
    counts = np.zeros((micro.n_base_clusters + 1, n_clusters))
    nowhere = np.full(len(micro), -1, np.int32)
    count_moves(micro.base_clusters, micro.weights, nowhere, labels.astype(np.int32), counts)
    return counts[:-1]


def _run(
    micro: MicroClusters, n_clusters: int, run: Run, prototypes: Prototypes, max_iter: int
) -> tuple[np.ndarray, np.ndarray]:
    """Labels int32 (n',) and the counts (C, k) of one run."""
    labels = _seed(micro, n_clusters, run.rng)
    counts = count(micro, labels, n_clusters)
    for _ in range(max_iter):
        distances = prototypes.distances(counts)
        before, labels = labels, distances.nearest(micro, run.workers)
        if not np.bincount(labels, minlength=n_clusters).all():
            labels = _fill(labels, distances.all_of(micro))
        if np.array_equal(labels, before):
            break
        counts = counts + _moves(micro, before, labels, n_clusters, run.workers)
    return labels, counts


def _moves(
    micro: MicroClusters,
    before: np.ndarray,
    after: np.ndarray,
    n_clusters: int,
    workers: Workers,
) -> np.ndarray:
    """What moves from labels before to those after change in the counts (C, k)."""
    lent = Lent(lambda: np.zeros((micro.n_base_clusters + 1, n_clusters)))

    def add(low: int) -> None:
        part = slice(low, low + ROWS_AT_ONCE)
        rows = micro.base_clusters[part], micro.weights[part], before[part], after[part]
        with lent.one() as moves:
            count_moves(*rows, moves)

    workers.map(add, range(0, len(micro), ROWS_AT_ONCE))
    return sum(lent.states)[:-1]  # type: ignore[index]


def _seed(micro: MicroClusters, n_clusters: int, rng: np.random.Generator) -> np.ndarray:
    """Rows drawn at random, no two with the same labels: one for each cluster, -1 elsewhere."""
    labels = np.full(len(micro), -1, np.int32)
    mass = micro.weights.copy()
    for cluster in range(n_clusters):
        upto = np.cumsum(mass)
        chosen = int(np.searchsorted(upto, rng.random() * upto[-1], side="right"))
        chosen = min(chosen, int(np.flatnonzero(mass)[-1]))
        labels[chosen] = cluster
        mass[chosen] = 0
    return labels


def _fill(labels: np.ndarray, distances: np.ndarray) -> np.ndarray:
    """Give every empty cluster the micro-cluster that is farthest from its own prototype."""
    members = np.bincount(labels, minlength=distances.shape[1])
    own = np.take_along_axis(distances, labels[:, None], 1)[:, 0]
    farthest = iter(np.argsort(-own, kind="stable"))
    for cluster in np.flatnonzero(members == 0):
        moved = next(i for i in farthest if members[labels[i]] > 1)
        members[labels[moved]] -= 1
        labels[moved] = cluster
    return labels
