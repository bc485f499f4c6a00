"""The working frame: rows centered, scaled by a power of two, projected, float32.

Distances between rows with many features lie mostly in few directions: the leading principal
directions of a sample. In these, true neighbors are found at a fraction of the cost, and clusters
do not get worse; `Projection` has the rule.

References
----------
.. [1] Halko, N., Martinsson, P.-G., Tropp, J. A. "Finding structure with randomness:
   Probabilistic algorithms for constructing approximate matrix decompositions", SIAM Review
   53(2), 2011.
.. [2] Marchenko, V. A., Pastur, L. A. "Distribution of eigenvalues for some sets of random
   matrices", Mathematics of the USSR-Sbornik 1(4), 1967.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace

import numpy as np
from scipy import linalg, sparse
from sklearn import config_context
from sklearn.preprocessing import normalize
from sklearn.utils.extmath import randomized_svd

from lsec.kernels.rows import project_rows
from lsec.rows.dense import MOST_COLUMNS, ColumnRows, DenseRows
from lsec.rows.rows import Rows, Spread
from lsec.rows.sparse import SparseRows
from lsec.typing import AnyArray, Float32, Float64, RawRows

STEP = 2**17  # values converted at once: the float64 copy stays small
MEDIAN_ROWS = 1024
LANES = 1024  # row length at which NumPy's reductions are fast
LEAST, MOST = 64, 128
DIRECTIONS_PER_CLUSTER = 2
KEPT_VARIANCE = 0.75
SAMPLE_ROWS, ROWS_PER_FEATURE = 10_000, 2  # whose directions are found, at most: the larger
LEAST_LEFT = 1e-6  # of the length of a row: what is shorter after projection is rounding error
MOST_DENSE_FEATURES = 1024  # beyond, all directions cost more than the leading ones by [1]_
COLUMNS_AT_ONCE = 96  # of a matrix of products
OVERSAMPLES = 16
MANY_BINARY, DOMINANT = 3, 0.5  # columns of two values, and their share of the variance
POWER_ITERATIONS = 4
MOST_SPREAD = 2.0**1000  # of the data: it and its inverse have room below the largest number
FARTHEST = 2.0**50  # in the working frame: squared distances are float32 numbers
TAKEN_FOR_ZERO = 1e-14  # lengths that scikit-learn takes for zero lie below


@dataclass(frozen=True)
class Projection:
    """Number of principal directions to project to.

    The smallest number that keeps three quarters of the variance of the sample, without directions
    as weak as the leading ones of noise that is the same everywhere [2]_, within bounds.
    """

    least: int
    most: int

    @classmethod
    def auto(cls, n_clusters: int) -> Projection:
        """64 to 128 directions, or up to two per cluster: centers of k clusters span k - 1."""
        return cls(LEAST, max(MOST, DIRECTIONS_PER_CLUSTER * n_clusters))

    def basis(
        self, sample: ColumnRows | DenseRows | SparseRows, spread: Spread = map
    ) -> Float32 | None:
        """Orthonormal directions float32 (d, q) of some rows in the frame, by descending variance.

        Rows with no more features than `least` keep them all; sparse ones, which are not centered,
        become dense.
        """
        d, is_sparse = sample.shape[1], isinstance(sample, SparseRows)
        if d <= self.least:
            return np.eye(d, dtype=np.float32) if is_sparse else None
        values = sample.matrix if isinstance(sample, SparseRows) else sample.points(slice(None))
        variances, directions, total = _leading_directions(values, min(self.most, d), spread)
        n_kept = int(np.searchsorted(np.cumsum(variances), KEPT_VARIANCE * total)) + 1
        n_kept = min(n_kept, _count_above_noise(variances, total, values.shape))
        q = int(np.clip(n_kept, self.least, directions.shape[1]))
        return np.ascontiguousarray(directions[:, :q], np.float32)


@dataclass(frozen=True)
class Frame:
    """Position and size of the data.

    float32 has seven digits. Subtracting the center (in float64) spends them on the spread of the
    data instead of their position; a power of two as the unit keeps squares of very large or very
    small values in range and rounds nothing. The center is a median, so that a few rows very far
    away cost the others no digits; it is taken off as a row of the data and then an offset, since
    far from the origin differences of rows are exact where a center would be rounded.

    A working value is ((value - anchor) - offset) * scale.

    Sparse rows that all have the same length, as those of TF-IDF, keep it when they are projected:
    their distances then follow from the angles between them, not from the part of each that the
    directions hold, which grows with the length of a document.
    """

    anchor: Float64  # (d,), a row of the data; zero for sparse rows, which stay sparse
    offset: Float64  # (d,), median of some rows, feature by feature, seen from the anchor
    scale: float  # a power of two
    basis: Float32 | None = None  # (d, q), directions that working values are projected to
    unit_rows: bool = False  # divide rows by their length first, for the cosine; zero rows stay
    from_sparse: bool = False  # made from sparse rows: dense ones become sparse, too
    keeps_lengths: bool = False  # projected sparse rows are as long as they were before

    @classmethod
    def of(
        cls,
        sample: RawRows,
        projection: Projection | None = None,
        spread: Spread = map,
        *,
        unit_rows: bool = False,
    ) -> Frame:
        """Frame of a sample of raw rows, dense (n, d) or CSR."""
        if unit_rows:
            return replace(cls.of(unit_length(sample), projection, spread), unit_rows=True)
        if sparse.issparse(sample):
            anchor = offset = np.zeros(sample.shape[1])
            largest = float(np.abs(sample.data).max(initial=0.0))
        else:
            anchor, offset, largest = _position(sample)
        if largest != 0 and not 1 / MOST_SPREAD < largest < MOST_SPREAD:
            size = f"{np.nan_to_num(largest, nan=np.inf):.0e}"
            raise ValueError(
                f"The values of X differ by {size}, which is not between 1e-300 and 1e300. "
                "Multiply X by a number that brings them into that range, or remove outliers."
            )
        exponent = np.frexp(largest)[1] if largest > 0 else 0
        scale = float(np.ldexp(1.0, -int(exponent)))
        frame = cls(anchor, offset, scale, from_sparse=sparse.issparse(sample))
        if projection is None:
            return frame
        # Directions of fewer rows than features fit the noise of these rows, and not of others.
        n_rows, d = sample.shape
        some = frame.rows(sample[:: -(-n_rows // max(SAMPLE_ROWS, ROWS_PER_FEATURE * d))])
        equal = isinstance(some, SparseRows) and some.of_equal_length
        return replace(frame, basis=projection.basis(some, spread), keeps_lengths=equal)

    @property
    def of_sparse(self) -> bool:
        """Whether zeros stay zeros."""
        return not self.anchor.any() and not self.offset.any()

    def dense_rows(self, raw: RawRows, spread: Spread = map) -> Rows:
        """As `rows`, for the search of landmarks, which sparse rows do not support."""
        rows = self.rows(raw, spread)
        if isinstance(rows, SparseRows):
            raise ValueError(
                "projection=None does not support sparse rows. Pass projection='auto' or a number "
                "of directions, to which rows are projected block by block."
            )
        return rows

    def rows(self, raw: RawRows, spread: Spread = map) -> ColumnRows | DenseRows | SparseRows:
        """Bring raw rows, dense (n, d) or CSR, into the frame.

        `spread` is the built-in `map`, or that of a pool of threads.
        """
        products = self.of_sparse and self.basis is not None  # of sparse rows with directions
        if self.from_sparse:
            raw = as_csr(raw)
        elif sparse.issparse(raw) and not products:
            raw = raw.toarray()
        if self.unit_rows:
            raw = unit_length(raw)
        if products:
            raw = as_csr(raw)
        if sparse.issparse(raw):
            scaled = raw.astype(np.float64) * self.scale
            np.clip(scaled.data, -FARTHEST, FARTHEST, out=scaled.data)
            if self.basis is None:
                return SparseRows(scaled)
            points = scaled @ self.basis.astype(np.float64)
            if self.keeps_lengths:
                points *= _stretch(scaled, points)[:, None]
            return rows_of(points.astype(np.float32))
        n, d = raw.shape
        width = d if self.basis is None else self.basis.shape[1]
        few = width <= MOST_COLUMNS
        working = np.empty((width, n) if few else (n, width), np.float32)
        step = max(1, STEP // d)

        def convert(low: int) -> None:
            out = working[:, low : low + step].T if few else working[low : low + step]
            with np.errstate(over="ignore"):  # of rows far beyond the sample
                part = np.subtract(raw[low : low + step], self.anchor, dtype=np.float64)
                part -= self.offset
                part *= self.scale
                if self.basis is None:
                    out[...] = part
                    np.clip(out, -FARTHEST, FARTHEST, out=out)
                    return
                part = part.astype(np.float32)
            np.clip(part, -FARTHEST, FARTHEST, out=part)
            out[...] = projected(part, self.basis)

        for _ in spread(convert, range(0, n, step)):
            pass
        return ColumnRows(working) if few else DenseRows(working)

    def original(self, points: Float32) -> Float64:
        """Bring working points (k, q) back to the units of the data (k, d)."""
        if self.basis is not None:
            points = points @ self.basis.T
        return points.astype(np.float64) / self.scale + self.offset + self.anchor


@np.errstate(over="ignore", invalid="ignore")  # what overflows is refused
def _position(sample: AnyArray) -> tuple[Float64, Float64, float]:
    """Anchor (d,) and offset (d,) of dense rows (n, d), and their largest distance in a feature."""
    anchor = sample[0].astype(np.float64)
    some = sample[:: -(-len(sample) // MEDIAN_ROWS)]
    offset = np.median(np.subtract(some, anchor, dtype=np.float64), axis=0)
    lowest, highest = extremes(sample)
    above = np.subtract(highest, anchor, dtype=np.float64) - offset
    below = np.subtract(lowest, anchor, dtype=np.float64) - offset
    return anchor, offset, float(np.maximum(above, -below).max())


def rows_of(points: Float32) -> ColumnRows | DenseRows:
    """Dense points (n, d), already in a frame, as rows of the kind that their width asks for."""
    if points.shape[1] <= MOST_COLUMNS:
        return ColumnRows(np.ascontiguousarray(points.T))
    return DenseRows(np.ascontiguousarray(points))


def as_csr(rows: RawRows) -> sparse.csr_matrix:
    """Rows as a CSR matrix of float32 or more."""
    return sparse.csr_matrix(rows, dtype=np.promote_types(rows.dtype, np.float32))


def unit_length(rows: RawRows) -> RawRows:
    """Rows, dense (n, d) or CSR, divided by their length, float64; rows of zeros stay."""
    rows = rows.astype(np.float64)
    is_sparse = sparse.issparse(rows)
    peaks = abs(rows).max(axis=1).toarray().ravel() if is_sparse else np.abs(rows).max(axis=1)
    tiny = (peaks > 0) & (peaks < TAKEN_FOR_ZERO)
    if tiny.any():
        power = np.where(tiny, -np.frexp(peaks)[1], 0)
        if is_sparse:
            rows.data = np.ldexp(rows.data, np.repeat(power, np.diff(rows.indptr)))
        else:
            rows = np.ldexp(rows, power[:, None])
    with config_context(assume_finite=True):  # its check adds up values and would overflow
        return normalize(normalize(rows, norm="max", copy=False), copy=False)


def _stretch(rows: sparse.csr_matrix, points: Float64) -> Float64:
    """Factors (n,) that give projected points (n, q) the lengths of sparse rows (n, d)."""
    before = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    after = np.linalg.norm(points, axis=1)
    stretch: Float64 = np.ones_like(before)
    np.divide(before, after, out=stretch, where=after > LEAST_LEFT * before)
    return stretch


def projected(rows: Float32, basis: Float32) -> Float32:
    """Rows (n, d) in the directions of a basis (d, q), float32 (n, q)."""
    out = np.empty((len(rows), basis.shape[1]), np.float32)
    project_rows(rows, basis, out)
    return out


def warn_of_islands(sample: RawRows) -> None:
    """Warn if columns of two values, such as one-hot codes, dominate the distances."""
    if sparse.issparse(sample) or sample.shape[1] > LEAST:
        return
    some = sample[:: -(-len(sample) // MEDIAN_ROWS)].astype(np.float64)
    lowest, highest = extremes(some)
    binary = (lowest < highest) & ((some == lowest) | (some == highest)).all(axis=0)
    if binary.sum() < MANY_BINARY:
        return
    widest = (highest / 2 - lowest / 2).max()  # halves do not overflow
    variances = ((some / 2 - lowest / 2) / widest).var(axis=0)
    share = variances[binary].sum() / variances.sum()
    if share > DOMINANT:
        warnings.warn(
            f"{binary.sum()} columns of two values hold {share:.0%} of the variance. Rows of such "
            "tables lie on islands, which are found instead of clusters. Leave these columns out "
            "or scale them down, or pass their labels to `lsec.consensus` as base clusterings.",
            stacklevel=2,
        )


def extremes(rows: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Smallest and largest value of every feature of dense rows (n, d)."""
    n, d = rows.shape
    side_by_side = max(1, min(n, LANES // d)) if rows.flags.c_contiguous else 1
    whole = n - n % side_by_side
    # Reductions along rows are slow where rows are short: make long ones of several.
    long = rows[:whole].reshape(-1, side_by_side * d)
    ends = []
    for extreme in (np.minimum, np.maximum):
        folded = extreme.reduce(long, axis=0).reshape(side_by_side, d)
        ends.append(extreme.reduce(np.concatenate([folded, rows[whole:]]), axis=0))
    return ends[0], ends[1]


def _count_above_noise(variances: Float64, total: float, shape: tuple[int, int]) -> int:
    """Number of leading directions (q,) that tell more than noise, of rows of a shape (n, d).

    If a direction and all after it are noise of mean variance v, the largest of these variances
    is at most v (1 + sqrt(d / n))^2.
    """
    n, d = shape
    before = np.cumsum(variances) - variances
    noise = (total - before) / (d - np.arange(len(variances)))
    is_noise = variances <= noise * (1 + np.sqrt(d / n)) ** 2
    return int(is_noise.argmax()) if is_noise.any() else len(variances)


def _leading_directions(
    rows: RawRows, most: int, spread: Spread
) -> tuple[Float64, AnyArray, float]:
    """Variances (q,), descending, directions (d, q), and the total variance; q is `most`.

    Fewer if there are fewer rows.
    """
    d, is_sparse = rows.shape[1], sparse.issparse(rows)
    if not is_sparse:
        rows = rows - rows.mean(axis=0, dtype=np.float64)
    total = float((rows.multiply(rows) if is_sparse else np.square(rows)).sum())
    if d <= MOST_DENSE_FEATURES and not is_sparse:
        products = np.zeros((d, d))  # of every two columns, once

        def multiply(low: int) -> None:
            products[low:, low : low + COLUMNS_AT_ONCE] = (
                rows[:, low:].T @ rows[:, low : low + COLUMNS_AT_ONCE]
            )

        list(spread(multiply, range(0, d, COLUMNS_AT_ONCE)))
        values, directions = linalg.eigh(products, subset_by_index=(d - most, d - 1))
        return values[::-1], directions[:, ::-1], total
    settings = {"n_oversamples": OVERSAMPLES, "n_iter": POWER_ITERATIONS, "random_state": 0}
    _, singular, directions = randomized_svd(rows, min(most, *rows.shape), **settings)
    return np.square(singular), directions.T, total
