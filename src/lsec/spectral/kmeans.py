"""Lloyd's k-means, light-k-means, spherical k-means, and samples of weighted rows for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from lsec.rows.frame import rows_of
from lsec.rows.rows import KMeansRows, Rows, Spread
from lsec.spectral.transfer_cut import unit_rows
from lsec.typing import AnyArray, Float32, Float64, Int32, Int64, RawRows

if TYPE_CHECKING:
    from lsec.kernels.cuda.device import Device

ROWS_AT_ONCE = 8192  # of products with BLAS
POINTS_PER_TASK = 1024
MIN_GROUPING_SAMPLE, SAMPLE_PER_GROUP, GROUPING_STEPS = 20_000, 2, 4
TINY = 1e-300


@dataclass(frozen=True)
class KMeansResult:
    """A k-means solution; every cluster has a row, every row its nearest center."""

    centers: Float32  # (k, d); fewer than requested only if there are fewer distinct rows
    labels: Int32  # (n,)
    squared: Float32  # (n,), squared distance of every row to its center
    inertia: float  # weighted sum of `squared`
    n_iter: int  # iterations done


def kmeans(
    rows: KMeansRows,
    n_clusters: int,
    rng: np.random.Generator,
    *,
    init: str | Int64 = "random",
    max_iter: int = 10,
    n_init: int = 1,
    weights: Float64 | None = None,
) -> KMeansResult:
    """Best of `n_init` runs of Lloyd's algorithm, into at most as many clusters as rows.

    A run starts from distinct random rows ("random"), from rows drawn by squared distance
    ("k-means++"), or from the given rows int64 (k,). A row of weight w counts as w equal rows.
    """
    weights = np.ones(rows.shape[0]) if weights is None else weights
    runs = (_run(rows, n_clusters, rng, init, max_iter, weights) for _ in range(n_init))
    return min(runs, key=lambda run: run.inertia)


def light_kmeans(
    rows: Rows, n_clusters: int, n_sample: int, rng: np.random.Generator, *, max_iter: int = 10
) -> KMeansResult:
    """k-means on at most `n_sample` random rows; labels and distances for all rows."""
    n = rows.shape[0]
    if n <= n_sample:
        return kmeans(rows, min(n_clusters, n), rng, max_iter=max_iter)
    sample = np.sort(rng.choice(n, n_sample, replace=False))
    result = kmeans(rows.take(sample), n_clusters, rng, max_iter=max_iter)
    labels, squared = rows.nearest(result.centers)
    inertia = float(squared.sum(dtype=np.float64))
    return KMeansResult(result.centers, labels, squared, inertia, result.n_iter)


def _run(
    rows: KMeansRows,
    n_clusters: int,
    rng: np.random.Generator,
    init: str | Int64,
    max_iter: int,
    weights: Float64,
) -> KMeansResult:
    if isinstance(init, str) and init == "k-means++":
        centers = _plus_plus(rows, n_clusters, rng, weights)
    elif isinstance(init, str):
        centers = rows.points(rng.choice(rows.shape[0], n_clusters, replace=False))
    else:
        centers = rows.points(init)
    labels, squared = rows.nearest(centers)
    n_iter = 0
    for n_iter in range(1, max_iter + 1):  # noqa: B007
        means, mass = rows.means(labels, weights, len(centers))
        if not mass.all():  # a cluster may be empty
            centers, labels, squared = _fill_empty(rows, centers, labels, squared)
            means, _ = rows.means(labels, weights, len(centers))
        centers, before = means, labels
        labels, squared = rows.nearest(centers)
        if np.array_equal(labels, before):
            break
    centers, labels, squared = _fill_empty(rows, centers, labels, squared)
    return KMeansResult(centers, labels, squared, float(np.dot(weights, squared)), n_iter)


def _plus_plus(
    rows: KMeansRows, n_clusters: int, rng: np.random.Generator, weights: Float64
) -> Float32:
    """k-means++ seeding; may return fewer centers than requested if rows are duplicated."""
    mass = weights.copy()
    least = None
    chosen: list[int] = []
    while len(chosen) < n_clusters:
        cumulative = np.cumsum(mass)
        if not cumulative[-1] > 0:
            break
        draw = rng.random() * cumulative[-1]
        chosen.append(int(min(np.searchsorted(cumulative, draw, side="right"), len(mass) - 1)))
        _, squared = rows.nearest(rows.points(np.array(chosen[-1:])))
        least = squared if least is None else np.minimum(least, squared)
        mass = weights * least
    return rows.points(np.array(chosen))


def _fill_empty(
    rows: KMeansRows, centers: Float32, labels: Int32, squared: Float32
) -> tuple[Float32, Int32, Float32]:
    """Give every empty cluster a row far from its center; drop those that stay empty."""
    empty = np.flatnonzero(np.bincount(labels, minlength=len(centers)) == 0)
    before = squared.sum(dtype=np.float64) if empty.size else 0.0
    while empty.size:
        farthest = np.argsort(-squared, kind="stable")[: empty.size]
        centers = centers.copy()
        centers[empty] = rows.points(farthest)
        labels, squared = rows.nearest(centers)
        left = np.flatnonzero(np.bincount(labels, minlength=len(centers)) == 0)
        nearer = squared.sum(dtype=np.float64)
        if left.size and not nearer < before:  # only rounding error remains
            centers = np.delete(centers, left, axis=0)
            return centers, *rows.nearest(centers)
        empty, before = left, nearer
    return centers, labels, squared


class MappedRows:
    """Dense float32 points (n, d) whose nearest centers are tasks of a pool.

    The result for a point does not depend on the other points of its task.
    """

    def __init__(self, points: Float32, spread: Spread = map):
        self._spread = spread
        self._rows = rows_of(points)
        self._parts = [
            rows_of(points[low : low + POINTS_PER_TASK])
            for low in range(0, len(points), POINTS_PER_TASK)
        ]

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and features."""
        return self._rows.shape

    def points(self, which: Int64 | slice) -> Float32:
        """The given rows as a dense float32 array (len(which), d)."""
        return self._rows.points(which)

    def nearest(self, centers: Float32) -> tuple[Int32, Float32]:
        """Nearest center of every row and the squared distance."""
        found = self._spread(lambda part: part.nearest(centers), self._parts)
        labels, squared = zip(*found, strict=True)
        return np.concatenate(labels), np.concatenate(squared)

    def means(self, labels: Int32, weights: Float64, n_labels: int) -> tuple[Float32, Float64]:
        """Weighted mean of the rows of every label, and the weights."""
        return self._rows.means(labels, weights, n_labels)

    def on_device(self, device: Device) -> KMeansRows:
        """The same points with searches on a device."""
        from lsec.spectral.on_device import PointsOnDevice

        return PointsOnDevice(self, device)


