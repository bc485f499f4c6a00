"""Dense rows: with few features stored as columns, with many stored as rows."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from lsec.kernels.columns import nearest_candidates, nearest_center, route_columns, sums_by_label
from lsec.kernels.products import (
    half_squares,
    nearest_candidates_product,
    nearest_product,
    route_rows,
    shift_rows,
)
from lsec.rows.rows import LandmarkTree, Neighbors
from lsec.typing import Float32, Float64, Int32, Int64

MOST_FEATURES = 16  # of rows stored as columns
NOISE = np.float32(1e-6)
BATCH = 4096  # rows of one product: the products of a batch stay in cache


class ColumnRows:
    """Rows with few features, as float32 columns (d, n)."""

    def __init__(self, columns: Float32):
        self.columns = columns

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and features."""
        return self.columns.shape[1], self.columns.shape[0]

    def take(self, which: Int64) -> ColumnRows:
        """Rows at the given positions."""
        return ColumnRows(np.take(self.columns, which, axis=1))

    def points(self, which: Int64) -> Float32:
        """The given rows as a dense array (len(which), d)."""
        return np.ascontiguousarray(self.columns[:, which].T)

    def part(self, which: Int64, origin: Float32) -> tuple[ColumnRows, Float32]:
        """Rows at the given positions; distances are computed from differences, without a shift."""
        return self.take(which), np.zeros_like(origin)

    def nearest(self, centers: Float32) -> tuple[Int32, Float32]:
        """Nearest center of every row (n,), and its squared distance (n,)."""
        n = self.columns.shape[1]
        labels = np.empty(n, np.int32)
        squared = np.empty(n, np.float32)
        nearest_center(self.columns, 0, n, centers, labels, squared)
        return labels, squared

    def means(self, labels: Int32, weights: Float64, n_labels: int) -> tuple[Float32, Float64]:
        """Weighted mean of the rows of every label (k, d), and its weight (k,)."""
        sums = np.empty((n_labels, self.columns.shape[0]))
        counts = np.empty(n_labels)
        sums_by_label(self.columns.T, labels, weights, sums, counts)
        return (sums / np.maximum(counts, 1e-300)[:, None]).astype(np.float32), counts

    def neighbors(self, tree: LandmarkTree, k: int) -> Neighbors:
        """The k nearest landmarks of every row, found by means of the tree."""
        n = self.columns.shape[1]
        columns, order, starts = route_columns(
            self.columns,
            tree.centers,
            tree.first_child,
            tree.n_children,
            tree.landmark_of,
            len(tree.landmarks),
        )
        index = np.empty((n, k), np.uint16)
        squared = np.empty((n, k), np.float32)
        nearest_candidates(
            columns, starts, tree.landmarks, tree.candidates, tree.gaps, index, squared
        )
        return Neighbors(order, index, squared)


class DenseRows:
    """Rows with many features, as a float32 array (n, d)."""

    def __init__(self, values: Float32):
        self.values = values

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and features."""
        return self.values.shape

    def take(self, which: Int64) -> DenseRows:
        """Rows at the given positions."""
        return DenseRows(self.values[which])

    def points(self, which: Int64) -> Float32:
        """The given rows as a dense array (len(which), d)."""
        return self.values[which]

    def part(self, which: Int64, origin: Float32) -> tuple[DenseRows, Float32]:
        """Rows at the given positions minus `origin`, so that products cancel little."""
        if len(which) == len(self.values) and not origin.any():
            return self, origin
        shifted = np.empty((len(which), self.values.shape[1]), np.float32)
        shift_rows(self.values, which, 0, len(which), origin, shifted)
        return DenseRows(shifted), origin

    @cached_property
    def half_squares(self) -> Float32:
        """Half the squared length of every row (n,)."""
        halves: Float32 = half_squares(self.values)
        return halves

    def nearest(self, centers: Float32) -> tuple[Int32, Float32]:
        """Nearest center of every row (n,), and its squared distance (n,)."""
        n = self.values.shape[0]
        labels = np.empty(n, np.int32)
        squared = np.empty(n, np.float32)
        halves = half_squares(centers)
        for low in range(0, n, BATCH):
            part = slice(low, low + BATCH)
            label = labels[part]
            products = self.values[part] @ centers.T
            nearest_product(products, halves, label)
            terms = self.half_squares[part] + halves.take(label)
            # Parts of a split are small: the overhead of a NumPy call counts.
            half = terms - products.ravel().take(np.arange(0, products.size, len(centers)) + label)
            # Below the rounding error of the terms, there is no distance.
            squared[part] = np.where(half > NOISE * terms, 2 * half, 0)
        return labels, squared

    def means(self, labels: Int32, weights: Float64, n_labels: int) -> tuple[Float32, Float64]:
        """Weighted mean of the rows of every label (k, d), and its weight (k,)."""
        sums = np.empty((n_labels, self.values.shape[1]))
        counts = np.empty(n_labels)
        sums_by_label(self.values, labels, weights, sums, counts)
        return (sums / np.maximum(counts, 1e-300)[:, None]).astype(np.float32), counts

    def neighbors(self, tree: LandmarkTree, k: int) -> Neighbors:
        """The k nearest landmarks of every row, found by means of the tree."""
        order, starts = route_rows(
            self.values,
            tree.centers,
            tree.first_child,
            tree.n_children,
            tree.landmark_of,
            len(tree.landmarks),
        )
        n = self.values.shape[0]
        index = np.empty((n, k), np.uint16)
        squared = np.empty((n, k), np.float32)
        nearest_candidates_product(
            self.values,
            order,
            starts,
            tree.landmarks,
            tree.candidates,
            tree.gaps,
            index,
            squared,
        )
        return Neighbors(order, index, squared)
