"""Leading eigenvectors of a small symmetric matrix, several matrices side by side.

SciPy's `eigh` holds the interpreter lock while LAPACK works, so that members
would queue up behind each other. Calling the same routine (?syevr, from the
LAPACK that SciPy ships) through ctypes releases it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache

import numpy as np
from scipy import sparse

ROUTINES = {np.dtype(np.float64): "dsyevr", np.dtype(np.float32): "ssyevr"}
WORK_PER_ROW = 64  # above the 26 that LAPACK demands: room for blocked updates
INTEGERS_PER_ROW = 10
ARGUMENTS = 21


@cache
def _routine(name: str) -> Callable[..., None]:
    """The LAPACK routine of SciPy with that name."""
    from numba.extending import get_cython_function_address

    address = get_cython_function_address("scipy.linalg.cython_lapack", name)
    return ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * ARGUMENTS)(address)


def leading_eigenpairs(matrix: np.ndarray, n_pairs: int) -> tuple[np.ndarray, np.ndarray]:
    """Largest eigenvalues, descending, and their eigenvectors.

    Parameters
    ----------
    matrix : float64 or float32 (q, q)
        Symmetric, finite; overwritten. Only what is on and above the diagonal is read.
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
    vectors: np.ndarray = np.empty((size, n_pairs), dtype, order="F")
    support = np.empty(2 * size, np.intc)
    work = np.empty(WORK_PER_ROW * size + 64, dtype)
    integers = np.empty(INTEGERS_PER_ROW * size + 64, np.intc)
    unused = np.zeros(1, dtype)
    found, info = np.zeros(1, np.intc), np.zeros(1, np.intc)

    def word(letter: bytes) -> np.ndarray:
        return np.frombuffer(letter, np.uint8)

    def whole(number: int) -> np.ndarray:
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


def _all_eigenpairs(matrix: np.ndarray, n_pairs: int) -> tuple[np.ndarray, np.ndarray]:
    """As `leading_eigenpairs`, by way of all pairs.

    Where many eigenvalues are equal, LAPACK may give up on some of those asked for.
    """
    values, vectors = np.linalg.eigh(matrix.astype(np.float64), "U")
    some = slice(-1, -n_pairs - 1, -1)
    return values[some].astype(matrix.dtype), vectors[:, some].astype(matrix.dtype)


def leading_eigenpairs_sparse(
    matrix: sparse.csr_matrix, n_pairs: int
) -> tuple[np.ndarray, np.ndarray]:
    """As `leading_eigenpairs`, for a sparse matrix too large for a dense solver.

    Always starts from the same vector, so that the result is repeatable.
    """
    size = matrix.shape[0]
    if n_pairs > size // 2:  # Lanczos needs room beside the vectors it is asked for
        return leading_eigenpairs(matrix.toarray(), n_pairs)
    start = np.random.default_rng(0).normal(size=size)
    values, vectors = sparse.linalg.eigsh(matrix, n_pairs, which="LA", v0=start)
    order = np.argsort(-values, kind="stable")
    return values[order], vectors[:, order]
