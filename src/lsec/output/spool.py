"""A number per row, kept in memory or in a scratch file."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import numpy as np

from lsec.output.atomic import naming


class MemorySpool:
    """Numbers int32 (n,) in memory."""

    def __init__(self, n_rows: int):
        self.values = np.empty(n_rows, np.int32)

    def write(self, rows: slice, numbers: np.ndarray) -> None:
        """Keep the numbers of some rows."""
        self.values[rows] = numbers

    def read(self, rows: slice) -> np.ndarray:
        """Numbers of some rows."""
        return self.values[rows]


class FileSpool:
    """Numbers int32 (n,) in a file.

    Not mapped into memory: pages of a map count as memory of the process.

    Parameters
    ----------
    folder : Path
        Where there is room: 4 bytes per row.
    name : str, optional
        A file that stays, and whose numbers are there if it was written before. By default
        a scratch file without a name, which goes with this object.
    """

    def __init__(self, folder: Path, name: str | None = None):
        self._place = f"{folder} (a scratch file)" if name is None else str(folder / name)
        if name is None:
            self._file = tempfile.TemporaryFile(dir=folder, buffering=0)  # noqa: SIM115, lives as long as this
        else:
            (folder / name).touch()
            self._file = open(folder / name, "r+b", buffering=0)  # noqa: SIM115

    def write(self, rows: slice, numbers: np.ndarray) -> None:
        """Keep the numbers of some rows; from several threads at once."""
        data = np.ascontiguousarray(numbers, np.int32).data.cast("B")
        place = 4 * rows.start
        while len(data):
            with naming(self._place):
                done = os.pwrite(self._file.fileno(), data, place)
            data, place = data[done:], place + done

    def sync(self) -> None:
        """Wait until all that was written is on the disk."""
        with naming(self._place):
            os.fsync(self._file.fileno())

    def read(self, rows: slice) -> np.ndarray:
        """Numbers of some rows."""
        wanted, place, pieces = 4 * (rows.stop - rows.start), 4 * rows.start, []
        while wanted:
            pieces.append(os.pread(self._file.fileno(), wanted, place))
            if not pieces[-1]:
                raise OSError(
                    f"{self._place} has fewer numbers than were written to it. Remove its folder "
                    f"if it is that of a checkpoint, and fit again."
                )
            wanted -= len(pieces[-1])
            place += len(pieces[-1])
        return np.frombuffer(b"".join(pieces), np.int32)


Spool = MemorySpool | FileSpool
