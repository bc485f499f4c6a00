"""Block functions of the sweeps on a GPU: a piece of the rows at a time, with the CPU's results.

Neighbors of a piece, and its working rows if they had to be copied, stay on the device for the
next sweep as far as its memory allows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lsec.execution.cuda import DeviceCache
from lsec.execution.pieces import Piece
from lsec.rows.frame import Frame
from lsec.rows.on_device import DeviceFrame, DeviceLandmarks, DeviceNeighbors, DeviceRows
from lsec.rows.rows import Landmarks
from lsec.spectral.ensemble import Ensemble
from lsec.spectral.gram import GramTask
from lsec.spectral.kmeans_ensemble import KMeansEnsemble
from lsec.spectral.on_device import DeviceEnsemble, DeviceKMeansEnsemble
from lsec.typing import AnyArray, RawRows, UInt64

if TYPE_CHECKING:
    from lsec.kernels.cuda.device import Device

ROWS = "rows"  # key of the working rows in the cache
NEIGHBOR_BYTES = 6  # of one entry of a neighbor list


class RowsOfPieces:
    """Working rows of pieces, copied and brought into the frame once if there is room."""

    def __init__(self, frame: Frame, device: Device, cache: DeviceCache):
        self.frame = DeviceFrame(frame, device)
        self._cache = cache

    @property
    def in_place(self) -> bool:
        """Whether raw rows on the device can be read where they are."""
        return self.frame.in_place

    def prepare(self, raw: RawRows) -> AnyArray:
        """Turn a block of raw rows on the host into what is copied."""
        return self.frame.prepare(raw)

    def of(self, piece: Piece) -> DeviceRows:
        """Working rows of a piece."""
        rows = self._cache.get(ROWS, piece.number)
        if rows is None:
            rows = self.frame.rows(piece.read())
            if piece.copied:
                self._cache.keep(ROWS, piece.number, rows)
        found: DeviceRows = rows
        return found


class Searches(RowsOfPieces):
    """Neighbors of pieces in some landmark sets, found once if there is room to keep them."""

    def __init__(
        self,
        frame: Frame,
        searches: Mapping[Any, tuple[Landmarks, int]],
        device: Device,
        cache: DeviceCache,
    ):
        super().__init__(frame, device, cache)
        self._searches = searches
        self._landmarks = {key: DeviceLandmarks(one, device) for key, (one, _) in searches.items()}

    @property
    def row_bytes(self) -> int:
        """Memory for the working values and the neighbors of a row in one set."""
        most = max(k for _, k in self._searches.values())
        return 4 * self.frame.n_features + NEIGHBOR_BYTES * most

    def needs(self, piece: Piece) -> bool:
        """Whether the rows of a piece have to be read."""
        has = self._cache.has
        missing = any(not has(one, piece.number) for one, _ in self._searches.values())
        return missing and not has(ROWS, piece.number)

    def find(self, piece: Piece, keys: Sequence[Any]) -> Iterator[DeviceNeighbors]:
        """Neighbors of a piece in one set after the other."""
        rows = None
        for key in keys:
            landmarks, k = self._searches[key]
            near = self._cache.get(landmarks, piece.number)
            if near is None:
                rows = self.of(piece) if rows is None else rows
                near = rows.neighbors(self._landmarks[key], k)
                self._cache.keep(landmarks, piece.number, near)
            yield near


class FindOnDevice(Searches):
    """Block function of sweep A: neighbors in several landmark sets (equation 2)."""

    def __init__(
        self, frame: Frame, tasks: Mapping[int, GramTask], device: Device, cache: DeviceCache
    ):
        searches = {s: (task.landmarks, task.n_neighbors) for s, task in tasks.items()}
        super().__init__(frame, searches, device, cache)

    def __call__(self, piece: Piece, sets: Sequence[int]) -> Iterator[tuple[int, Any]]:
        """Neighbors of a piece in these sets, one after the other, and its weights."""
        for s, near in zip(sets, self.find(piece, sets), strict=True):
            yield s, (near, piece.weights)


class LabelOnDevice(Searches):
    """Block function of sweep B: base labels as words (n, w) (equations 6 and 7)."""

    def __init__(self, ensemble: Ensemble, device: Device, cache: DeviceCache):
        super().__init__(ensemble.frame, dict(enumerate(ensemble.searches)), device, cache)
        self._ensemble = DeviceEnsemble(ensemble, device)
        self._n_words = -(-len(ensemble.n_labels) * ensemble.dtype.itemsize // 8)

    @property
    def row_bytes(self) -> int:
        """Memory for the working values, neighbors and labels of a row."""
        return super().row_bytes + 8 * self._n_words

    def __call__(self, piece: Piece) -> UInt64:
        """Base labels of a piece."""
        n_rows = piece.span.stop - piece.span.start
        return self._ensemble.label(self.find(piece, list(self._searches)), n_rows)


class LabelByNearest(RowsOfPieces):
    """Block function of sweep B for a k-means ensemble."""

    def __init__(self, ensemble: KMeansEnsemble, device: Device, cache: DeviceCache):
        super().__init__(ensemble.frame, device, cache)
        self._ensemble = DeviceKMeansEnsemble(ensemble, device)
        n_words = -(-len(ensemble.n_labels) * np.dtype(ensemble.dtype).itemsize // 8)
        self.row_bytes = 4 * self.frame.n_features + 8 * n_words

    def needs(self, piece: Piece) -> bool:
        """Whether the rows of a piece have to be read."""
        return not self._cache.has(ROWS, piece.number)

    def __call__(self, piece: Piece) -> UInt64:
        """Base labels of a piece."""
        return self._ensemble.label(self.of(piece))
