"""Bipartite consensus (LSEC's Algorithm 2, U-SENC): cut the graph of rows and base clusters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from lsec.consensus_methods.micro_clusters import MicroClusters
from lsec.stages.kmeans import kmeans
from lsec.stages.landmarks import rows_of
from lsec.stages.transfer_cut import transfer_cut

MAX_ITER = 100
N_INIT = 3


@dataclass(frozen=True)
class BipartiteConsensus:
    """A consensus that labels any row of base labels.

    Attributes
    ----------
    starts : int64 (m,)
        First base cluster of each base clustering in `vectors`.
    vectors : float64 (C, k)
        Eigenvector row of every base cluster.
    centres : float32 (k, k)
    eigenvalues : float64 (k,)
    """

    starts: np.ndarray
    vectors: np.ndarray
    centres: np.ndarray
    eigenvalues: np.ndarray

    def embed(self, labels: np.ndarray) -> np.ndarray:
        """Unit-length embedding float32 (n, k) of label rows (n, m)."""
        total = np.zeros((len(labels), self.vectors.shape[1]))
        for column, start in zip(labels.T, self.starts, strict=True):
            total += self.vectors[column + start]
        length = np.sqrt(np.square(total).sum(axis=1, keepdims=True))
        return (total / np.maximum(length, 1e-300)).astype(np.float32)

    def predict(self, labels: np.ndarray) -> np.ndarray:
        """Cluster int32 (n,) of label rows (n, m): that of the nearest centre."""
        return rows_of(self.embed(labels)).nearest(self.centres)[0]


def bipartite(
    micro: MicroClusters, n_labels: np.ndarray, n_clusters: int, rng: np.random.Generator
) -> BipartiteConsensus:
    """Cut the bipartite graph of micro-clusters and base clusters.

    Parameters
    ----------
    micro : MicroClusters of m base clusterings
    n_labels : int64 (m,)
        Labels that each base clustering may hold; those that do not occur are ignored.
    n_clusters : int
        At most the number of micro-clusters.
    """
    starts = np.concatenate([[0], np.cumsum(n_labels)[:-1]])
    affinity = base_cluster_affinity(micro, starts, int(np.sum(n_labels)))
    cut = transfer_cut(affinity, min(n_clusters, len(affinity)))
    draft = BipartiteConsensus(starts, cut.vectors, np.empty(0), cut.eigenvalues)
    embedded = rows_of(draft.embed(micro.labels))
    result = kmeans(
        embedded,
        n_clusters,
        rng,
        init="k-means++",
        max_iter=MAX_ITER,
        n_init=N_INIT,
        weights=micro.weights,
    )
    # Clusters are numbered in the order in which rows first meet them.
    _, first = np.unique(result.labels, return_index=True)
    return BipartiteConsensus(
        starts, cut.vectors, result.centres[np.argsort(first)], cut.eigenvalues
    )


def base_cluster_affinity(micro: MicroClusters, starts: np.ndarray, total: int) -> np.ndarray:
    """B' D^-1 B float64 (C, C) of the 0/1 graph of rows and base clusters."""
    n, m = micro.labels.shape
    columns = (micro.labels + starts).astype(np.int32)
    pointers = np.arange(0, n * m + 1, m)
    ones = np.ones(n * m)
    member = sparse.csr_matrix((ones, columns.ravel(), pointers), shape=(n, total))
    weighted = sparse.csr_matrix(
        (np.repeat(micro.weights, m), columns.ravel(), pointers), shape=(n, total)
    )
    return (member.T @ weighted).toarray() / m
