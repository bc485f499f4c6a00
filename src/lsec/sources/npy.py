"""Rows of a .npy file, read when they are needed and then forgotten."""

from __future__ import annotations

import os
from io import FileIO
from pathlib import Path
from typing import Any

import numpy as np

from lsec.sources.source import Source
from lsec.sources.stored import StoredFile, one_line

FAR_APART = 2**16  # bytes between rows above which single reads beat reading all between


class NpySource(Source):
    """Rows of a .npy file, in C or Fortran order.

    Blocks are read into memory of their own instead of being mapped: what has been used
    goes at once, and a file that shrinks is an error instead of a crash. Between reads the
    file is closed, so that there may be any number of shards.
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
        """Where a value lies, for messages."""
        return f"row {row}, column {column} of {self._file.name}"

    def fingerprint(self) -> dict[str, Any]:
        """What tells that rows are the same as those of an earlier run, as JSON values."""
        return {"kind": "npy", "shape": list(self.shape), "files": [self._file.fingerprint()]}

    def _read(self, span: slice) -> np.ndarray:
        n, d = self.shape
        count = span.stop - span.start
        with self._open() as file:
            if self._by_rows:
                return self._values(file, span.start * d, count * d).reshape(count, d)
            columns = [self._values(file, j * n + span.start, count) for j in range(d)]
            return np.stack(columns, axis=1)

    def _gather(self, which: np.ndarray) -> np.ndarray:
        n, d = self.shape
        gap = self._dtype.itemsize * d * n / max(len(which), 1)
        if gap < FAR_APART or not self._by_rows or not len(which):
            return super()._gather(which)
        with self._open() as file:
            return np.stack([self._values(file, int(row) * d, d) for row in which])

    def _open(self) -> FileIO:
        """The file for one read."""
        return self._file.open()

    def _values(self, file: FileIO, first: int, count: int) -> np.ndarray:
        """Values of the file from a position on."""
        size = self._dtype.itemsize
        wanted, place = count * size, self._offset + first * size
        pieces = []
        while wanted:
            piece = os.pread(file.fileno(), wanted, place)
            if not piece:
                raise OSError(f"{self._file.name} was cut off while it was read.")
            pieces.append(piece)
            wanted -= len(piece)
            place += len(piece)
        return np.frombuffer(pieces[0] if len(pieces) == 1 else b"".join(pieces), self._dtype)
