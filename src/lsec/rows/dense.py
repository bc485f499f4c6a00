"""Dense rows: with very few features stored as columns, with more as rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lsec.kernels.columns import (
    candidate_places,
    landmarks_at_places,
    nearest_candidates,
    nearest_center,
    route_columns,
    sums_by_label,
)
from lsec.kernels.rows import nearest_center_of_rows, nearest_landmarks_of_rows
from lsec.kernels.sorting import stable_order
from lsec.rows.rows import KnownNeighbors, Landmarks, Neighbors, PackedNeighbors, Spread
from lsec.typing import Float32, Float64, Int32, Int64, UInt16

if TYPE_CHECKING:
    from lsec.kernels.cuda.device import Device
    from lsec.rows.on_device import SampleOnDevice

MOST_COLUMNS = 4  # features of rows stored as columns: beyond, candidate lists miss neighbors
ROWS_AT_ONCE = 1024  # of a scan


class ColumnRows:
    """Rows with very few features, as float32 columns (d, n)."""

    def __init__(self, columns: Float32):
        self.columns = columns

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and features."""
        return self.columns.shape[1], self.columns.shape[0]

    def take(self, which: Int64) -> ColumnRows:
        """Rows at the given positions."""
        return ColumnRows(np.take(self.columns, which, axis=1))

    def points(self, which: Int64 | slice) -> Float32:
        """The given rows as a dense array (len(which), d)."""
        return np.ascontiguousarray(self.columns[:, which].T)

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

    def neighbors(self, landmarks: Landmarks, k: int, spread: Spread = map) -> Neighbors:
        """The k nearest landmarks of every row, by the routes to them."""
        return self._routed(landmarks, k)[0]

    def packed_neighbors(self, landmarks: Landmarks, k: int) -> tuple[Neighbors, PackedNeighbors]:
        """The k nearest landmarks of every row, of at most 65,536, and the same packed."""
        near, starts = self._routed(landmarks, k)
        assert landmarks.routes is not None
        places = np.empty(near.landmarks.shape, np.uint8)
        candidate_places(near.landmarks, starts, landmarks.routes.candidates, places)
        return near, PackedNeighbors(near.order.astype(np.uint16), starts, places)

    def unpacked(self, packed: PackedNeighbors, landmarks: Landmarks) -> Neighbors:
        """Neighbors of these rows that were packed, to the last bit."""
        assert landmarks.routes is not None
        order, places = packed.order.astype(np.int32), packed.places
        index, squared = np.empty(places.shape, np.uint16), np.empty(places.shape, np.float32)
        known = landmarks.points, landmarks.routes.candidates, places
        landmarks_at_places(self.columns, order, packed.starts, *known, index, squared)
        return Neighbors(order, index, squared)

    def _routed(self, landmarks: Landmarks, k: int) -> tuple[Neighbors, Int32]:
        """Nearest landmarks, and the starts of the groups int32 (p + 1,)."""
        routes, n = landmarks.routes, self.columns.shape[1]
        assert routes is not None
        tree = routes.centers, routes.first_child, routes.n_children, routes.landmark_of
        columns, order, starts = route_columns(self.columns, *tree, len(landmarks))
        index = np.empty((n, k), np.uint16)
        squared = np.empty((n, k), np.float32)
        nearest_candidates(
            columns, starts, landmarks.points, routes.candidates, routes.gaps, index, squared
        )
        return Neighbors(order, index, squared), starts

    def on_device(self, device: Device) -> ColumnRows:
        """The rows themselves: their routes are short."""
        return self


def grouped(index: UInt16, squared: Float32, n_landmarks: int) -> Neighbors:
    """Neighbors of rows, index and squared (n, K) in their order, grouped by the nearest."""
    order, _ = stable_order(index[:, 0].astype(np.int32), n_landmarks)
    return Neighbors(order, index[order], squared[order])


class DenseRows:
    """Rows with more features, as a float32 array (n, d)."""

    def __init__(self, values: Float32):
        self.values = values

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and features."""
        return self.values.shape

    def take(self, which: Int64) -> DenseRows:
        """Rows at the given positions."""
        return DenseRows(self.values[which])

    def points(self, which: Int64 | slice) -> Float32:
        """The given rows as a dense array (len(which), d)."""
        return self.values[which]

    def nearest(self, centers: Float32) -> tuple[Int32, Float32]:
        """Nearest center of every row (n,), and its squared distance (n,)."""
        n, centers = len(self.values), np.ascontiguousarray(centers)
        order, labels = np.arange(n, dtype=np.int32), np.zeros(n, np.int32)
        squared = np.empty(n, np.float32)
        nearest_center_of_rows(self.values, order, 0, n, centers, labels, squared)
        return labels, squared

    def means(self, labels: Int32, weights: Float64, n_labels: int) -> tuple[Float32, Float64]:
        """Weighted mean of the rows of every label (k, d), and its weight (k,)."""
        sums = np.empty((n_labels, self.values.shape[1]))
        counts = np.empty(n_labels)
        sums_by_label(self.values, labels, weights, sums, counts)
        return (sums / np.maximum(counts, 1e-300)[:, None]).astype(np.float32), counts

    def neighbors(self, landmarks: Landmarks, k: int, spread: Spread = map) -> Neighbors:
        """The k nearest landmarks of every row, by a scan of all."""
        return grouped(*self._scan(landmarks, k, spread), len(landmarks))

    def remaining_neighbors(self, known: KnownNeighbors, landmarks: Landmarks, k: int) -> Neighbors:
        """As `neighbors`, by a scan for the rows alone whose neighbors are not known."""
        others = np.delete(np.arange(len(self.values)), known.rows)
        index = np.empty((len(self.values), k), np.uint16)
        squared = np.empty((len(self.values), k), np.float32)
        index[known.rows], squared[known.rows] = known.landmarks, known.squared
        index[others], squared[others] = self.take(others)._scan(landmarks, k, map)
        return grouped(index, squared, len(landmarks))

    def _scan(self, landmarks: Landmarks, k: int, spread: Spread) -> tuple[UInt16, Float32]:
        """The k nearest landmarks of every row (n, k), and their squared distances (n, k)."""
        index = np.empty((len(self.values), k), np.uint16)
        squared = np.empty((len(self.values), k), np.float32)

        def search(low: int) -> None:
            some = slice(low, low + ROWS_AT_ONCE)
            nearest_landmarks_of_rows(
                self.values[some], landmarks.panel, index[some], squared[some]
            )

        list(spread(search, range(0, len(index), ROWS_AT_ONCE)))
        return index, squared

    def on_device(self, device: Device) -> SampleOnDevice:
        """The rows with searches on a device."""
        from lsec.rows.on_device import SampleOnDevice

        return SampleOnDevice(self, device)
