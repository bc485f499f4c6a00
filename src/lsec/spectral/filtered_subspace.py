"""Leading eigenvectors of a sparse matrix whose eigenvalues lie between 0 and 1.

A block of vectors, a few more than wanted, is multiplied by a Chebyshev polynomial of the matrix
that is small on [0, cut] and grows steeply above, and then replaced by the best approximations
in its span (Rayleigh-Ritz). This is repeated with the cut moved up to the smallest eigenvalue of
the block, until the wanted eigenpairs have converged. All work is in products of the sparse
matrix with the block, and in products of blocks.

A block finds eigenvalues that are equal or nearly so, as is common for well-separated clusters;
a Krylov space of one vector may miss some of them.

References
----------
.. [1] Zhou, Y., Saad, Y., Tiago, M. L., Chelikowsky, J. R. "Self-consistent-field calculations
   using Chebyshev-filtered subspace iteration", Journal of Computational Physics 219(1), 2006.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from lsec.kernels.products import filter_step
from lsec.typing import Float32, Int32

GUARDS = 8  # additional vectors, at least
LANES = 8  # float32 numbers of a vector register: blocks are whole numbers of these wide
FIRST_CUT, FIRST_DEGREE = 0.5, 10
LEAST_CUT = 0.05
LEAST_DEGREE, MOST_DEGREE = 3, 40
BELOW = 0.999  # of the last wanted eigenvalue: a cut at it would damp its eigenvector
SLOWEST = 1e-3  # smallest difference of growth rates that matters
DEPENDENT = 1e-4  # relative size of the part of a column independent of those before it
TINY = 1e-300
MOST_ROUNDS = 8
MOST_SHARE = 0.25  # of all eigenvectors: beyond, a dense solver does less work
TOLERANCE = 1e-5
MARGIN = 10.0  # aim below the tolerance: another round costs more than another degree

Entries = tuple[Int32, Int32, Float32]  # of `filter_step`: starts, columns, values


def settled_eigenpairs(matrix: sparse.csr_array, n_pairs: int) -> tuple[Float32, Float32] | None:
    """Largest eigenvalues, descending, and an orthonormal basis of their eigenvectors.

    Always starts from the same block, so that the result is repeatable.

    Parameters
    ----------
    matrix : float32 (q, q)
        Symmetric, with eigenvalues from 0 to 1 but for rounding.
    n_pairs : int

    Returns
    -------
    values : float32 (n_pairs,)
    vectors : float32 (q, n_pairs)
        With residuals of at most 1e-5.

    None if they have not converged, if there are too many for a block, or if the matrix has
    eigenvalues far below zero.
    """
    q = matrix.shape[0]
    width = -(-(n_pairs + GUARDS) // LANES) * LANES
    if width > MOST_SHARE * q:
        return None
    entries = matrix.indptr.astype(np.int32), matrix.indices.astype(np.int32), matrix.data
    block = np.random.default_rng(0).standard_normal((q, width), np.float32)
    cut, degree = FIRST_CUT, FIRST_DEGREE
    for _ in range(MOST_ROUNDS):
        values, block, residual = _best_of(entries, _filtered(entries, block, cut, degree), n_pairs)
        if values[-1] < -LEAST_CUT:  # filters grow there, too
            return None
        if residual <= TOLERANCE:
            return values[:n_pairs], block[:, :n_pairs]
        cut, degree = _next_filter(values, n_pairs, residual)
    return None


def _filtered(entries: Entries, block: Float32, cut: float, degree: int) -> Float32:
    """The block, which is overwritten, times the Chebyshev polynomial of [0, cut].

    The polynomial is divided by its value at 1, step by step, so that nothing overflows.
    """
    half = cut / 2
    ratio = first = half / (1 - half)
    before, filtered, spare = block, np.empty_like(block), np.empty_like(block)
    _step(entries, block, block, half, ratio / half, 0.0, filtered)
    for _ in range(degree - 1):
        following = 1 / (2 / first - ratio)
        _step(entries, filtered, before, half, 2 * following / half, ratio * following, spare)
        before, filtered, spare = filtered, spare, before
        ratio = following
    return filtered


def _step(
    entries: Entries,
    block: Float32,
    before: Float32,
    shift: float,
    scale: float,
    fade: float,
    out: Float32,
) -> None:
    real = block.dtype.type
    filter_step(*entries, block, before, real(shift), real(scale), real(fade), out)


def _best_of(entries: Entries, block: Float32, n_pairs: int) -> tuple[Float32, Float32, float]:
    """Best approximations of eigenpairs in the span of a block, and the largest residual."""
    basis = _orthonormal(block)
    image = np.empty_like(basis)
    _step(entries, basis, basis, 0.0, 1.0, 0.0, image)
    values, turn = np.linalg.eigh(basis.T @ image)
    values, turn = values[::-1], np.ascontiguousarray(turn[:, ::-1])
    vectors = basis @ turn
    off = image @ turn[:, :n_pairs] - vectors[:, :n_pairs] * values[:n_pairs]
    return values, vectors, float(np.sqrt(np.square(off).sum(axis=0).max()))


def _orthonormal(block: Float32) -> Float32:
    """An orthonormal basis of the span of the columns of a block.

    By a Cholesky factor of their products, which is three times as fast as reflections, and as
    accurate unless columns are nearly dependent.
    """
    columns = block.astype(np.float64)
    columns /= np.maximum(np.sqrt(np.square(columns).sum(axis=0)), TINY)
    try:
        factor = np.linalg.cholesky(columns.T @ columns)
    except np.linalg.LinAlgError:
        factor = np.zeros((1, 1))
    if factor.diagonal().min() >= DEPENDENT:
        return (columns @ np.linalg.inv(factor).T).astype(block.dtype)
    return np.ascontiguousarray(np.linalg.qr(block)[0])


def _next_filter(values: Float32, n_pairs: int, residual: float) -> tuple[float, int]:
    """Cut and degree of a filter after which the wanted vectors should have converged.

    The last of them grows by exp(rate) with every degree, the first by exp(fastest). The rounding
    error along the first must not outgrow the others.
    """
    last = float(np.clip(values[n_pairs - 1], 2 * LEAST_CUT, 1))
    cut = float(np.clip(values[-1], LEAST_CUT, BELOW * last))
    rate, fastest = np.arccosh(2 * np.array([last, 1.0]) / cut - 1)
    wanted = np.log(MARGIN * residual / TOLERANCE) / rate
    stable = -np.log(np.finfo(values.dtype).eps) / max(fastest - rate, SLOWEST)
    return cut, int(np.clip(min(wanted, stable), LEAST_DEGREE, MOST_DEGREE))
