"""Rows with many features, stored row by row."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from lsec.kernels.assign import sums_by_label
from lsec.kernels.products import (
    half_squares,
    nearest_candidates_product,
    nearest_product,
    route_rows,
    shift_rows,
)
from lsec.rows.rows import LandmarkTree, Neighbors

NOISE = np.float32(1e-6)
BATCH = 4096  # rows of one product: the products of a batch stay in cache


class DenseRows:
    """Rows as a float32 array (n, d)."""

    def __init__(self, values: np.ndarray):
        self.values = values

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and features."""
        return self.values.shape

    def take(self, which: np.ndarray) -> DenseRows:
        """Rows at the given positions."""
        return DenseRows(self.values[which])

    def points(self, which: np.ndarray) -> np.ndarray:
        """The given rows as a dense float32 array (len(which), d)."""
        return self.values[which]

    def part(self, which: np.ndarray, origin: np.ndarray) -> tuple[DenseRows, np.ndarray]:
        """Rows at the given positions with `origin` subtracted, so that products cancel little."""
        if len(which) == len(self.values) and not origin.any():
            return self, origin
        shifted = np.empty((len(which), self.values.shape[1]), np.float32)
        shift_rows(self.values, which, 0, len(which), origin, shifted)
        return DenseRows(shifted), origin

    @cached_property
    def half_squares(self) -> np.ndarray:
        """Half the squared length of every row, float32 (n,)."""
        return half_squares(self.values)

    def nearest(self, centers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Nearest center of every row and the squared distance."""
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
            # Parts of a split are small: what NumPy does before it begins counts.
            half = terms - products.ravel().take(np.arange(0, products.size, len(centers)) + label)
            # What is left below the rounding of the terms is no distance.
            squared[part] = np.where(half > NOISE * terms, 2 * half, 0)
        return labels, squared

    def means(
        self, labels: np.ndarray, weights: np.ndarray, n_labels: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Weighted mean of the rows of every label, and the weights."""
        sums = np.empty((n_labels, self.values.shape[1]))
        counts = np.empty(n_labels)
        sums_by_label(self.values, labels, weights, sums, counts)
        return (sums / np.maximum(counts, 1e-300)[:, None]).astype(np.float32), counts

    def neighbors(self, tree: LandmarkTree, k: int) -> Neighbors:
        """The k nearest landmarks of every row, found through the tree."""
        order, starts = route_rows(
            self.values,
            tree.centers,
            tree.first_child,
            tree.n_children,
            tree.landmark_of,
            tree.n_landmarks,
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
