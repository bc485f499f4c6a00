"""Operations that every kind of rows supports."""

from __future__ import annotations

from typing import Protocol

from lsec.rows.search import LandmarkTree, Neighbors
from lsec.typing import Float32, Float64, Int32, Int64


class KMeansRows(Protocol):
    """Rows that k-means can cluster."""

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and features."""

    def points(self, which: Int64) -> Float32:
        """The given rows as a dense array (len(which), d)."""

    def nearest(self, centers: Float32) -> tuple[Int32, Float32]:
        """Nearest center of every row (n,), and its squared distance (n,)."""

    def means(self, labels: Int32, weights: Float64, n_labels: int) -> tuple[Float32, Float64]:
        """Weighted mean of the rows of every label (k, d), and its weight (k,)."""


class Rows(KMeansRows, Protocol):
    """Rows in the working frame."""

    def take(self, which: Int64) -> Rows:
        """Rows at the given positions."""

    def part(self, which: Int64, origin: Float32) -> tuple[Rows, Float32]:
        """Rows at the given positions, shifted by `origin` (d,) if that preserves digits.

        Returns the rows and the origin that was subtracted from them.
        """

    def neighbors(self, tree: LandmarkTree, k: int) -> Neighbors:
        """The k nearest landmarks of every row, found by means of the tree."""
