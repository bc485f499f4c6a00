"""Rows of a .npy file, read when needed and not held."""

from __future__ import annotations

from io import FileIO
from pathlib import Path
from typing import Any

import numpy as np

from lsec.sources.source import Source
from lsec.sources.stored import StoredFile, one_line
from lsec.typing import AnyArray, Int64

FAR_APART = 2**16  # bytes between rows from which on single reads are faster than whole blocks


class NpySource(Source):
    """Rows of a .npy file, in C or Fortran order.

    Blocks are read instead of mapped, so that their memory is free once they have been used
    and a truncated file raises an error instead of crashing the process. The file is closed
    between reads, so that the number of shards is not limited.

    Parameters
    ----------
    path : Path
        The file.
    """

    def __init__(self, path: Path):
        self._file = StoredFile.of(path)
        try:
            header = np.lib.format.open_memmap(path, mode="r")
        except ValueError as error:
            raise ValueError(
                f"{path} is not a whole .npy file of numbers: {one_line(error)}."
            ) from error
        if header.ndim != 2 or header.dtype.kind not in "biuf":
            raise ValueError(
                f"{path} must hold a 2-D array of real numbers; got {header.dtype} of shape "
                f"{header.shape}."
            )
        super().__init__(header.shape)
        self._dtype = header.dtype
        self._offset = header.offset
        self._by_rows = header.flags.c_contiguous

    def place(self, row: int, column: int) -> str:
        """Describe the place of a value, for messages."""
        return f"row {row}, column {column} of {self._file.name}"

    def fingerprint(self) -> dict[str, Any]:
        """Identity of the rows, as JSON values."""
        return {"kind": "npy", "shape": list(self.shape), "files": [self._file.fingerprint()]}

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
        missing = values.view(np.uint8).data
        file.seek(self._offset + first * self._dtype.itemsize)
        while missing:
            n_read = file.readinto(missing)
            if not n_read:
                raise OSError(f"{self._file.name} was cut off while it was read.")
            missing = missing[n_read:]
        return values
