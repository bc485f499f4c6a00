"""Cut the bipartite graph of micro-clusters and base clusters by its leading eigenvectors.

With B the weighted indicator (n', C) and D its row sums, eigenvectors are those of the affinity
B' D^-1 B of the base clusters (transfer cut). The rows of B times the eigenvectors, scaled to
unit length, embed the micro-clusters, and k-means on them gives the clusters. See `Bipartite`
for the papers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lsec.consensus.methods import Joined
from lsec.consensus.micro_clusters import (
    BaseClusterMatrix,
    MicroClusters,
    base_cluster_affinity,
    number_base_clusters,
    sum_over_labels,
    with_missing,
)
from lsec.consensus.number_of_clusters import MAX_CLUSTERS, Evidence, eigengap
from lsec.rows.frame import rows_of
from lsec.spectral.kmeans import KMeansResult, kmeans
from lsec.spectral.transfer_cut import transfer_cut, unit_rows
from lsec.typing import AnyArray, Float32, Float64, Int32, Int64

MAX_ITER = 100
N_INIT = 3


@dataclass(frozen=True)
class Embedding:
    """Embeds label rows by their base clusters."""

    vectors: Float64  # (C + 1, c), weighted eigenvector rows; zero for a missing label
    n_labels: Int64  # (m,)

    def place(self, labels: AnyArray) -> Float32:
        """Unit-length embedding float32 (n, c) of label rows (n, m)."""
        return unit_rows(sum_over_labels(self.vectors, number_base_clusters(labels, self.n_labels)))


@dataclass(frozen=True)
class NearestCenter:
    """Assigns label rows to the nearest k-means center of an embedding."""

    embedding: Embedding
    centers: Float32

    def __call__(self, labels: AnyArray) -> Int32:
        """Clusters int32 (n,) of label rows (n, m)."""
        return rows_of(self.embedding.place(labels)).nearest(self.centers)[0]


def leading_cut(
    affinity: BaseClusterMatrix, n_rows: int, n_clusters: int | None
) -> tuple[Float64, int, Evidence | None]:
    """Leading eigenvectors (C, k), the number of clusters k, and the evidence if k was chosen."""
    if n_clusters is not None:
        return transfer_cut(affinity, min(affinity.shape[0], n_clusters)).vectors, n_clusters, None
    cut = transfer_cut(affinity, min(affinity.shape[0], n_rows, MAX_CLUSTERS + 1))
    evidence = eigengap(cut.eigenvalues)
    return cut.vectors[:, : evidence.best], evidence.best, evidence


def discretize(
    embedded: Float32, n_clusters: int, rng: np.random.Generator, weights: Float64 | None = None
) -> KMeansResult:
    """k-means++ and Lloyd's algorithm on embedded rows (n, c), the best of `N_INIT` runs."""
    return kmeans(
        rows_of(embedded),
        n_clusters,
        rng,
        init="k-means++",
        max_iter=MAX_ITER,
        n_init=N_INIT,
        weights=weights,
    )


def cut_indicator(
    micro: MicroClusters, values: Float64, n_clusters: int | None, rng: np.random.Generator
) -> Joined:
    """Cut the graph whose edges to a base cluster have the value (C,) of that cluster.

    New label rows go to the nearest center of the embedding.
    """
    affinity = base_cluster_affinity(micro, values)
    vectors, n_clusters, evidence = leading_cut(affinity, len(micro), n_clusters)
    embedding = Embedding(with_missing(vectors * values[:, None]), micro.n_labels)
    result = discretize(embedding.place(micro.labels), n_clusters, rng, micro.weights)
    return Joined(result.labels, evidence, NearestCenter(embedding, result.centers))
