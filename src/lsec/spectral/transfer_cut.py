"""Transfer cut (equation 5): the spectral embedding of a bipartite graph from its small side.

The leading eigenvectors come from a filtered subspace where the matrix is sparse and they are few,
else from LAPACK.

References
----------
.. [1] Li, Z., Wu, X.-M., Chang, S.-F. "Segmentation using superpixels: A bipartite graph
   partitioning approach", CVPR, 2012.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from scipy import sparse

from lsec.spectral.filtered_subspace import MakeProducts, Products, settled_eigenpairs
from lsec.spectral.gram import SparseGram
from lsec.typing import AnyArray, Float32, Float64, Int64

ROUTINES = {np.dtype(np.float64): "dsyevr", np.dtype(np.float32): "ssyevr"}
WORK_PER_ROW = 64  # more than the 26 that LAPACK requires: room for blocked updates
INTEGERS_PER_ROW = 10
ARGUMENTS = 21


@dataclass(frozen=True)
class TransferCut:
    """Leading eigenvectors of the small side.

    A row of the large side with weights w has the embedding w @ vectors, up to its length.
    """

    vectors: Float64  # (q, c), descending with the eigenvalue, the trivial one first
    eigenvalues: Float64  # (c,), in [0, 1], descending
    block: Float32 | None = None  # (q, b), starts the search for those of a similar graph


def transfer_cut(
    affinity: Float64 | sparse.csr_matrix, n_components: int, precision: type = np.float64
) -> TransferCut:
    """Embed the small side of a bipartite graph in at most q dimensions.

    The affinity (q, q), dense or sparse, is B' D^-1 B (symmetric), with B the cross-affinity and D
    its row sums. A column of B without any weight gets a zero vector. `precision` is that of the
    eigenvectors of a dense affinity.
    """
    inverse_root = _inverse_root(np.asarray(affinity.sum(axis=1)).ravel())
    if sparse.issparse(affinity):
        scaled = sparse.diags_array(inverse_root) @ affinity @ sparse.diags_array(inverse_root)
        pairs = leading_eigenpairs_sparse((scaled + scaled.T) / 2, n_components)
    else:
        scaled = affinity * inverse_root[:, None] * inverse_root
        scaled = ((scaled + scaled.T) / 2).astype(precision, copy=False)
        pairs = leading_eigenpairs(scaled, n_components)
    return _cut(*pairs, inverse_root)


@dataclass(frozen=True)
class GraphOfCells:
    """A graph whose affinity is mostly zeros, scaled for the transfer cut."""

    columns: tuple[Int64, Int64]  # of the cells of one triangle, int64 (e,) each
    values: AnyArray  # (e,), of the scaled affinity, in the precision of the eigenvectors
    inverse_root: Float64  # (q,), of the degrees
    matrix: sparse.csr_array | None  # (q, q), the whole; None for eigenvectors in float64

    @classmethod
    def of(cls, gram: SparseGram, dtype: type) -> GraphOfCells:
        """The graph of a Gram matrix; `dtype` is the precision of the eigenvectors.

        float32 mixes eigenvectors whose eigenvalues agree to about 1e-4, which matters only at the
        end of the list: embeddings may be rotated.
        """
        row, column = gram.columns
        sums = gram.sums.astype(np.float64)
        inverse_root = _inverse_root(gram.degree)
        left, right = inverse_root[row], inverse_root[column]
        values: AnyArray = ((sums * left * right + sums * right * left) / 2).astype(dtype)
        single = dtype is np.float32
        matrix = _symmetric(row, column, values, len(inverse_root)) if single else None
        return cls((row, column), values, inverse_root, matrix)

    def cut(
        self,
        n_components: int,
        start: Float32 | None = None,
        products_of: MakeProducts = Products.of,
    ) -> TransferCut:
        """As `transfer_cut`; `start` is the `block` of the cut of a similar graph."""
        if self.matrix is not None:
            found = settled_eigenpairs(self.matrix, n_components, start, products_of)
            if found is not None:
                pairs, block = (found[0][:n_components], found[1][:, :n_components]), found[1]
                return replace(_cut(*pairs, self.inverse_root), block=block)
        q = len(self.inverse_root)
        dense: AnyArray = np.zeros((q, q), self.values.dtype)
        dense[self.columns] = self.values
        return _cut(*leading_eigenpairs(dense, n_components), self.inverse_root)


def unit_rows(rows: AnyArray) -> Float32:
    """Rows (n, c) divided by their length, float32; zero rows stay zero."""
    length = np.sqrt(np.square(rows).sum(axis=1, keepdims=True))
    unit: Float32 = (rows / np.maximum(length, 1e-300)).astype(np.float32)
    return unit


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
    eigenvalues = np.clip(values.astype(np.float64), 0.0, 1.0)
    return TransferCut(vectors * inverse_root[:, None], eigenvalues)


# LAPACK, for all other matrices
#
# SciPy's `eigh` holds the interpreter lock while LAPACK works, so that members would wait for each
# other; the same routine (?syevr, from the LAPACK that SciPy ships) is called through ctypes,
# which releases it.


@cache
def _routine(name: str) -> Callable[..., None]:
    """The LAPACK routine of SciPy with that name."""
    from numba.extending import get_cython_function_address

    address = get_cython_function_address("scipy.linalg.cython_lapack", name)
    return ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * ARGUMENTS)(address)


def leading_eigenpairs(matrix: AnyArray, n_pairs: int) -> tuple[AnyArray, AnyArray]:
    """Largest eigenvalues (n_pairs,), descending, and their eigenvectors (q, n_pairs).

    The matrix (q, q) is symmetric and finite; it is overwritten. Only its upper triangle is read.
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
