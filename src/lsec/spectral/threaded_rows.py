"""Rows whose nearest centers are found by several threads."""

from __future__ import annotations

import numpy as np

from lsec.execution.threads import Workers
from lsec.rows.dense import BATCH
from lsec.rows.frame import rows_of


class ThreadedRows:
    """Dense float32 points (n, d) for one k-means on all threads.

    Most k-means here run side by side, one per thread; this is for one that runs alone. Parts
    are what one thread would multiply at once, so that results have the same bits.
    """

    def __init__(self, points: np.ndarray, workers: Workers):
        self._rows = rows_of(points)
        self._parts = [rows_of(points[low : low + BATCH]) for low in range(0, len(points), BATCH)]
        self._workers = workers

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and features."""
        return self._rows.shape

    def points(self, which: np.ndarray) -> np.ndarray:
        """The given rows as a dense float32 array (len(which), d)."""
        return self._rows.points(which)

    def nearest(self, centers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Nearest center of every row and the squared distance."""
        found = self._workers.map(lambda part: part.nearest(centers), self._parts)
        labels, squared = zip(*found, strict=True)
        return np.concatenate(labels), np.concatenate(squared)

    def means(
        self, labels: np.ndarray, weights: np.ndarray, n_labels: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Weighted mean of the rows of every label, and the weights."""
        return self._rows.means(labels, weights, n_labels)
