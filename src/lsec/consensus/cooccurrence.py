"""Count the rows that base clusters share with each other, and with consensus clusters."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from scipy import sparse

from lsec.consensus.micro_clusters import MicroClusters
from lsec.kernels.prototypes import count_moves
from lsec.typing import Float64, Int32

MAX_DENSE = 5000  # base clusters; eigenvectors of a dense matrix cost the cube of their number

BaseClusterMatrix: TypeAlias = Any
"""A symmetric matrix (C, C) of base clusters: float64 ndarray, or CSR with sorted columns."""


def cooccurrence(micro: MicroClusters, weights: Float64) -> BaseClusterMatrix:
    """Total weight of the micro-clusters that lie in both of two base clusters.

    Parameters
    ----------
    micro : MicroClusters
    weights : float64 (n',)
        Non-negative. Whole numbers add up exactly, below 2^53.

    Returns
    -------
    weight : float64 (C, C)
        Symmetric; sparse if there are more than `MAX_DENSE` base clusters.
    """
    if micro.n_base_clusters > MAX_DENSE:
        return _sparse_product(micro, weights)
    return _contingency_tables(micro, weights)


def cluster_counts(micro: MicroClusters, labels: Int32, n_clusters: int) -> Float64:
    """Number of rows in each base cluster and consensus cluster, float64 (C, k).

    Micro-clusters with a negative label are left out.
    """
    counts = np.zeros((micro.n_base_clusters + 1, n_clusters))
    before = np.full(len(micro), -1, np.int32)
    count_moves(micro.base_clusters, micro.weights, before, labels.astype(np.int32), counts)
    return counts[:-1]


def _contingency_tables(micro: MicroClusters, weights: Float64) -> Float64:
    """A contingency table for every two base clusterings, each small enough for the cache."""
    counted = weights > 0
    columns, weights = np.ascontiguousarray(micro.labels[counted].T), weights[counted]
    out = np.empty((micro.n_base_clusters, micro.n_base_clusters))
    width = int(micro.n_labels.max()) + 1  # the last column: missing labels
    for i, first in enumerate(micro.spans):
        starts = columns[i].astype(np.intp) * width
        n_cells = (micro.n_labels[i] + 1) * width
        for j, second in enumerate(micro.spans[: i + 1]):
            cells = np.bincount(starts + columns[j], weights, n_cells).reshape(-1, width)
            table = cells[: micro.n_labels[i], : micro.n_labels[j]]
            out[first, second] = table
            out[second, first] = table.T
    return out


def _sparse_product(micro: MicroClusters, weights: Float64) -> sparse.csr_matrix:
    """Z' diag(weights) Z with Z the indicator: empty cells take neither time nor memory."""
    z = micro.indicator
    product = sparse.csr_matrix(z.T @ sparse.diags_array(weights) @ z)
    product.eliminate_zeros()
    product.sort_indices()
    return product
