"""Rows with few features, stored feature by feature."""

from __future__ import annotations

import numpy as np

from lsec.kernels.columns import nearest_candidates, nearest_center, route_columns, sums_by_label
from lsec.rows.search import LandmarkTree, Neighbors
from lsec.typing import Float32, Float64, Int32, Int64

MOST_FEATURES = 16


class ColumnRows:
    """Rows as float32 columns (d, n)."""

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
