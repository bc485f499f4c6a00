"""Transfer cut: the spectral embedding of a bipartite graph from its small side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from lsec.spectral.eigen import leading_eigenpairs, leading_eigenpairs_sparse
from lsec.spectral.filtered_subspace import settled_eigenpairs


@dataclass(frozen=True)
class TransferCut:
    """Leading eigenvectors of the small side.

    Attributes
    ----------
    vectors : float64 (q, c)
        A row of the large side with weights w has the embedding w @ vectors, up
        to its length. Columns descend with the eigenvalue, the trivial one first.
    eigenvalues : float64 (c,)
        In [0, 1], descending.
    """

    vectors: np.ndarray
    eigenvalues: np.ndarray


def transfer_cut(affinity: np.ndarray | sparse.csr_matrix, n_components: int) -> TransferCut:
    """Embed the small side of a bipartite graph.

    Parameters
    ----------
    affinity : float64 (q, q), dense or sparse
        B' D^-1 B, with B the cross-affinity and D its row sums. Symmetric.
    n_components : int
        At most q. A column of B without any weight gets a zero vector.
    """
    inverse_root = _inverse_root(np.asarray(affinity.sum(axis=1)).ravel())
    if sparse.issparse(affinity):
        scaled = sparse.diags_array(inverse_root) @ affinity @ sparse.diags_array(inverse_root)
        pairs = leading_eigenpairs_sparse((scaled + scaled.T) / 2, n_components)
    else:
        scaled = affinity * inverse_root[:, None] * inverse_root
        pairs = leading_eigenpairs((scaled + scaled.T) / 2, n_components)
    return _cut(*pairs, inverse_root)


def transfer_cut_of_cells(
    cells: np.ndarray, sums: np.ndarray, q: int, n_components: int, dtype: type
) -> TransferCut:
    """As `transfer_cut`, of a matrix that is mostly zeros.

    Parameters
    ----------
    cells : int64 (e,)
        Cells of one triangle: the affinity of columns a <= b is cell b (b + 1) / 2 + a.
    sums : float64 or int64 (e,)
        Their affinities, in any unit; all other cells are zero.
    q : int
        Side of the matrix.
    n_components : int
    dtype : type
        Precision in which eigenvectors are sought. float32 mixes eigenvectors whose
        eigenvalues agree to about 1e-5, which matters only at the end of the list: an
        embedding may be turned.
    """
    column = ((np.sqrt(8.0 * cells + 1) - 1) / 2).astype(np.int64)  # exact: roots of squares are
    row = cells - column * (column + 1) // 2
    values = sums.astype(np.float64)
    beyond = np.where(row == column, 0.0, values)
    inverse_root = _inverse_root(np.bincount(row, values, q) + np.bincount(column, beyond, q))
    left, right = inverse_root[row], inverse_root[column]
    scaled = ((values * left * right + values * right * left) / 2).astype(dtype)
    pairs = None
    if dtype is np.float32:
        pairs = settled_eigenpairs(_symmetric(row, column, scaled, q), n_components)
    if pairs is None:
        dense: np.ndarray = np.zeros((q, q), dtype)
        dense[row, column] = scaled
        pairs = leading_eigenpairs(dense, n_components)
    return _cut(*pairs, inverse_root)


def _symmetric(row: np.ndarray, column: np.ndarray, values: np.ndarray, q: int) -> sparse.csr_array:
    """The whole matrix (q, q) of the cells of one triangle."""
    filled, beyond = values != 0, (values != 0) & (row != column)
    rows = np.concatenate([row[filled], column[beyond]])
    columns = np.concatenate([column[filled], row[beyond]])
    both = np.concatenate([values[filled], values[beyond]])
    return sparse.coo_array((both, (rows, columns)), shape=(q, q)).tocsr()


def _inverse_root(degree: np.ndarray) -> np.ndarray:
    """One over the root of the degrees (q,); zero for what is not connected."""
    connected = degree > 0
    return np.where(connected, 1.0 / np.sqrt(np.where(connected, degree, 1.0)), 0.0)


def _cut(values: np.ndarray, vectors: np.ndarray, inverse_root: np.ndarray) -> TransferCut:
    return TransferCut(
        vectors * inverse_root[:, None], np.clip(values.astype(np.float64), 0.0, 1.0)
    )
