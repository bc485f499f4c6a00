"""Count the rows that every two base clusters share."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from scipy import sparse

from lsec.consensus.micro_clusters import MicroClusters

MOST_DENSE = 5000  # base clusters; what follows finds eigenvectors, at the cost of the cube

Together: TypeAlias = Any  # of base clusters (C, C), an ndarray or a CSR matrix


def rows_together(micro: MicroClusters, weights: np.ndarray) -> Together:
    """Total weight of the micro-clusters that lie in both of two base clusters.

    Parameters
    ----------
    micro : MicroClusters
    weights : float64 (n',)
        Zero or more. Whole numbers add up exactly, below 2^53.

    Returns
    -------
    together : float64 (C, C)
        Symmetric; CSR with sorted columns where there are very many base clusters.
    """
    if micro.n_base_clusters > MOST_DENSE:
        return _product(micro, weights)
    return _tables(micro, weights)


def _tables(micro: MicroClusters, weights: np.ndarray) -> np.ndarray:
    """A table for every two base clusterings: it is filled in the cache."""
    counted = weights > 0
    columns, weights = np.ascontiguousarray(micro.labels[counted].T), weights[counted]
    out = np.empty((micro.n_base_clusters, micro.n_base_clusters))
    width = int(micro.n_labels.max()) + 1  # the last: label is missing
    for i, first in enumerate(micro.spans):
        starts = columns[i].astype(np.intp) * width
        n_cells = (micro.n_labels[i] + 1) * width
        for j, second in enumerate(micro.spans[: i + 1]):
            cells = np.bincount(starts + columns[j], weights, n_cells).reshape(-1, width)
            table = cells[: micro.n_labels[i], : micro.n_labels[j]]
            out[first, second] = table
            out[second, first] = table.T
    return out


def _product(micro: MicroClusters, weights: np.ndarray) -> sparse.csr_matrix:
    """The indicator times itself: cells that nothing fills take neither time nor memory."""
    inside = micro.indicator
    product = sparse.csr_matrix(inside.T @ sparse.diags_array(weights) @ inside)
    product.eliminate_zeros()
    product.sort_indices()
    return product
