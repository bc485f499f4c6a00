"""A filtered subspace: a few leading eigenvectors of a large sparse matrix.

A block of vectors, a few more than wanted, is multiplied by a Chebyshev polynomial of the matrix
that is small on [0, cut] and grows steeply above, and then replaced by the best approximations in
its span (Rayleigh-Ritz). This is repeated with the cut moved up to the smallest eigenvalue of the
block, until the wanted eigenpairs have converged [1]_. A block finds eigenvalues that are equal or
nearly so, as is common for well-separated clusters; a Krylov space of one vector may miss some.

References
----------
.. [1] Zhou, Y., Saad, Y., Tiago, M. L., Chelikowsky, J. R. "Self-consistent-field calculations
   using Chebyshev-filtered subspace iteration", Journal of Computational Physics 219(1), 2006.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
from scipy import sparse

from lsec.kernels.filter import filter_step
from lsec.rows.rows import Spread
from lsec.typing import Float32, Int32

if TYPE_CHECKING:
    from lsec.kernels.cuda.device import Device

GUARDS, PAIRS_PER_GUARD = 8, 4  # additional vectors: at least, and one for so many wanted ones
FRESH = 8  # random vectors of a block if the others are given
LANES = 8  # float32 numbers of a vector register: blocks are whole numbers of these wide
FIRST_CUT, FIRST_DEGREE = 0.5, 10
LEAST_CUT = 0.05
LEAST_DEGREE, MOST_DEGREE = 3, 40
BELOW = 0.999  # of the last wanted eigenvalue: a cut at it would damp its eigenvector
SLOWEST = 1e-3  # smallest difference of growth rates that matters
DEPENDENT = 1e-4  # relative size of the part of a column independent of those before it
TINY = 1e-300
MOST_ROUNDS = 40  # cheaper than a dense solver, which takes the cube of the landmarks
MOST_SHARE = 0.25  # of all eigenvectors: beyond, a dense solver does less work
MOST_TASKS = 16
TOLERANCE = 1e-4
MARGIN = 10.0  # aim below the tolerance: another round costs more than another degree
TASK_WORK = 2**22  # products of a task
PART_NUMBERS = 2**16  # of a block, in products of blocks with each other

Step: TypeAlias = tuple[float, float, float]
"""Shift, scale and fade of `filter_step`."""
TIMES: Step = 0.0, 1.0, 0.0  # the product itself


class BlockProducts(Protocol):
    """Products of a sparse matrix with blocks of vectors."""

    def apply(self, block: Float32, steps: Sequence[Step]) -> Float32:
        """The last of the blocks that steps make; see `Products.apply`."""


MakeProducts: TypeAlias = Callable[[sparse.csr_array], BlockProducts]


@dataclass(frozen=True)
class Products:
    """Products of a sparse matrix with blocks of vectors; its rows are tasks of a pool."""

    starts: Int32  # (q + 1,), entries of row i at starts[i] to starts[i + 1]
    columns: Int32  # (e,)
    values: Float32  # (e,)
    spread: Spread = map

    @classmethod
    def of(cls, matrix: sparse.csr_array, spread: Spread = map) -> Products:
        """Products with a matrix (q, q); `spread` may be the `map` of a pool of threads."""
        places = matrix.indptr.astype(np.int32), matrix.indices.astype(np.int32)
        return cls(*places, matrix.data, spread)

    def apply(self, block: Float32, steps: Sequence[Step]) -> Float32:
        """The last of the blocks (q, b) that steps make, each from the two before it.

        The first step has the given block for both; it is overwritten if there are several.
        """
        found: Float32 = take_steps(block, steps, self._fill, np.empty_like)
        return found

    def _fill(self, block: Float32, before: Float32, step: Step, out: Float32) -> None:
        """`filter_step` with its shift, scale and fade in the type of the block."""
        entries, factors = (self.starts, self.columns, self.values), np.array(step, block.dtype)
        n_tasks = min(MOST_TASKS, 1 + len(self.values) * block.shape[1] // TASK_WORK)
        borders = np.linspace(0, len(block), n_tasks + 1).astype(np.int64)

        def fill(rows: tuple[int, int]) -> None:
            filter_step(*entries, *rows, block, before, *factors, out)

        list(self.spread(fill, pairwise(borders)))

    def on_device(self, device: Device) -> BlockProducts:
        """The same on a device."""
        from lsec.spectral.on_device import DeviceProducts

        return DeviceProducts(self, device)


def take_steps(
    block: Any,
    steps: Sequence[Step],
    fill: Callable[[Any, Any, Step, Any], None],
    empty_like: Callable[[Any], Any],
) -> Any:
    """The last of the blocks that steps make: `fill` makes one from the two before it."""
    before, current, spare = block, block, empty_like(block)
    for number, step in enumerate(steps):
        fill(current, before, step, spare)
        unused = before if number else empty_like(block)
        before, current, spare = current, spare, unused
    return current


def settled_eigenpairs(
    matrix: sparse.csr_array,
    n_pairs: int,
    start: Float32 | None = None,
    products_of: MakeProducts = Products.of,
) -> tuple[Float32, Float32] | None:
    """Largest eigenvalues (b,), descending, and an orthonormal basis (q, b) of their eigenvectors.

    A whole block, b > n_pairs, of which the first `n_pairs` have residuals of at most 1e-4. None if
    they have not converged, if there are too many for a block, or if the matrix has eigenvalues
    far below zero. The matrix (q, q) is symmetric, with eigenvalues from 0 to 1 but for rounding.

    `start` (q, any) are vectors near the wanted ones, the leading ones first. Some random vectors
    take part, too, so that eigenvectors orthogonal to all of `start` are found. Without it, the
    first block is always the same, so that the result is repeatable.
    """
    q, width = matrix.shape[0], _whole_lanes(n_pairs + max(GUARDS, n_pairs // PAIRS_PER_GUARD))
    if width > MOST_SHARE * q:
        return None
    products = products_of(matrix)
    rng = np.random.default_rng(0)
    n_given = 0 if start is None else start.shape[1]
    n_fresh = max(width, _whole_lanes(n_given)) - n_given
    block = rng.standard_normal((q, n_fresh), np.float32)
    cut, degree = FIRST_CUT, FIRST_DEGREE
    if start is not None:
        block = np.concatenate([start, block], axis=1)
        values, found, residual = _best_of(products, block, n_pairs)
        cut, degree = _next_filter(values[: width - FRESH], n_pairs, residual)
        fresh = rng.standard_normal((q, FRESH), np.float32)
        block = np.concatenate([found[:, : width - FRESH], fresh], axis=1)
    for _ in range(MOST_ROUNDS):
        block = products.apply(block, _filter_steps(cut, degree))
        values, block, residual = _best_of(products, block, n_pairs)
        if values[-1] < -LEAST_CUT:  # filters grow there, too
            return None
        if residual <= TOLERANCE:
            return values, block
        cut, degree = _next_filter(values, n_pairs, residual)
    return None


def _whole_lanes(n_vectors: int) -> int:
    """The smallest width of a block that has room for some vectors."""
    return -(-n_vectors // LANES) * LANES


def _filter_steps(cut: float, degree: int) -> list[Step]:
    """Steps that multiply a block by the Chebyshev polynomial of [0, cut].

    The polynomial is divided by its value at 1, step by step, so that nothing overflows.
    """
    half = cut / 2
    ratio = first = half / (1 - half)
    steps = [(half, ratio / half, 0.0)]
    for _ in range(degree - 1):
        following = 1 / (2 / first - ratio)
        steps.append((half, 2 * following / half, ratio * following))
        ratio = following
    return steps


def _best_of(
    products: BlockProducts, block: Float32, n_pairs: int
) -> tuple[Float32, Float32, float]:
    """Best approximations of eigenpairs in the span of a block, and the largest residual."""
    basis = _orthonormal(block)
    image, vectors = products.apply(basis, [TIMES]), np.empty_like(basis)
    parts = _parts(block)
    product = sum(basis[part].T @ image[part] for part in parts)
    values, turn = np.linalg.eigh(product)
    values, turn = values[::-1], np.ascontiguousarray(turn[:, ::-1])
    squares, wanted = np.zeros(n_pairs), slice(n_pairs)
    for part in parts:
        vectors[part] = basis[part] @ turn
        off = image[part] @ turn[:, wanted] - vectors[part, wanted] * values[wanted]
        squares += np.square(off).sum(axis=0)
    return values, vectors, float(np.sqrt(squares.max()))


def _orthonormal(block: Float32) -> Float32:
    """An orthonormal basis of the span of the columns of a block.

    By a Cholesky factor of their products, which is three times as fast as reflections, and as
    accurate unless columns are nearly dependent.
    """
    parts, width = _parts(block), block.shape[1]
    product = np.zeros((width, width))
    for part in parts:
        columns = block[part].astype(np.float64)
        product += columns.T @ columns
    length = np.maximum(np.sqrt(product.diagonal()), TINY)
    try:
        factor = np.linalg.cholesky(product / length / length[:, None])
    except np.linalg.LinAlgError:
        factor = np.zeros((1, 1))
    if factor.diagonal().min() < DEPENDENT:
        return np.ascontiguousarray(np.linalg.qr(block)[0])
    turn, basis = np.linalg.inv(factor).T / length[:, None], np.empty_like(block)
    for part in parts:
        basis[part] = block[part].astype(np.float64) @ turn
    return basis


def _parts(block: Float32) -> list[slice]:
    """Runs of rows of a block that the cache has room for."""
    step = max(1, PART_NUMBERS // block.shape[1])
    return [slice(low, low + step) for low in range(0, len(block), step)]


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
