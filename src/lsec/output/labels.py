"""Where labels go: into memory, or straight to a file that may be larger than memory."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lsec.output.atomic import naming
from lsec.output.label_files import check_labels_path, open_labels
from lsec.output.spool import FileSpool, MemorySpool, Spool

if TYPE_CHECKING:
    from lsec.execution.distinct import DistinctLabels

ROWS_AT_ONCE = 2**20


class LabelOutput:
    """Takes the labels of a run.

    Parameters
    ----------
    labels_out : path or None
        File to write labels to; None keeps them in memory.
    """

    def __init__(self, labels_out: str | PathLike[str] | None):
        self.path = None if labels_out is None else Path(fspath(labels_out))
        if self.path is not None:
            check_labels_path(self.path)

    @property
    def in_memory(self) -> bool:
        """Whether labels are kept in memory."""
        return self.path is None

    def spool(self, n_rows: int) -> Spool:
        """A number per row, until labels are known: in memory, or beside the labels' file."""
        return MemorySpool(n_rows) if self.path is None else FileSpool(self.path.parent)

    def labels(self, rows: DistinctLabels, clusters: np.ndarray) -> Any:
        """Labels of all rows from the clusters int32 (n',) of their distinct base labels."""
        if self.in_memory:
            return rows.look_up(clusters)
        return self.write(rows.parts(clusters), int(rows.counted.counts.sum()))

    def spooled(self, spool: Spool, n_rows: int) -> np.ndarray | None:
        """Labels that a spool holds: from memory, or written to the file."""
        if isinstance(spool, MemorySpool):
            return spool.values
        spans = (slice(a, min(a + ROWS_AT_ONCE, n_rows)) for a in range(0, n_rows, ROWS_AT_ONCE))
        return self.write(map(spool.read, spans), n_rows)

    def write(self, parts: Iterable[np.ndarray], n_rows: int) -> np.ndarray | None:
        """Write labels, part by part; returns them mapped into memory if the file is .npy."""
        assert self.path is not None
        with open_labels(self.path, n_rows) as write:
            for part in parts:
                write(part)
        return np.load(self.path, mmap_mode="r") if self.path.suffix.lower() == ".npy" else None


def scratch_array(shape: tuple[int, int], dtype: np.dtype, most_bytes: int) -> np.ndarray:
    """An array in memory, or mapped from a scratch file where it would exceed `most_bytes`.

    The file has no name and goes with the array.
    """
    if shape[0] * shape[1] * dtype.itemsize <= most_bytes:
        return np.empty(shape, dtype)
    with tempfile.TemporaryFile() as file:
        place = f"{tempfile.gettempdir()} (base labels; TMPDIR names another folder)"
        with naming(place):  # a map of a file that finds no room later would end the process
            _make_room(file.fileno(), shape[0] * shape[1] * dtype.itemsize)
        return np.memmap(file, dtype, "r+", shape=shape)


def _make_room(file: int, n_bytes: int) -> None:
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file, 0, n_bytes)
    else:
        os.truncate(file, n_bytes)
