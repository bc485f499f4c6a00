"""Selection of landmarks (equation 1).

*Divide and conquer* (LSEC, DnC-SC): split the sample into at most alpha parts, give every part
its share of the landmarks, and split again until there are as many parts as landmarks. *Hybrid*
(U-SPEC): k-means on 10p rows, then a two-level tree over the representatives. Both end in
`Landmarks`; rows with very few features follow the tree to them.

References
----------
.. [1] Li, H., Ye, X., Imakura, A., Sakurai, T. "Divide-and-conquer based large-scale spectral
   clustering", arXiv:2104.15042, 2021. Step 1 of LSEC's Algorithm 1.
.. [2] Huang, D., Wang, C.-D., Wu, J.-S., Lai, J.-H., Kwoh, C.-K. "Ultra-scalable spectral
   clustering and ensemble clustering", IEEE TKDE 32(6), 2020.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from lsec.checks import MOST_LANDMARKS
from lsec.kernels.sorting import smallest_of_rows
from lsec.kernels.split import assign_parts, divide_parts, find_centers
from lsec.rows.dense import MOST_COLUMNS
from lsec.rows.frame import rows_of
from lsec.rows.rows import Landmarks, Routes, Rows, Spread
from lsec.spectral.kmeans import MappedRows, kmeans
from lsec.typing import Float32, Float64, Int32, Int64, UInt16

SAMPLE_ROWS_PER_LANDMARK = 500
MANY_SAMPLE_ROWS = 500_000  # beyond, fewer rows per landmark serve as well
LEAST_SAMPLE_ROWS_PER_LANDMARK = 100
MOST_SAMPLE_VALUES = 2**25  # 128 MiB of float32
ROWS_PER_LANDMARK = 10  # rows of a light-k-means sample
MOST_SPLIT_ROWS = 10_000  # 200 rows for each of 50 parts
MOST_MEMBER_ROWS = 20_000  # 300 rows for each of 64 base clusters
CANDIDATES_PER_NEIGHBOR = 10
ROWS_PER_NARROW_LANDMARK = 9
MANY_DIMENSIONS, ROWS_PER_WIDE_LANDMARK = 32, 1.25
FEW_PAIRS, ROWS_PER_LANDMARK_OF_FEW = 40_000, 2.5  # of a row and a landmark
MOST_NARROW, LEAST_WIDE = 2000, 1000  # landmarks chosen by default
SEARCHED_DISTANCES = 8 * 10**8
SPLIT_ITERATIONS = 3
SPLIT_TASKS = 64  # that a split is divided into
ROWS_AT_ONCE = 1024  # of a product
MEMBER_ITERATIONS = 10
REPRESENTATIVE_ITERATIONS = 20


def landmark_count(n_rows: int, n_features: int, n_clusters: int, wanted: int | None) -> int:
    """Number of landmarks for a number of rows.

    Landmarks are the resolution of the graph, but with few rows for each it falls apart: with
    fewer than nine in up to four dimensions, and five in 16. The more dimensions, the less a
    landmark resembles the rows around it: in 32 and more, four of five rows may be landmarks. There
    may always be 3 sqrt(n) and two per cluster. A few hundred rows need more to resolve thin
    shapes: one landmark for 2.5 rows, or 40,000 / n if that is less.

    If `wanted` is None, there are as many as improve the result: 2000 in very few dimensions; in
    more, as many as a search of `SEARCHED_DISTANCES` distances for all rows allows, from 1000 to
    16,384. Features may be counted before or after projection.
    """
    dimensions = np.clip(n_features, MOST_COLUMNS, MANY_DIMENSIONS)
    narrow = ROWS_PER_NARROW_LANDMARK * (MOST_COLUMNS / dimensions) ** 0.4
    wide = ROWS_PER_WIDE_LANDMARK * (MANY_DIMENSIONS / dimensions) ** 2
    of_few_rows = min(n_rows / ROWS_PER_LANDMARK_OF_FEW, FEW_PAIRS / n_rows)
    most = max(n_rows / min(narrow, wide), 3 * np.sqrt(n_rows), of_few_rows, 2 * n_clusters)
    if wanted is None and n_features <= MOST_COLUMNS:
        wanted = MOST_NARROW
    elif wanted is None:
        wanted = min(max(SEARCHED_DISTANCES // n_rows, LEAST_WIDE), MOST_LANDMARKS)
    return min(wanted, int(most), n_rows)


def draw_sample(n_rows: int, n_features: int, n_landmarks: int, rng: np.random.Generator) -> Int64:
    """Positions of the rows that landmarks are selected from, ascending.

    Light-k-means uses at most 10p rows of a part and a split has few parts, so that 500 rows per
    landmark serve as well as all of them; 100 do beyond 500,000 rows, or fewer if rows are wide.
    """
    most = max(MANY_SAMPLE_ROWS, LEAST_SAMPLE_ROWS_PER_LANDMARK * n_landmarks)
    most = min(SAMPLE_ROWS_PER_LANDMARK * n_landmarks, most, MOST_SAMPLE_VALUES // n_features)
    most = max(most, ROWS_PER_LANDMARK * n_landmarks)
    if n_rows <= most:
        return np.arange(n_rows)
    return np.sort(rng.choice(n_rows, most, replace=False, shuffle=False))


def divide_and_conquer(
    rows: Rows,
    n_neighbors: int,
    rng: np.random.Generator,
    spread: Spread = map,
    *,
    n_landmarks: int,
    alpha: int,
) -> Landmarks:
    """Landmarks as the parts of a sample, each split into at most `alpha` until there are enough.

    Fewer are returned when the sample has fewer distinct rows. `n_neighbors` of them will be
    searched for each row, among ten times as many if rows are routed.
    """
    points = rows.points(slice(None))
    n_sample = min(ROWS_PER_LANDMARK * n_landmarks, MOST_SPLIT_ROWS)
    tree = _Tree.of_root(points.shape[1])
    parts = _Parts.whole(rng.permutation(len(points)).astype(np.int32))
    while len(parts.nodes) < n_landmarks:
        shares = apportion(parts.residuals, n_landmarks)
        n_parts = np.minimum(np.minimum(shares, alpha), np.diff(parts.starts))
        if n_parts.max() < 2:
            break
        parts = _split(parts, tree, points, n_parts, n_sample, spread)
    return tree.landmarks(parts.nodes, CANDIDATES_PER_NEIGHBOR * n_neighbors, spread)


@dataclass(frozen=True)
class _Parts:
    """Parts of the sample, the leaves of the tree while it grows."""

    order: Int32  # (n,), rows of the sample, part by part, shuffled within each
    starts: Int64  # (parts + 1,)
    nodes: Int64  # (parts,), node of each part in the tree
    residuals: Float64  # (parts,), sums of squared distances to the center; zero for equal rows

    @classmethod
    def whole(cls, order: Int32) -> _Parts:
        """A single part, the root."""
        return cls(order, np.array([0, len(order)]), np.zeros(1, np.int64), np.ones(1))


@dataclass
class _Tree:
    """Nodes of the tree while it grows: centers (nodes, d), and where their children are."""

    centers: Float32
    first_child: Int32
    n_children: Int32

    @classmethod
    def of_root(cls, d: int) -> _Tree:
        """A tree of one node."""
        return cls(np.zeros((1, d), np.float32), np.zeros(1, np.int32), np.zeros(1, np.int32))

    def add_children(self, parents: Int64, counts: Int64, centers: Float32) -> None:
        """Append children, `counts` of each parent in turn."""
        self.first_child[parents] = len(self.centers) + np.cumsum(counts) - counts
        self.n_children[parents] = counts
        leaves = np.zeros(len(centers), np.int32)
        self.centers = np.concatenate([self.centers, centers])
        self.first_child = np.concatenate([self.first_child, leaves])
        self.n_children = np.concatenate([self.n_children, leaves])

    def landmarks(self, leaves: Int64, n_candidates: int, spread: Spread) -> Landmarks:
        """The given leaves as landmarks, with routes if rows have few features."""
        points = np.ascontiguousarray(self.centers[leaves])
        if points.shape[1] > MOST_COLUMNS:
            return Landmarks(points, None)
        landmark_of = np.full(len(self.centers), -1, np.int32)
        landmark_of[leaves] = np.arange(len(leaves))
        tree = self.centers, self.first_child, self.n_children, landmark_of
        nearest = nearest_landmarks(points, min(n_candidates, len(points)), spread)
        return Landmarks(points, Routes(*tree, *nearest))


def _split(
    parts: _Parts, tree: _Tree, points: Float32, n_parts: Int64, n_sample: int, spread: Spread
) -> _Parts:
    """Split every part into at most `n_parts` by light-k-means, and add these to the tree."""
    first = np.append(0, np.cumsum(n_parts))
    order = parts.order.copy()
    centers, counts, residuals = _divide(points, order, parts.starts, first, n_sample, spread)
    single = first[:-1][n_parts == 1]
    counts[single] = np.diff(parts.starts)[n_parts == 1]
    residuals[single] = parts.residuals[n_parts == 1]
    filled = counts > 0
    n_filled = np.add.reduceat(filled.astype(np.int64), first[:-1])
    grown = n_filled > 1  # else there is one part as before, or all its rows are equal
    is_new = np.repeat(grown, n_parts)[filled]
    nodes = np.repeat(parts.nodes, n_filled)
    nodes[is_new] = len(tree.centers) + np.arange(is_new.sum())
    tree.add_children(parts.nodes[grown], n_filled[grown], centers[filled][is_new])
    residuals = residuals[filled]
    equal = ~is_new & (np.repeat(n_parts, n_filled) > 1)
    tree.centers[nodes[equal]], residuals[equal] = centers[filled][equal], 0
    return _Parts(order, np.append(0, np.cumsum(counts[filled])), nodes, residuals)


def _divide(
    points: Float32, order: Int32, starts: Int64, first: Int64, n_sample: int, spread: Spread
) -> tuple[Float32, Int64, Float64]:
    """Centers, counts and residuals of new parts, first[v] to first[v + 1] of part v.

    Regroups the order in place. Rows of a part are divided among tasks where they do not depend
    on each other, the parts where they do.
    """
    centers = np.zeros((first[-1], points.shape[1]), np.float32)
    counts, residuals = np.zeros(first[-1], np.int64), np.zeros(first[-1])
    labels, spare = np.empty((2, len(order)), np.int32)
    squared = np.empty(len(order), np.float32)
    borders = np.linspace(0, len(order), SPLIT_TASKS + 1).astype(np.int64)
    some_parts = list(pairwise(np.searchsorted(starts[:-1], borders)))
    first_parts = np.searchsorted(starts, borders[:-1], side="right") - 1
    some_rows = list(zip(first_parts, borders[:-1], borders[1:], strict=True))
    given, found = (points, order, starts, first), (centers, labels, squared)

    def find(some: tuple[int, ...]) -> None:
        find_centers(*given, *some, n_sample, SPLIT_ITERATIONS, *found)

    def assign(some: tuple[int, ...]) -> None:
        assign_parts(*given, *some, *found)

    def divide(some: tuple[int, ...]) -> None:
        divide_parts(*given[1:], *some, *found[1:], spare, counts, residuals)

    for step, tasks in ((find, some_parts), (assign, some_rows), (divide, some_parts)):
        list(spread(step, [some for some in tasks if some[-2] < some[-1]]))
    return centers, counts, residuals


def apportion(residuals: Float64, n_landmarks: int) -> Int64:
    """Whole shares of the landmarks in proportion to the residuals, at least one each.

    Equation 1 with whole numbers: the remainder after rounding down goes to the parts with the
    largest fractions; a surplus, caused by the minimum of one, is taken from the largest shares.
    A part without residual (all rows equal) gets exactly one.
    """
    total = residuals.sum()
    if not total > 0:
        return np.ones(len(residuals), np.int64)
    exact = residuals / total * n_landmarks
    shares: Int64 = np.maximum(np.floor(exact), 1).astype(np.int64)
    missing = n_landmarks - int(shares.sum())
    if missing > 0:
        by_remainder = np.argsort(-(exact - shares), kind="stable")
        shares[by_remainder[:missing]] += residuals[by_remainder[:missing]] > 0
    elif missing < 0:
        _lower(shares, -missing)
    return shares


def _lower(shares: Int64, surplus: int) -> None:
    """Take a surplus from the shares in place, one by one from the first of the largest."""
    low, high = 0, int(shares.max())  # the level that the largest shares fall to
    while high - low > 1:
        level = (low + high) // 2
        low, high = (level, high) if (shares - level).clip(0).sum() > surplus else (low, level)
    surplus -= int((shares - high).clip(0).sum())
    np.minimum(shares, high, out=shares)
    shares[np.flatnonzero(shares == high)[:surplus]] -= 1


def hybrid_representatives(
    rows: Rows,
    n_neighbors: int,
    rng: np.random.Generator,
    spread: Spread = map,
    *,
    n_landmarks: int,
) -> Landmarks:
    """U-SPEC's representatives: k-means on 10p rows, then rep-clusters as a tree.

    A row with very few features goes to its nearest rep-cluster, then to the nearest in it.
    """
    n = rows.shape[0]
    n_sample = min(n, ROWS_PER_LANDMARK * n_landmarks)
    sample = rows.take(np.sort(rng.choice(n, n_sample, replace=False)))
    some = MappedRows(sample.points(slice(None)), spread)
    points = kmeans(some, min(n_landmarks, n_sample), rng, max_iter=MEMBER_ITERATIONS).centers
    n_groups = int(np.sqrt(len(points)))
    groups = kmeans(rows_of(points), n_groups, rng, max_iter=REPRESENTATIVE_ITERATIONS)
    tree = _Tree.of_root(points.shape[1])
    tree.add_children(np.zeros(1, np.int64), np.array([len(groups.centers)]), groups.centers)
    sizes = np.bincount(groups.labels)
    by_group = np.argsort(groups.labels, kind="stable")
    tree.add_children(1 + np.arange(len(sizes)), sizes, points[by_group])
    leaves = 1 + len(sizes) + np.arange(len(points))
    return tree.landmarks(leaves, CANDIDATES_PER_NEIGHBOR * n_neighbors + 1, spread)


def nearest_landmarks(
    landmarks: Float32, n_candidates: int, spread: Spread = map
) -> tuple[UInt16, Float32]:
    """The landmarks (p, c) nearest to each, itself first, and their distances (p, c), ascending."""
    points = landmarks.astype(np.float64)
    points -= np.median(points, axis=0)
    squares = np.square(points).sum(axis=1)
    candidates = np.empty((len(points), n_candidates), np.uint16)
    gaps = np.empty((len(points), n_candidates))

    def search(low: int) -> None:
        rows = slice(low, low + ROWS_AT_ONCE)
        squared = squares[rows, None] - 2 * points[rows] @ points.T + squares
        own = np.arange(len(squared))
        squared[own, low + own] = -1.0  # itself first, even among equal landmarks
        smallest_of_rows(squared, candidates[rows], gaps[rows])

    list(spread(search, range(0, len(points), ROWS_AT_ONCE)))
    return candidates, np.sqrt(np.maximum(gaps, 0)).astype(np.float32)
