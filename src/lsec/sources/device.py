"""Rows of an array on a GPU, of any library that shares it."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from lsec.kernels.cuda.device import open_device, type_name
from lsec.sources.source import Source, array_block_rows, hash_rows, spread_rows
from lsec.typing import AnyArray, Int64


class DeviceSource(Source):
    """Rows (n, d) on a CUDA device, read in place; blocks are copied to the host when asked for.

    They are checked for NaN and infinity once, on construction.
    """

    kind = "array"

    def __init__(self, rows: Any):
        if len(rows.shape) != 2:
            raise ValueError(
                f"X must be 2-D, a row per sample; got an array with {len(rows.shape)} "
                f"dimension(s). Reshape it, for example with X.reshape(-1, 1)."
            )
        super().__init__(tuple(rows.shape))
        self.rows_per_block = array_block_rows(*self.shape)
        self._given = type(rows)
        self._device = open_device(device_number(rows))
        self._rows = self._device.view(rows)
        self.device = self._device.number
        kind = np.dtype(self._rows.dtype).kind
        if kind not in "biuf":
            raise ValueError(f"X must hold real numbers; got {self._rows.dtype}.")
        if self._rows.dtype.kind == "b":
            self._rows = self._rows.view(np.uint8)
        self._check_finite()
        self.in_memory = True

    def values(self, span: slice) -> Any:
        """Rows of a span, on the device."""
        return self._rows[span]

    def like(self, values: Any) -> Any:
        """Return an array of the host or the device as one of the library of the rows, there."""
        if values is None:  # they are in a file
            return None
        with self._device.active():
            found = self._device.upload(values) if isinstance(values, np.ndarray) else values
            library = sys.modules.get(self._given.__module__.partition(".")[0])
            convert = getattr(library, "from_dlpack", None)
            return found if convert is None else convert(found)

    def _check_finite(self) -> None:
        """Refuse NaN and infinity, and name the first."""
        rows, device = self._rows, self._device
        if rows.dtype.kind != "f":
            return
        with device.active():
            first = device.xp.full(1, np.iinfo(np.uint64).max, np.uint64)
            given = rows if type_name(rows.dtype) else rows.astype(np.float32)
            strides = [np.int64(stride // given.itemsize) for stride in given.strides]
            arguments = given, *strides, np.int32(rows.shape[1]), first
            kind = type_name(given.dtype)
            device.launch("frame", "find_not_finite", len(rows), *arguments, RAW=kind)
            place = int(device.download(first)[0])
        if place < rows.shape[0] * rows.shape[1]:
            row, column = divmod(place, rows.shape[1])
            value = self._read(slice(row, row + 1))[0, column]
            raise ValueError(
                f"Input X contains NaN or infinity: {self._place(row, column)} is {value}. "
                f"Remove or impute such rows before fitting."
            )

    def _identity(self) -> dict[str, Any]:
        """Return what an array of the same rows on the host has."""
        some = self._gather(spread_rows(self.shape[0]))
        return {"dtype": some.dtype.str, "hash": hash_rows(some)}

    def _read(self, span: slice) -> AnyArray:
        with self._device.active():
            return self._device.download(self._rows[span])

    def _gather(self, which: Int64) -> AnyArray:
        with self._device.active():
            return self._device.download(self._rows[self._device.upload(which)])


def device_number(rows: Any) -> int:
    """Number of the device that an array lives on."""
    where = getattr(rows, "__dlpack_device__", None)
    return int(where()[1]) if callable(where) else 0
