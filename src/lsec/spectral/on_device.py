"""Gram sums, eigenvectors and base labels on a GPU, with the bits of the CPU's."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from lsec.kernels.cuda.device import NOTHING, type_name
from lsec.rows.on_device import DeviceNeighbors, DevicePoints, DeviceRows
from lsec.spectral.base_clustering import Member
from lsec.spectral.ensemble import Ensemble
from lsec.spectral.filtered_subspace import Products, Step, take_steps
from lsec.spectral.gram import GramSums, GramTask
from lsec.spectral.kmeans import MappedRows
from lsec.spectral.kmeans_ensemble import KMeansEnsemble
from lsec.typing import Float32, Float64, Int32, Int64, UInt64

if TYPE_CHECKING:
    from lsec.kernels.cuda.device import Device

WORD = np.dtype(np.uint64)
# Products of a step, and differences of features of a search: with fewer, the host is done before
# a device would have its copies.
STEP_WORK, SEARCH_WORK = 2**24, 2**24


class DeviceGram:
    """Gram matrices of one landmark set on a device: sums of all cells of one triangle."""

    def __init__(self, task: GramTask, device: Device):
        self._task = task
        self._device = device
        rates = np.array([affinity.rate for affinity in task.affinities], np.float32)
        given = device.upload(task.first_member), device.upload(rates)
        self._affinities = *given, np.int32(task.affinities[0].power)
        self._values = device.xp.zeros((task.n_cells, len(rates)), np.int64)

    def add(self, neighbors: tuple[DeviceNeighbors, Any]) -> None:
        """Add some rows: their neighbors, and the number of rows that each counts as, or None."""
        near, copies = neighbors
        k, n = near.landmarks.shape
        given = *near, *self._affinities, NOTHING if copies is None else copies, self._values
        constants = {"K": k, "Q": self._values.shape[1], "WEIGHTED": int(copies is not None)}
        self._device.launch("gram", "add_to_gram", n, *given, **constants)

    def take(self) -> GramSums:
        """Return the sums and start again from zero."""
        xp, download = self._device.xp, self._device.download
        where = xp.flatnonzero(self._values.any(axis=1))
        sums = GramSums(self._task.n_cells, download(where), download(self._values[where]))
        self._values[:] = 0
        return sums


class DeviceProducts:
    """Products of a sparse matrix with blocks of vectors, of any size, on a device.

    Small ones are done on the host before their blocks were copied.
    """

    def __init__(self, products: Products, device: Device):
        self._products = products
        self._device = device

    @cached_property
    def _entries(self) -> list[Any]:
        """The matrix on the device."""
        host = self._products
        return [self._device.upload(part) for part in (host.starts, host.columns, host.values)]

    def apply(self, block: Float32, steps: Sequence[Step]) -> Float32:
        """The last of the blocks (q, b) that steps make; see `Products.apply`."""
        if len(self._products.values) * block.shape[1] < STEP_WORK:
            return self._products.apply(block, steps)
        device = self._device
        with device.active():
            last = take_steps(device.upload(block), steps, self._fill, device.xp.empty_like)
            return device.download(last)

    def _fill(self, block: Any, before: Any, step: Step, out: Any) -> None:
        """`filter_step` with its shift, scale and fade in the type of the block."""
        given = *self._entries, block, before, np.int32(block.shape[1])
        factors = np.array(step, np.float32)
        self._device.launch("filter", "filter_step", block.size, *given, *factors, out)


class PointsOnDevice:
    """Points whose nearest centers are searched on a device, if there are many of both."""

    def __init__(self, points: MappedRows, device: Device):
        self._points = points
        self._device = device

    @property
    def shape(self) -> tuple[int, int]:
        """Number of points and features."""
        return self._points.shape

    def points(self, which: Int64 | slice) -> Float32:
        """The given points as a dense float32 array (len(which), d)."""
        return self._points.points(which)

    @cached_property
    def _rows(self) -> DeviceRows:
        """The points on the device."""
        return DeviceRows(self._device.upload(self._points.points(slice(None)).T), self._device)

    def nearest(self, centers: Float32) -> tuple[Int32, Float32]:
        """Nearest center of every point and the squared distance."""
        if len(centers) * math.prod(self.shape) < SEARCH_WORK:
            return self._points.nearest(centers)
        device = self._device
        with device.active():
            near = self._rows.scan(DevicePoints(centers, device), 1)
            labels, squared = map(device.download, near)
        return labels[0].astype(np.int32), squared[0]

    def means(self, labels: Int32, weights: Float64, n_labels: int) -> tuple[Float32, Float64]:
        """Weighted mean of the points of every label, and the weights."""
        return self._points.means(labels, weights, n_labels)


class DeviceMember:
    """Tables of a member on a device."""

    def __init__(self, member: Member, device: Device):
        self._device = device
        self._affinity = member.affinity
        tables = member.tables
        arrays = {name: device.upload(table) for name, table in tables._asdict().items()}
        self._tables = (
            *(arrays["own"], arrays["safe"], arrays["margins"]),
            *(np.int32(tables.margins.shape[1]), arrays["scores"], arrays["vectors"]),
            *(np.int32(tables.vectors.shape[1]), arrays["offsets"]),
            np.int32(len(tables.offsets)),
        )

    def label(self, neighbors: DeviceNeighbors, labels: Any, width: int) -> None:
        """Write the labels of some rows to labels, unsigned, `width` labels apart."""
        k, rate, power = self._affinity
        given = *neighbors, np.float32(rate), np.int32(power), *self._tables
        constants = {"K": k, "LABEL": type_name(labels.dtype)}
        n = neighbors.landmarks.shape[1]
        self._device.launch("labels", "label_rows", n, *given, labels, np.int32(width), **constants)


class LabelWords:
    """Label rows on a device, as words (n, w) and as labels unsigned (n, width)."""

    def __init__(self, n_rows: int, n_columns: int, dtype: np.dtype[Any], device: Device):
        per_word = WORD.itemsize // dtype.itemsize
        self.words = device.xp.zeros((n_rows, -(-n_columns // per_word)), WORD)
        self.labels = self.words.view(dtype)

    @property
    def width(self) -> int:
        """Labels from one row to the next."""
        return int(self.labels.shape[1])


class DeviceEnsemble:
    """A fitted ensemble on a device."""

    def __init__(self, ensemble: Ensemble, device: Device):
        self._ensemble = ensemble
        self._device = device
        self._sets = [[DeviceMember(one, device) for one in s.members] for s in ensemble.sets]

    def label(self, neighbors: Iterable[DeviceNeighbors], n_rows: int) -> UInt64:
        """Base labels of some rows as words (n, w), from their neighbors in every set."""
        ensemble, device = self._ensemble, self._device
        out = LabelWords(n_rows, len(ensemble.n_labels), ensemble.dtype, device)
        column, first = 0, None
        for members, near in zip(self._sets, neighbors, strict=True):
            first = near if first is None else first
            for member in members:
                member.label(near, out.labels[:, column:], out.width)
                column += 1
        if ensemble.finest and first is not None:
            given = first.landmarks, out.labels[:, column:], np.int32(out.width)
            constants = {"K": 1, "LABEL": type_name(ensemble.dtype)}
            device.launch("labels", "label_by_landmark", n_rows, *given, **constants)
        words: UInt64 = out.words
        return words


class DeviceKMeansEnsemble:
    """A fitted k-means ensemble on a device."""

    def __init__(self, ensemble: KMeansEnsemble, device: Device):
        self._dtype = ensemble.dtype
        self._device = device
        self._centers = [DevicePoints(centers, device) for centers in ensemble.centers]

    def label(self, rows: DeviceRows) -> UInt64:
        """Base labels of some rows as words (n, w)."""
        n_rows = rows.columns.shape[1]
        out = LabelWords(n_rows, len(self._centers), self._dtype, self._device)
        for column, centers in enumerate(self._centers):
            rows.label_by_nearest(centers, out.labels[:, column:], out.width)
        words: UInt64 = out.words
        return words
