"""Transfer cut (equation 5): the spectral embedding of a bipartite graph from its small side.

The leading eigenvectors come from a filtered subspace where the matrix is sparse and they are
few, else from LAPACK. SciPy's `eigh` holds the interpreter lock while LAPACK works, so that
members would wait for each other; the same routine (?syevr, from the LAPACK that SciPy ships)
is called through ctypes, which releases it.

References
----------
.. [1] Li, Z., Wu, X.-M., Chang, S.-F. "Segmentation using superpixels: A bipartite graph
   partitioning approach", CVPR, 2012.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy import sparse

from lsec.spectral.filtered_subspace import settled_eigenpairs
from lsec.typing import AnyArray, Float64, Int64

ROUTINES = {np.dtype(np.float64): "dsyevr", np.dtype(np.float32): "ssyevr"}
WORK_PER_ROW = 64  # more than the 26 that LAPACK requires: room for blocked updates
INTEGERS_PER_ROW = 10
ARGUMENTS = 21


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

    vectors: Float64
    eigenvalues: Float64


def transfer_cut(affinity: Float64 | sparse.csr_matrix, n_components: int) -> TransferCut:
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
    cells: Int64, sums: AnyArray, q: int, n_components: int, dtype: type
) -> TransferCut:
    """Embed the small side of a bipartite graph whose matrix is mostly zeros.

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
        Precision of the eigenvectors. float32 mixes eigenvectors whose eigenvalues agree to
        about 1e-5, which matters only at the end of the list: embeddings may be rotated.
    """
    column = ((np.sqrt(8.0 * cells + 1) - 1) / 2).astype(np.int64)  # exact: roots of squares are
    row = cells - column * (column + 1) // 2
    values = sums.astype(np.float64)
    beyond = np.where(row == column, 0.0, values)
    degree: AnyArray = np.bincount(row, values, q) + np.bincount(column, beyond, q)
    inverse_root = _inverse_root(degree)
    left, right = inverse_root[row], inverse_root[column]
    scaled = ((values * left * right + values * right * left) / 2).astype(dtype)
    pairs = None
    if dtype is np.float32:
        pairs = settled_eigenpairs(_symmetric(row, column, scaled, q), n_components)
    if pairs is None:
        dense: AnyArray = np.zeros((q, q), dtype)
        dense[row, column] = scaled
        pairs = leading_eigenpairs(dense, n_components)
    return _cut(*pairs, inverse_root)


def _symmetric(row: Int64, column: Int64, values: AnyArray, q: int) -> sparse.csr_array:
    """The whole matrix (q, q) of the cells of one triangle."""
    filled, beyond = values != 0, (values != 0) & (row != column)
    rows = np.concatenate([row[filled], column[beyond]])
    columns = np.concatenate([column[filled], row[beyond]])
    both = np.concatenate([values[filled], values[beyond]])
    return sparse.coo_array((both, (rows, columns)), shape=(q, q)).tocsr()


def _inverse_root(degree: Float64) -> Float64:
    """1 / sqrt(degree) (q,); zero for columns without any weight."""
    connected = degree > 0
    return np.where(connected, 1.0 / np.sqrt(np.where(connected, degree, 1.0)), 0.0)


def _cut(values: AnyArray, vectors: AnyArray, inverse_root: Float64) -> TransferCut:
    return TransferCut(
        vectors * inverse_root[:, None], np.clip(values.astype(np.float64), 0.0, 1.0)
    )


@cache
def _routine(name: str) -> Callable[..., None]:
    """The LAPACK routine of SciPy with that name."""
    from numba.extending import get_cython_function_address

    address = get_cython_function_address("scipy.linalg.cython_lapack", name)
    return ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * ARGUMENTS)(address)


def leading_eigenpairs(matrix: AnyArray, n_pairs: int) -> tuple[AnyArray, AnyArray]:
    """Largest eigenvalues, descending, and their eigenvectors.

    Parameters
    ----------
    matrix : float64 or float32 (q, q)
        Symmetric, finite; overwritten. Only the upper triangle is read.
    n_pairs : int
        At most q.

    Returns
    -------
    values : (n_pairs,)
    vectors : (q, n_pairs)
    """
    size, dtype = len(matrix), matrix.dtype
    kept = matrix.copy()
    values = np.empty(size, dtype)
    vectors: AnyArray = np.empty((size, n_pairs), dtype, order="F")
    support = np.empty(2 * size, np.intc)
    work = np.empty(WORK_PER_ROW * size + 64, dtype)
    integers = np.empty(INTEGERS_PER_ROW * size + 64, np.intc)
    unused = np.zeros(1, dtype)
    found, info = np.zeros(1, np.intc), np.zeros(1, np.intc)

    def word(letter: bytes) -> AnyArray:
        return np.frombuffer(letter, np.uint8)

    def whole(number: int) -> AnyArray:
        return np.array([number], np.intc)

    arguments = [
        word(b"V"), word(b"I"), word(b"L"), whole(size), matrix, whole(size), unused, unused,
        whole(size - n_pairs + 1), whole(size), unused, found, values, vectors, whole(size),
        support, work, whole(len(work)), integers, whole(len(integers)), info,
    ]  # fmt: skip
    _routine(ROUTINES[dtype])(*[array.ctypes.data for array in arguments])
    if info[0] != 0 or found[0] != n_pairs:
        return _all_eigenpairs(kept, n_pairs)
    return values[:n_pairs][::-1], vectors[:, ::-1]


def _all_eigenpairs(matrix: AnyArray, n_pairs: int) -> tuple[AnyArray, AnyArray]:
    """As `leading_eigenpairs`, by computing all pairs.

    If many eigenvalues are equal, LAPACK may fail to find some of them alone.
    """
    values, vectors = np.linalg.eigh(matrix.astype(np.float64), "U")
    some = slice(-1, -n_pairs - 1, -1)
    return values[some].astype(matrix.dtype), vectors[:, some].astype(matrix.dtype)


def leading_eigenpairs_sparse(matrix: sparse.csr_matrix, n_pairs: int) -> tuple[AnyArray, AnyArray]:
    """As `leading_eigenpairs`, for a sparse matrix too large for a dense solver.

    Always starts from the same vector: the result is repeatable.
    """
    size = matrix.shape[0]
    if n_pairs > size // 2:  # Lanczos needs more vectors than it returns
        return leading_eigenpairs(matrix.toarray(), n_pairs)
    start = np.random.default_rng(0).normal(size=size)
    values, vectors = sparse.linalg.eigsh(matrix, n_pairs, which="LA", v0=start)
    order = np.argsort(-values, kind="stable")
    return values[order], vectors[:, order]
