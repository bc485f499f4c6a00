"""Rows of a CSR matrix that are not projected: for k-means, with dense centers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import sparse

from lsec.typing import Float32, Float64, Int32, Int64

BATCH = 2048  # rows whose products with all centers are held at once
ROUNDING = 1e-5  # relative difference of squared lengths that are equal


class SparseRows:
    """Rows as a float64 CSR matrix (n, d).

    Sparse rows cannot be centered, so that products cancel more than they do for
    dense rows; they are therefore formed in float64.
    """

    def __init__(self, matrix: sparse.csr_matrix):
        self.matrix = matrix
        self.half_squares = 0.5 * np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel()

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and features."""
        n, d = self.matrix.shape
        return n, d

    @property
    def of_equal_length(self) -> bool:
        """Whether all rows have the same length, apart from rows of zeros."""
        some = self.half_squares[self.half_squares > 0]
        return bool(some.size) and some.max() <= some.min() * (1 + ROUNDING)

    def take(self, which: Int64) -> SparseRows:
        """Rows at the given positions."""
        return SparseRows(self.matrix[which])

    def points(self, which: Int64 | slice) -> Float32:
        """The given rows as a dense array (len(which), d)."""
        dense: Float32 = self.matrix[which].toarray().astype(np.float32)
        return dense

    def _products(self, centers: Float32) -> Iterator[tuple[slice, Float64]]:
        """Yield batches of rows, each with its products with all centers (n, k)."""
        transposed = np.ascontiguousarray(centers.T, dtype=np.float64)
        for low in range(0, self.matrix.shape[0], BATCH):
            batch = slice(low, low + BATCH)
            yield batch, self.matrix[batch] @ transposed

    def nearest(self, centers: Float32) -> tuple[Int32, Float32]:
        """Nearest center of every row (n,), and its squared distance (n,)."""
        n = self.matrix.shape[0]
        labels = np.empty(n, np.int32)
        squared = np.empty(n, np.float32)
        halves = 0.5 * np.square(centers, dtype=np.float64).sum(1)
        for batch, products in self._products(centers):
            score = halves - products
            label = score.argmin(1)
            labels[batch] = label
            half = np.take_along_axis(score, label[:, None], 1)[:, 0] + self.half_squares[batch]
            squared[batch] = np.maximum(2 * half, 0)
        return labels, squared

    def means(self, labels: Int32, weights: Float64, n_labels: int) -> tuple[Float32, Float64]:
        """Weighted mean of the rows of every label (k, d), and its weight (k,)."""
        n = self.matrix.shape[0]
        members = sparse.csr_matrix((weights, (labels, np.arange(n))), shape=(n_labels, n))
        counts = np.bincount(labels, weights, n_labels).astype(np.float64, copy=False)
        sums = (members @ self.matrix).toarray()
        return (sums / np.maximum(counts, 1e-300)[:, None]).astype(np.float32), counts
