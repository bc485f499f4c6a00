"""Labels of all rows: in memory, in a scratch file until they are known, in label files.

A *spool* holds one number per row.
"""

from __future__ import annotations

import os
import tempfile
import threading
import weakref
from collections.abc import Callable
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from lsec.output.label_files import (
    LABEL_FORMATS,
    ROW_GROUP,
    LabelTable,
    with_confidence,
    write_labels,
)
from lsec.output.overwriting import refuse_overwriting
from lsec.sources.stored import import_for, naming, read_into
from lsec.typing import AnyArray, Float32, Int32


class MemorySpool:
    """Numbers int32 (n,) in memory."""

    def __init__(self, n_rows: int):
        self.values: Int32 = np.empty(n_rows, np.int32)

    def write(self, rows: slice, numbers: AnyArray) -> None:
        """Set the numbers of some rows."""
        self.values[rows] = numbers

    def read(self, rows: slice) -> Int32:
        """Return the numbers of some rows."""
        return self.values[rows]


class FileSpool:
    """Numbers int32 (n,) in a file without a name, which is removed with this object.

    With a name, the file and the numbers in it stay. It is not mapped, because pages of a map
    count as memory of the process.
    """

    def __init__(self, folder: Path, name: str | None = None):
        self._place = f"{folder} (a scratch file)" if name is None else str(folder / name)
        self._lock = threading.Lock()
        if name is None:
            self._file: Any = tempfile.TemporaryFile(dir=folder, buffering=0)  # noqa: SIM115
        else:
            (folder / name).touch()
            self._file = open(folder / name, "r+b", buffering=0)  # noqa: SIM115
        weakref.finalize(self, self._file.close)

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
        problem = (
            f"{self._place} has fewer numbers than were written to it. Remove its folder if it is "
            f"that of a checkpoint, and fit again."
        )
        with self._lock:
            read_into(numbers, self._file, 4 * rows.start, problem)
        return numbers


Spool = MemorySpool | FileSpool


def _is_model(path: Path) -> bool:
    """Whether a file is a model file, whose archive begins with a document."""
    if not path.is_file():
        return False
    with open(path, "rb") as file:
        return b"model.json" in file.read(64)


class LabelOutput:
    """Takes the labels of a run, to keep them in memory or to write them to `labels_out`.

    A file that could not be written at the end is refused before the work begins.
    """

    def __init__(self, labels_out: str | PathLike[str] | None):
        self.path = path = None if labels_out is None else Path(fspath(labels_out))
        if path is None:
            return
        self._table = labels_out if isinstance(labels_out, LabelTable) else LabelTable(path)
        if path.suffix.lower() not in LABEL_FORMATS:
            raise ValueError(f"labels_out must end in .npy, .csv or .parquet; got {str(path)!r}.")
        if path.is_dir():
            raise ValueError(f"labels_out={str(path)!r} is a folder. Name a file.")
        if not path.parent.is_dir():
            raise ValueError(f"labels_out={str(path)!r}: the folder {path.parent} does not exist.")
        if _is_model(path):
            raise ValueError(f"labels_out={str(path)!r} is a saved model. Name another file.")
        if path.suffix.lower() == ".parquet":
            import_for(f"Writing {path}", "pyarrow.parquet")

    def refuse_overwriting(self, *inputs: str | PathLike[str]) -> None:
        """Refuse to write the labels to a file, or into a folder, that the run uses."""
        if self.path is not None:
            refuse_overwriting(self.path, inputs)

    @property
    def in_memory(self) -> bool:
        """Whether labels are kept in memory."""
        return self.path is None

    def spool(self, n_rows: int) -> Spool:
        """Open a spool in memory or, for labels that go to a file, in the folder of that file."""
        return MemorySpool(n_rows) if self.path is None else FileSpool(self.path.parent)

    def labels(
        self, rows: Any, clusters: Int32, confidence: Callable[[], Float32] | None = None
    ) -> Any:
        """Labels of all rows from the clusters int32 (n',) of their distinct base labels.

        `confidence` computes that of the clusters (n',), for a file that is to hold it.
        """
        if self.path is None:
            return rows.look_up(clusters)
        values: AnyArray = clusters
        if self._table.confidence and confidence is not None:
            values = with_confidence(clusters, confidence())
        return write_labels(self.path, rows.parts(values), rows.n_rows, self._table.row_names)

    def spooled(self, spool: Spool, n_rows: int) -> Int32 | None:
        """Labels that a spool holds: from memory, or written to the file."""
        if isinstance(spool, MemorySpool):
            return spool.values
        assert self.path is not None
        spans = (slice(low, min(low + ROW_GROUP, n_rows)) for low in range(0, n_rows, ROW_GROUP))
        return write_labels(self.path, map(spool.read, spans), n_rows, self._table.row_names)
