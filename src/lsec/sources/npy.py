"""Rows of a .npy file, read when needed and not held."""

from __future__ import annotations

from io import FileIO
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import DTypeLike

from lsec.sources.source import Source
from lsec.sources.stored import StoredFile, read_into, refusing, require_table
from lsec.typing import AnyArray, Int64

FAR_APART = 2**16  # bytes between rows from which on single reads are faster than whole blocks


class NpySource(Source):
    """Rows of a .npy file, in C or Fortran order.

    Blocks are read, not mapped: their memory is free once they have been used, and a truncated
    file raises an error. The file is closed between reads: any number of shards may be open.
    """

    kind = "npy"

    def __init__(self, path: Path):
        self._file = StoredFile.of(path)
        problem = f"{path} is not a whole .npy file of numbers"
        # Headers that lie let NumPy raise errors of many kinds, and overflow.
        with refusing(problem, Exception), np.errstate(over="ignore"):
            header = np.lib.format.open_memmap(path, mode="r")
        require_table(header, str(path))
        super().__init__(header.shape)
        self._dtype = header.dtype
        self._offset = header.offset
        self._by_rows = header.flags.c_contiguous

    def _place(self, row: int, column: int) -> str:
        return f"row {row}, column {column} of {self._file.name}"

    @property
    def files(self) -> list[str]:
        """Absolute path of the file."""
        return [self._file.path]

    def _identity(self) -> dict[str, Any]:
        return {"files": [self._file.fingerprint()]}

    def _read(self, span: slice) -> AnyArray:
        n, d = self.shape
        count = span.stop - span.start
        with self._open() as file:
            if self._by_rows:
                return np.reshape(self._values(file, span.start * d, count * d), (count, d))
            columns = [self._values(file, j * n + span.start, count) for j in range(d)]
            return np.stack(columns, axis=1)

    def _gather(self, which: Int64) -> AnyArray:
        n, d = self.shape
        gap = self._dtype.itemsize * d * n / max(len(which), 1)
        if gap < FAR_APART or not self._by_rows or not len(which):
            return np.asarray(super()._gather(which))
        with self._open() as file:
            return np.stack([self._values(file, int(row) * d, d) for row in which])

    def _open(self) -> FileIO:
        """Open the file for one read."""
        return self._file.open()

    def _values(self, file: FileIO, first: int, count: int) -> AnyArray:
        """Read `count` values from position `first` on."""
        values = np.empty(count, self._dtype)
        start = self._offset + first * self._dtype.itemsize
        read_into(values, file, start, f"{self._file.name} was cut off while it was read.")
        return values


def write_header(file: BinaryIO, shape: tuple[int, ...], dtype: DTypeLike) -> None:
    """Write the header of a C-ordered array to a .npy file, padded for any number of rows."""
    descr = np.lib.format.dtype_to_descr(np.dtype(dtype))
    header = {"descr": descr, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(file, header)