MakePoints: TypeAlias = Callable[[Float32], KMeansRows]


def draw_weighted(
    n_rows: int, weights: Float64 | None, size: int, rng: np.random.Generator
) -> Int64:
    """Positions of `size` random rows, ascending; all rows if there are no more.

    Rows of weight zero are never drawn; the others are equally likely. With `merge_equal_rows`, a
    row of weight w and w equal rows in succession give the same sample, to the last bit, if all
    rows fit into it.
    """
    counted = np.arange(n_rows) if weights is None else np.flatnonzero(weights)
    drawn = np.sort(rng.choice(len(counted), min(len(counted), size), replace=False))
    return counted[drawn]


def merge_equal_rows(raw: RawRows, weights: Float64) -> tuple[RawRows, Float64]:
    """Distinct rows (n', d) in an order given by their values alone, and their weights (n',).

    Rows are ordered by the distance from the least value of every feature, so that neither the
    order of the rows nor that of the columns matters, nor a translation.
    """
    keys, sizes = _keys_and_sizes(raw)
    _, first, distinct = np.unique(keys, return_index=True, return_inverse=True)
    order = np.lexsort(sizes[:, first])  # ties stay in the order of the keys
    merged = np.bincount(distinct, weights).astype(np.float64, copy=False)[order]
    return raw[first[order]], merged


