"""Rows in the working frame on a GPU, and the search for their nearest landmarks.

Working rows are columns (q, n), neighbors lists side by side (K, n): threads that work on
consecutive rows read consecutive values. Rows keep their order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import sparse

from lsec.kernels.cuda.device import type_name
from lsec.rows.dense import MOST_COLUMNS, ColumnRows, DenseRows, grouped
from lsec.rows.frame import Frame
from lsec.rows.rows import Landmarks, Neighbors, Routes, Spread
from lsec.typing import AnyArray, Float32, RawRows

if TYPE_CHECKING:
    from lsec.kernels.cuda.device import Device

TILE = 32  # points of a tile of `scan.cu`
DIRECTIONS = 16  # that a thread of `frame.cu` projects to


class DeviceNeighbors(NamedTuple):
    """The K nearest landmarks of some rows."""

    landmarks: Any  # uint16 (K, n), nearest first
    squared: Any  # float32 (K, n), squared distances, ascending

    @property
    def nbytes(self) -> int:
        """Memory on the device."""
        return int(self.landmarks.nbytes + self.squared.nbytes)


class DeviceFrame:
    """Brings raw rows into a frame on a device.

    Lengths of rows, and products of sparse rows, are sums whose order NumPy and SciPy choose:
    such rows come into the frame on the host, before they are copied.
    """

    def __init__(self, frame: Frame, device: Device):
        self._frame = frame
        self._device = device
        self._on_host = frame.unit_rows or (frame.of_sparse and frame.basis is not None)
        self._position = device.upload(frame.anchor), device.upload(frame.offset)
        if frame.basis is not None:
            d, q = frame.basis.shape
            padded = np.zeros((d, -(-q // DIRECTIONS) * DIRECTIONS), np.float32)
            padded[:, :q] = frame.basis
            self._basis = device.upload(padded)

    @property
    def in_place(self) -> bool:
        """Whether raw rows on the device can be read where they are."""
        return not self._on_host

    @property
    def n_features(self) -> int:
        """Features of working rows, q."""
        frame = self._frame
        return len(frame.anchor) if frame.basis is None else frame.basis.shape[1]

    def prepare(self, raw: RawRows) -> AnyArray:
        """Turn a block of raw rows on the host into what is copied: raw rows, or working ones."""
        if self._on_host or (sparse.issparse(raw) and self._frame.of_sparse):
            rows = self._frame.dense_rows(raw)
            assert isinstance(rows, (ColumnRows, DenseRows))
            return rows.points(slice(None))
        if sparse.issparse(raw):
            raw = raw.toarray()
        values: AnyArray = raw
        if values.dtype.kind == "f" and values.itemsize == 2:
            return values.astype(np.float32)
        return values if type_name(values.dtype) else values.astype(np.float64)

    def rows(self, raw: Any) -> DeviceRows:
        """Working rows of raw ones (n, d) on the device, or of what `prepare` gave (n, q)."""
        device, frame, (n, d) = self._device, self._frame, raw.shape
        if self._on_host:
            return DeviceRows(device.xp.ascontiguousarray(raw.T), device)
        if raw.dtype.itemsize == 2 and raw.dtype.kind == "f":
            raw = raw.astype(np.float32)
        columns = device.xp.empty((self.n_features, n), np.float32)
        strides = [np.int64(stride // raw.itemsize) for stride in raw.strides]
        given = raw, *strides, np.int32(d), *self._position, np.float64(frame.scale)
        kind = type_name(raw.dtype)
        if frame.basis is None:
            device.launch("frame", "center_rows", n, *given, columns, RAW=kind)
            return DeviceRows(columns, device)
        padded = self._basis.shape[1]
        sizes = np.int32(padded), np.int32(self.n_features)
        n_parts = n * (padded // DIRECTIONS)
        given = np.int64(n), *given, self._basis, *sizes
        device.launch("frame", "project_rows", n_parts, *given, columns, RAW=kind)
        return DeviceRows(columns, device)


class DevicePoints:
    """Points (p, d) for a scan, in tiles (n_tiles, d, TILE); beyond the last, infinite."""

    def __init__(self, points: Float32, device: Device):
        p, d = points.shape
        n_tiles = -(-p // TILE)
        padded = np.full((n_tiles * TILE, d), np.inf, np.float32)
        padded[:p] = points
        self.tiles = device.upload(padded.reshape(n_tiles, TILE, d).transpose(0, 2, 1))
        self.sizes = np.int32(d), np.int32(n_tiles)


class DeviceLandmarks:
    """Landmarks of a set on a device, with the routes to them or in tiles."""

    def __init__(self, landmarks: Landmarks, device: Device):
        self.routes = landmarks.routes
        if self.routes is None:
            self.points = DevicePoints(landmarks.points, device)
        else:
            self.tree = self._upload(self.routes, landmarks.points, device)

    @staticmethod
    def _upload(routes: Routes, points: Float32, device: Device) -> tuple[Any, ...]:
        """Arguments of `nearest_by_routes`."""
        of_nodes = routes.centers, routes.first_child, routes.n_children, routes.landmark_of
        arrays = *of_nodes, points, routes.candidates, routes.gaps
        return *(device.upload(array) for array in arrays), np.int32(routes.candidates.shape[1])


class DeviceRows:
    """Working rows on a device."""

    def __init__(self, columns: Any, device: Device):
        self.columns = columns  # float32 (q, n)
        self._device = device

    @property
    def nbytes(self) -> int:
        """Memory on the device."""
        return int(self.columns.nbytes)

    def neighbors(self, landmarks: DeviceLandmarks, k: int) -> DeviceNeighbors:
        """The k nearest landmarks of every row."""
        if self.columns.shape[0] > MOST_COLUMNS:
            return self.scan(landmarks.points, k)
        found = self._found(k)
        given = "routes", "nearest_by_routes", self.columns.shape[1], self.columns
        self._device.launch(*given, *landmarks.tree, *found, D=self.columns.shape[0], K=k)
        return found

    def scan(self, points: DevicePoints, k: int) -> DeviceNeighbors:
        """The k nearest of some points to every row, of which there are at most 65,536."""
        found = self._found(k)
        given = "scan", "nearest_by_scan", self.columns.shape[1], self.columns
        self._device.launch(*given, points.sizes[0], points.tiles, points.sizes[1], *found, K=k)
        return found

    def _found(self, k: int) -> DeviceNeighbors:
        """Room for neighbors of all rows."""
        xp, shape = self._device.xp, (k, self.columns.shape[1])
        return DeviceNeighbors(xp.empty(shape, np.uint16), xp.empty(shape, np.float32))

    def label_by_nearest(self, centers: DevicePoints, labels: Any, width: int) -> None:
        """Write the nearest center of every row to labels, unsigned, `width` labels apart."""
        sizes = centers.sizes[0], centers.tiles, centers.sizes[1]
        given = self.columns.shape[1], self.columns, *sizes, labels, np.int32(width)
        label = type_name(labels.dtype)
        self._device.launch("scan", "label_by_nearest", *given, K=1, LABEL=label)


class SampleOnDevice:
    """Rows of a sample, whose nearest landmarks are searched on a device."""

    def __init__(self, rows: DenseRows, device: Device):
        self._device = device
        with device.active():
            self._rows = DeviceRows(device.upload(rows.values.T), device)

    def neighbors(self, landmarks: Landmarks, k: int, spread: Spread = map) -> Neighbors:
        """The k nearest landmarks of every row."""
        device = self._device
        with device.active():
            near = self._rows.neighbors(DeviceLandmarks(landmarks, device), k)
            index, squared = map(device.download, near)
        return grouped(np.ascontiguousarray(index.T), squared.T, len(landmarks))
