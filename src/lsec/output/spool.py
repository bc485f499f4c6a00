"""One number per row, in memory or in a file, until the labels are known; scratch arrays."""

from __future__ import annotations

import os
import tempfile
import threading
from pathlib import Path
from typing import Any

import numpy as np

from lsec.sources.stored import naming
from lsec.typing import AnyArray, Int32


class MemorySpool:
    """Numbers int32 (n,) in memory.

    Parameters
    ----------
    n_rows : int
        Number of rows.
    """

    def __init__(self, n_rows: int):
        self.values: Int32 = np.empty(n_rows, np.int32)

    def write(self, rows: slice, numbers: AnyArray) -> None:
        """Set the numbers of some rows."""
        self.values[rows] = numbers

    def read(self, rows: slice) -> Int32:
        """Return the numbers of some rows."""
        return self.values[rows]


class FileSpool:
    """Numbers int32 (n,) in a file.

    The file is not mapped, because pages of a map count as memory of the process.

    Parameters
    ----------
    folder : Path
        A folder with room for 4 bytes per row.
    name : str, optional
        Name of a lasting file; numbers written to it earlier can be read again. By default
        the file has no name and is removed with this object.
    """

    def __init__(self, folder: Path, name: str | None = None):
        self._place = f"{folder} (a scratch file)" if name is None else str(folder / name)
        self._lock = threading.Lock()
        if name is None:
            self._file: Any = tempfile.TemporaryFile(dir=folder, buffering=0)  # noqa: SIM115, closed with this object
        else:
            (folder / name).touch()
            self._file = open(folder / name, "r+b", buffering=0)  # noqa: SIM115

    def write(self, rows: slice, numbers: AnyArray) -> None:
        """Set the numbers of some rows; several threads may do so at once."""
        data = np.ascontiguousarray(numbers, np.int32).data.cast("B")
        with self._lock, naming(self._place):
            self._file.seek(4 * rows.start)
            while data:
                data = data[self._file.write(data) :]

    def sync(self) -> None:
        """Wait until all numbers are on the disk."""
        with naming(self._place):
            os.fsync(self._file.fileno())

    def read(self, rows: slice) -> Int32:
        """Return the numbers of some rows."""
        numbers = np.empty(rows.stop - rows.start, np.int32)
        missing = numbers.view(np.uint8).data
        with self._lock:
            self._file.seek(4 * rows.start)
            while missing:
                n_read = self._file.readinto(missing)
                if not n_read:
                    raise OSError(
                        f"{self._place} has fewer numbers than were written to it. Remove its "
                        f"folder if it is that of a checkpoint, and fit again."
                    )
                missing = missing[n_read:]
        return numbers


Spool = MemorySpool | FileSpool


def open_spool(n_rows: int, labels_path: Path | None = None) -> Spool:
    """Open a spool in memory or, for labels that go to a file, in the folder of that file."""
    return MemorySpool(n_rows) if labels_path is None else FileSpool(labels_path.parent)


def scratch_array(shape: tuple[int, int], dtype: np.dtype[Any], most_bytes: int) -> AnyArray:
    """Return an array in memory, or mapped from a scratch file if larger than `most_bytes`.

    The file has no name and is removed with the array.
    """
    n_bytes = shape[0] * shape[1] * dtype.itemsize
    if n_bytes <= most_bytes:
        return np.empty(shape, dtype)
    with tempfile.TemporaryFile() as file:
        place = f"{tempfile.gettempdir()} (base labels; TMPDIR names another folder)"
        with naming(place):  # a full disk would end the process on a write to the map
            _reserve(file.fileno(), n_bytes)
        return np.memmap(file, dtype, "r+", shape=shape)


def _reserve(file: int, n_bytes: int) -> None:
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file, 0, n_bytes)
    else:
        os.truncate(file, n_bytes)
