"""Cut the bipartite graph of micro-clusters and base clusters by its eigenvectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse

from lsec.consensus_methods.evidence import MOST_CLUSTERS, Evidence, eigengap
from lsec.consensus_methods.method import Joined
from lsec.consensus_methods.micro_clusters import MicroClusters, number_base_clusters
from lsec.stages.kmeans import kmeans
from lsec.stages.landmarks import rows_of
from lsec.stages.transfer_cut import transfer_cut

MAX_ITER = 100
N_INIT = 3
MOST_DENSE = 3000  # base clusters; eigenvectors of a dense matrix cost the cube

Graph: TypeAlias = Any  # cross-affinities, an ndarray or a CSR matrix


@dataclass(frozen=True)
class Embedding:
    """Places label rows by the base clusters they lie in.

    Attributes
    ----------
    vectors : float64 (C + 1, c)
        Eigenvector row of every base cluster, weighted; zero for a missing label.
    n_labels : int64 (m,)
    """

    vectors: np.ndarray
    n_labels: np.ndarray

    @classmethod
    def of(cls, vectors: np.ndarray, n_labels: np.ndarray) -> Embedding:
        """Embedding by the vectors (C, c) of the base clusters."""
        return cls(np.concatenate([vectors, np.zeros((1, vectors.shape[1]))]), n_labels)

    def place(self, labels: np.ndarray) -> np.ndarray:
        """Unit-length embedding float32 (n, c) of label rows (n, m)."""
        return unit_rows(add_up(self.vectors, number_base_clusters(labels, self.n_labels)))


@dataclass(frozen=True)
class NearestCentre:
    """Labels any label rows by the nearest centre of the embedding."""

    embedding: Embedding
    centres: np.ndarray

    def __call__(self, labels: np.ndarray) -> np.ndarray:
        """Clusters int32 (n,) of label rows (n, m)."""
        return rows_of(self.embedding.place(labels)).nearest(self.centres)[0]


def add_up(table: np.ndarray, base_clusters: np.ndarray) -> np.ndarray:
    """Sum of the rows of a table (C + 1, c) for the base clusters (n, m) of every row, (n, c)."""
    total = np.zeros((len(base_clusters), table.shape[1]))
    for column in base_clusters.T:
        total += table[column]
    return total


def unit_rows(rows: np.ndarray) -> np.ndarray:
    """Rows (n, c) divided by their length, float32; zero rows stay zero."""
    length = np.sqrt(np.square(rows).sum(axis=1, keepdims=True))
    return (rows / np.maximum(length, 1e-300)).astype(np.float32)


def small_side(graph: Graph, weights: np.ndarray) -> Graph:
    """B' D^-1 B (C, C) of cross-affinities B (n', C) whose rows count `weights` times.

    Dense unless there are very many base clusters.
    """
    degree = np.asarray(graph.sum(axis=1)).ravel()
    factor = weights / np.where(degree > 0, degree, 1)
    if not sparse.issparse(graph):
        return graph.T @ (graph * factor[:, None])
    affinity = graph.T @ sparse.diags_array(factor) @ graph
    return affinity.toarray() if graph.shape[1] <= MOST_DENSE else affinity


def leading_cut(
    graph: Graph, weights: np.ndarray, n_clusters: int | None
) -> tuple[np.ndarray, int, Evidence | None]:
    """Eigenvectors (C, k) of the base clusters, the number of clusters, and what speaks for it."""
    affinity = small_side(graph, weights)
    if n_clusters is not None:
        return transfer_cut(affinity, min(affinity.shape[0], n_clusters)).vectors, n_clusters, None
    cut = transfer_cut(affinity, min(affinity.shape[0], len(weights), MOST_CLUSTERS + 1))
    evidence = eigengap(cut.eigenvalues)
    return cut.vectors[:, : evidence.best], evidence.best, evidence


def cut_indicator(
    graph: sparse.csr_matrix,
    values: np.ndarray,
    micro: MicroClusters,
    n_clusters: int | None,
    rng: np.random.Generator,
) -> Joined:
    """Cut a graph whose edges are the indicator's, weighted by a value (C,) per base cluster.

    New label rows go to the nearest centre of the embedding.
    """
    vectors, n_clusters, evidence = leading_cut(graph, micro.weights, n_clusters)
    embedding = Embedding.of(vectors * values[:, None], micro.n_labels)
    result = kmeans(
        rows_of(embedding.place(micro.labels)),
        n_clusters,
        rng,
        init="k-means++",
        max_iter=MAX_ITER,
        n_init=N_INIT,
        weights=micro.weights,
    )
    return Joined(result.labels, evidence, NearestCentre(embedding, result.centres))
