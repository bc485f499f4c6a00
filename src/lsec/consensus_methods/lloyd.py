"""k-means on label rows, for any kind of prototype that follows from counts.

The state is a labelling; a prototype follows from the counts of base clusters inside
each consensus cluster. Counts are whole numbers, so that everything is the same for
weighted micro-clusters and for all rows.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from scipy import sparse

from lsec.consensus_methods.micro_clusters import MicroClusters


class Prototypes(Protocol):
    """What a consensus cluster is compared by."""

    def distances(self, counts: np.ndarray) -> np.ndarray:
        """Distance of micro-clusters to prototypes (n', k), from counts (C, k)."""

    def loss(self, counts: np.ndarray) -> float:
        """Sum of distances of all rows to the prototypes of their own clusters."""


def best_labelling(
    micro: MicroClusters,
    n_clusters: int,
    rng: np.random.Generator,
    prototypes: Prototypes,
    n_init: int,
    max_iter: int,
) -> np.ndarray:
    """Labels int32 (n',) of the run with the smallest loss; every cluster has a member."""
    best, least = np.empty(0), np.inf
    for _ in range(n_init):
        labels = _run(micro, n_clusters, rng, prototypes, max_iter)
        loss = prototypes.loss(count(micro, labels, n_clusters))
        if loss < least:
            best, least = labels, loss
    return best


def count(micro: MicroClusters, labels: np.ndarray, n_clusters: int) -> np.ndarray:
    """Rows in each base cluster and consensus cluster, float64 (C, k); labels < 0 are left out."""
    chosen = np.flatnonzero(labels >= 0)
    shape = len(micro), n_clusters
    inside = sparse.csr_matrix((micro.weights[chosen], (chosen, labels[chosen])), shape=shape)
    return (micro.indicator.T @ inside).toarray()


def _run(
    micro: MicroClusters,
    n_clusters: int,
    rng: np.random.Generator,
    prototypes: Prototypes,
    max_iter: int,
) -> np.ndarray:
    labels = _seed(micro, n_clusters, rng)
    for _ in range(max_iter):
        distances = prototypes.distances(count(micro, labels, n_clusters))
        before = labels
        labels = _fill(distances.argmin(axis=1).astype(np.int32), distances)
        if np.array_equal(labels, before):
            break
    return labels


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
    empty = np.flatnonzero(members == 0)
    if empty.size:
        own = np.take_along_axis(distances, labels[:, None], 1)[:, 0]
        farthest = iter(np.argsort(-own, kind="stable"))
        for cluster in empty:
            moved = next(i for i in farthest if members[labels[i]] > 1)
            members[labels[moved]] -= 1
            labels[moved] = cluster
    return labels
