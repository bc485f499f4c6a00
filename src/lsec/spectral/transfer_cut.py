"""Transfer cut (equation 5): the spectral embedding of a bipartite graph from its small side.

The leading eigenvectors come from a filtered subspace (Chebyshev [2]_) where the matrix is sparse
and they are few, else from LAPACK.

References
----------
.. [1] Li, Z., Wu, X.-M., Chang, S.-F. "Segmentation using superpixels: A bipartite graph
   partitioning approach", CVPR, 2012.
.. [2] Zhou, Y., Saad, Y., Tiago, M. L., Chelikowsky, J. R. "Self-consistent-field calculations
   using Chebyshev-filtered subspace iteration", Journal of Computational Physics 219(1), 2006.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
from scipy import sparse

from lsec.kernels.filter import filter_step
from lsec.rows.rows import Spread
from lsec.spectral.gram import SparseGram
from lsec.typing import AnyArray, Float32, Float64, Int32, Int64

if TYPE_CHECKING:
    from lsec.kernels.cuda.device import Device

ROUTINES = {np.dtype(np.float64): "dsyevr", np.dtype(np.float32): "ssyevr"}
WORK_PER_ROW = 64  # more than the 26 that LAPACK requires: room for blocked updates
INTEGERS_PER_ROW = 10
ARGUMENTS = 21

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


@dataclass(frozen=True)
class TransferCut:
    """Leading eigenvectors of the small side.

    A row of the large side with weights w has the embedding w @ vectors, up to its length.
    """

    vectors: Float64  # (q, c), descending with the eigenvalue, the trivial one first
    eigenvalues: Float64  # (c,), in [0, 1], descending
    block: Float32 | None = None  # (q, b), starts the search for those of a similar graph


def transfer_cut(affinity: Float64 | sparse.csr_matrix, n_components: int) -> TransferCut:
    """Embed the small side of a bipartite graph in at most q dimensions.

    The affinity (q, q), dense or sparse, is B' D^-1 B (symmetric), with B the cross-affinity and D
    its row sums. A column of B without any weight gets a zero vector.
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
    gram: SparseGram,
    n_components: int,
    dtype: type,
    start: Float32 | None = None,
    products_of: MakeProducts = Products.of,
) -> TransferCut:
    """As `transfer_cut`, for an affinity that is mostly zeros.

    `dtype` is the precision of the eigenvectors. float32 mixes eigenvectors whose eigenvalues
    agree to about 1e-4, which matters only at the end of the list: embeddings may be rotated.
    `start` is the `block` of the cut of a similar graph.
    """
    q, (row, column) = gram.n_landmarks, gram.columns
    values = gram.sums.astype(np.float64)
    inverse_root = _inverse_root(gram.degree)
    left, right = inverse_root[row], inverse_root[column]
    scaled: AnyArray = ((values * left * right + values * right * left) / 2).astype(dtype)
    if dtype is np.float32:
        matrix = _symmetric(row, column, scaled, q)
        found = settled_eigenpairs(matrix, n_components, start, products_of)
        if found is not None:
            pairs, block = (found[0][:n_components], found[1][:, :n_components]), found[1]
            return replace(_cut(*pairs, inverse_root), block=block)
    dense: AnyArray = np.zeros((q, q), dtype)
    dense[row, column] = scaled
    return _cut(*leading_eigenpairs(dense, n_components), inverse_root)


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


# A filtered subspace, for few eigenvectors of a sparse matrix
#
# A block of vectors, a few more than wanted, is multiplied by a Chebyshev polynomial of the matrix
# that is small on [0, cut] and grows steeply above, and then replaced by the best approximations
# in its span (Rayleigh-Ritz). This is repeated with the cut moved up to the smallest eigenvalue
# of the block, until the wanted eigenpairs have converged. A block finds eigenvalues that are
# equal or nearly so, as is common for well-separated clusters; a Krylov space of one vector may
# miss some of them.


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
    block = rng.standard_normal((q, max(width, _whole_lanes(n_given))), np.float32)
    cut, degree = FIRST_CUT, FIRST_DEGREE
    if start is not None:
        block[:, :n_given] = start
        values, found, residual = _best_of(products, block, n_pairs)
        cut, degree = _next_filter(values[: width - FRESH], n_pairs, residual)
        block = rng.standard_normal((q, width), np.float32)
        block[:, : width - FRESH] = found[:, : width - FRESH]
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
    image = products.apply(basis, [TIMES])
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
