"""Cut the bipartite graph of micro-clusters and base clusters by its eigenvectors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from lsec.consensus.cooccurrence import Together, rows_together
from lsec.consensus.methods.method import Joined
from lsec.consensus.micro_clusters import MicroClusters, number_base_clusters
from lsec.consensus.number_of_clusters import MOST_CLUSTERS, Evidence, eigengap
from lsec.rows.frame import rows_of
from lsec.spectral.kmeans import kmeans
from lsec.spectral.transfer_cut import transfer_cut

MAX_ITER = 100
N_INIT = 3


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
class NearestCenter:
    """Labels any label rows by the nearest center of the embedding."""

    embedding: Embedding
    centers: np.ndarray

    def __call__(self, labels: np.ndarray) -> np.ndarray:
        """Clusters int32 (n,) of label rows (n, m)."""
        return rows_of(self.embedding.place(labels)).nearest(self.centers)[0]


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


def base_cluster_affinity(micro: MicroClusters, values: np.ndarray) -> Together:
    """B' D^-1 B (C, C), with B the indicator whose base clusters count by their value (C,).

    1 / D is rounded to whole units of a power of two, one power for all rows of similar
    degree, so that sums over rows are exact: equal, to the last bit, for micro-clusters
    with weights and for all rows.
    """
    degree = micro.indicator @ values
    mantissa, exponent = np.frexp(1 / degree)
    bits = 52 - int(np.ceil(np.log2(micro.weights.sum())))
    units = micro.weights * np.rint(np.ldexp(mantissa, bits))
    total = sum(
        rows_together(micro, np.where(exponent == power, units, 0)) * np.ldexp(1.0, power - bits)
        for power in np.unique(exponent)
    )
    if sparse.issparse(total):
        return sparse.diags_array(values) @ total @ sparse.diags_array(values)
    return total * values[:, None] * values


def leading_cut(
    affinity: Together, n_rows: int, n_clusters: int | None
) -> tuple[np.ndarray, int, Evidence | None]:
    """Eigenvectors (C, k) of the base clusters, the number of clusters, and what speaks for it."""
    if n_clusters is not None:
        return transfer_cut(affinity, min(affinity.shape[0], n_clusters)).vectors, n_clusters, None
    cut = transfer_cut(affinity, min(affinity.shape[0], n_rows, MOST_CLUSTERS + 1))
    evidence = eigengap(cut.eigenvalues)
    return cut.vectors[:, : evidence.best], evidence.best, evidence


def cut_indicator(
    micro: MicroClusters, values: np.ndarray, n_clusters: int | None, rng: np.random.Generator
) -> Joined:
    """Cut the graph of micro-clusters and base clusters, the latter counted by their value (C,).

    New label rows go to the nearest center of the embedding.
    """
    affinity = base_cluster_affinity(micro, values)
    vectors, n_clusters, evidence = leading_cut(affinity, len(micro), n_clusters)
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
    return Joined(result.labels, evidence, NearestCenter(embedding, result.centers))
