"""Groups of nearby micro-clusters, in an embedding of the ensemble, and their dendrogram."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from lsec.consensus.dendrogram import Dendrogram, agglomerate
from lsec.consensus.micro_clusters import (
    MicroClusters,
    base_cluster_affinity,
    sum_over_labels,
    with_missing,
)
from lsec.spectral.kmeans import ROWS_AT_ONCE, sums_matrix
from lsec.spectral.transfer_cut import transfer_cut, unit_rows
from lsec.typing import Float32, Float64, Int32

MAX_GROUPS = 1500
MANY_BASE_CLUSTERS = 1500  # whose eigenvectors in float32 take half the time


@dataclass(frozen=True)
class Space:
    """Embedding of the bipartite graph whose edges to a base cluster have the cluster's value."""

    vectors: Float64  # (C + 1, d), of each base cluster; zero for a missing label
    eigenvalues: Float64  # (d,)

    @classmethod
    def of(cls, micro: MicroClusters, n_dimensions: int, values: Float64) -> Space:
        """Transfer cut with values (C,), in at most as many dimensions as base clusters."""
        affinity = base_cluster_affinity(micro, values)
        precision = np.float32 if len(values) > MANY_BASE_CLUSTERS else np.float64
        cut = transfer_cut(affinity, min(n_dimensions, len(values)), precision)
        return cls(with_missing(cut.vectors * values[:, None]), cut.eigenvalues)

    def view(self, micro: MicroClusters, n_dimensions: int, power: float = 0.0) -> Float32:
        """Unit vectors float32 (n', d) of micro-clusters, dimensions scaled by eigenvalue^power."""
        return self.embed(micro.base_clusters, n_dimensions, power)

    def embed(self, base_clusters: Int32, n_dimensions: int, power: float = 0.0) -> Float32:
        """As `view`, for the base clusters (n', m) of some micro-clusters."""
        vectors = self.scaled(n_dimensions, power)
        out = np.empty((len(base_clusters), vectors.shape[1]), np.float32)
        for low in range(0, len(out), ROWS_AT_ONCE):
            part = slice(low, low + ROWS_AT_ONCE)
            out[part] = unit_rows(sum_over_labels(vectors, base_clusters[part]))
        return out

    def scaled(self, n_dimensions: int, power: float) -> Float64:
        """Vectors (C + 1, d) in some dimensions, each times eigenvalue^power."""
        scaled: Float64 = self.vectors[:, :n_dimensions] * self.eigenvalues[:n_dimensions] ** power
        return scaled


@dataclass(frozen=True)
class Groups:
    """Groups of nearby micro-clusters."""

    of_micro: Int32  # (n',)
    gather: sparse.csr_array  # (g, n'), weights of the micro-clusters in each group
    weights: Float64  # (g,)
    counts: sparse.csr_array  # (g, C), number of rows of each group in each base cluster

    @classmethod
    def of(cls, micro: MicroClusters, of_micro: Int32) -> Groups:
        """Groups with the given numbers."""
        gather = sums_matrix(of_micro, micro.weights, int(of_micro.max()) + 1)
        return cls(of_micro, gather, gather.sum(axis=1), gather @ sparse.csr_array(micro.indicator))

    def means(self, rows: Float32) -> Float64:
        """Mean (g, d) of the rows (n', d) of each group."""
        return np.asarray(self.gather @ rows.astype(np.float64)) / self.weights[:, None]

    def cluster_counts(self, labels: Int32, n_clusters: int) -> Float64:
        """Number of rows in each cluster and base cluster, float64 (k, C)."""
        counts = sums_matrix(labels, np.ones(len(labels)), n_clusters) @ self.counts
        return np.asarray(counts.toarray())


def link(means: Float64, weights: Float64) -> Dendrogram:
    """Dendrogram of groups, by the mean cosine distance of their rows."""
    directions = means.astype(np.float32)
    distance = directions @ directions.T
    np.subtract(1, distance, out=distance)
    np.maximum(distance, 0, out=distance)
    return agglomerate(distance, weights, "average")