def _keys_and_sizes(raw: RawRows) -> tuple[NDArray[Any], Float64]:
    """The bytes of every row, equal for equal rows; and sums and sums of squares (2, n)."""
    rows = raw.astype(np.float64)
    keys = np.empty(raw.shape[0], object)
    if not sparse.issparse(rows):
        rows += 0.0  # there is one zero: -0.0 becomes 0.0
        keys[:] = [row.tobytes() for row in rows]
        with np.errstate(over="ignore", invalid="ignore"):  # a frame refuses such rows
            rows -= rows.min(axis=0)
            _to_unit(rows)
            sums = rows.sum(axis=1)
            return keys, np.array([sums, np.square(rows, out=rows).sum(axis=1)])
    rows.sum_duplicates()
    rows.eliminate_zeros()
    for i, (low, high) in enumerate(zip(rows.indptr, rows.indptr[1:], strict=False)):
        keys[i] = rows.indices[low:high].tobytes() + rows.data[low:high].tobytes()
    _to_unit(rows.data)
    least = np.ravel(rows.min(axis=0).toarray())
    crossed = rows @ least
    sums = np.ravel(rows.sum(axis=1)) - least.sum()
    np.square(rows.data, out=rows.data)
    return keys, np.array([sums, np.ravel(rows.sum(axis=1)) - 2 * crossed + least @ least])


def _to_unit(values: Float64) -> None:
    """Divide values in place by a power of two, which rounds nothing, to at most 1."""
    largest = np.abs(values).max(initial=0.0)
    np.ldexp(values, -int(np.frexp(largest)[1]), out=values)


# Spherical k-means, and groups of unit vectors


def sums_matrix(labels: Int32, weights: Float64, n_labels: int) -> sparse.csr_array:
    """Matrix (k, n) whose product with rows sums those of every label that is not negative."""
    known = np.flatnonzero(labels >= 0)
    shape = n_labels, len(labels)
    return sparse.csr_array((weights[known], (labels[known], known)), shape=shape)


def mean_vectors(
    rows: AnyArray, weights: Float64, labels: Int32, n_labels: int
) -> tuple[Float64, Float64]:
    """Weighted mean (k, d) of the rows (n, d) of every label, and its weight (k,)."""
    sizes = np.bincount(labels, weights, n_labels).astype(np.float64)
    sums = sums_matrix(labels, weights, n_labels) @ rows.astype(np.float64)
    return sums / np.maximum(sizes, TINY)[:, None], sizes


def nearest_direction(rows: AnyArray, directions: AnyArray) -> Int32:
    """The direction (k, d) with the largest cosine to every row (n, d), int32 (n,)."""
    out = np.empty(len(rows), np.int32)
    for low in range(0, len(rows), ROWS_AT_ONCE):
        part = slice(low, low + ROWS_AT_ONCE)
        out[part] = (rows[part] @ directions.T).argmax(axis=1)
    return out


def spherical_kmeans(
    rows: AnyArray, weights: Float64, labels: Int32, n_clusters: int, max_iter: int
) -> Int32:
    """Refine a labeling by spherical k-means; stops before a step that empties a cluster."""
    for _ in range(max_iter):
        means, _ = mean_vectors(rows, weights, labels, n_clusters)
        moved = nearest_direction(rows, unit_rows(means))
        if len(np.unique(moved)) < n_clusters or np.array_equal(moved, labels):
            break
        labels = moved
    return labels


def group_rows(
    rows: Float32,
    weights: Float64,
    max_groups: int,
    rng: np.random.Generator,
    points_of: MakePoints = MappedRows,
) -> Int32:
    """Groups int32 (n,) of nearby rows (n, d), by k-means on a sample.

    At most `max_groups`; if there are no more rows than that, each is its own group.
    """
    n = len(rows)
    if n <= max_groups:
        return np.arange(n, dtype=np.int32)
    sample, counts = rows, weights
    size = max(MIN_GROUPING_SAMPLE, SAMPLE_PER_GROUP * max_groups)
    if n > size:
        drawn = rng.choice(n, size, p=weights / weights.sum())
        some, times = np.unique(drawn, return_counts=True)
        sample, counts = rows[some], times.astype(np.float64)
    # A heavy row, such as a small cluster that all members agree on, is a group of its own.
    n_groups = min(max_groups, len(sample))
    init = rng.choice(len(sample), n_groups, replace=False, p=counts / counts.sum())
    points = points_of(sample)
    found = kmeans(points, n_groups, rng, init=init, max_iter=GROUPING_STEPS, weights=counts)
    labels, _ = points_of(rows).nearest(found.centers)
    return np.unique(labels, return_inverse=True)[1].astype(np.int32)
