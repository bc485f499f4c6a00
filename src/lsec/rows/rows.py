"""What every kind of rows offers, and the shapes that pass between stages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np


@dataclass(frozen=True, eq=False)
class LandmarkTree:
    """Landmarks, the tree that routes a row to one of them, and who is near whom.

    A tree equals itself only, so that what was found in it can be kept by it.

    Attributes
    ----------
    centers : float32 (nodes, d)
        Center of every node; node 0 is the root, children follow each other.
    first_child, n_children : int32 (nodes,)
    landmark_of : int32 (nodes,)
        Landmark of a leaf, -1 for an inner node.
    landmarks : float32 (p, d)
    candidates : uint16 (p, c)
        The landmarks nearest to each landmark, itself first, sorted by distance.
    gaps : float32 (p, c)
        Their distances.
    """

    centers: np.ndarray
    first_child: np.ndarray
    n_children: np.ndarray
    landmark_of: np.ndarray
    landmarks: np.ndarray
    candidates: np.ndarray
    gaps: np.ndarray

    @property
    def n_landmarks(self) -> int:
        """Number of landmarks, p."""
        return self.landmarks.shape[0]


@dataclass(frozen=True)
class Neighbors:
    """The K nearest landmarks of the rows of one block, rows grouped by landmark.

    Attributes
    ----------
    order : int32 (n,)
        Row of the block at each grouped position.
    index : uint16 (n, K)
        Landmarks, nearest first.
    squared : float32 (n, K)
        Squared distances, ascending.
    """

    order: np.ndarray
    index: np.ndarray
    squared: np.ndarray

    @staticmethod
    def bytes_per_row(k: int) -> int:
        """Memory one row takes with k neighbors."""
        return 4 + 6 * k


class KMeansRows(Protocol):
    """What k-means needs of rows."""

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and features."""

    def points(self, which: np.ndarray) -> np.ndarray:
        """The given rows as a dense float32 array (len(which), d)."""

    def nearest(self, centers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Nearest center of every row, int32 (n,), and squared distance, float32 (n,)."""

    def means(
        self, labels: np.ndarray, weights: np.ndarray, n_labels: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Weighted mean of the rows of every label, float32 (k, d), and weights (k,)."""


class Rows(KMeansRows, Protocol):
    """Rows in the working frame."""

    def take(self, which: np.ndarray) -> Rows:
        """Rows at the given positions."""

    def part(self, which: np.ndarray, origin: np.ndarray) -> tuple[Rows, np.ndarray]:
        """Rows at the given positions, seen from `origin` (d,) where that keeps digits.

        Returns the rows and the origin actually subtracted.
        """

    def neighbors(self, tree: LandmarkTree, k: int) -> Neighbors:
        """The k nearest landmarks of every row, found through the tree."""
