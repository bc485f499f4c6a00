"""Rows of Zarr arrays and HDF5 data sets; the only place that imports zarr and h5py."""

from __future__ import annotations

import math
import os
import re
import stat
from abc import abstractmethod
from pathlib import Path
from typing import Any

import numpy as np

from lsec.sources.composite import GroupedSource
from lsec.sources.source import block_rows
from lsec.sources.stored import StoredFile, import_for, one_line, refusing, require_table
from lsec.typing import AnyArray

ZARR_METADATA = {"zarr.json", ".zarray"}
ZARR_CHUNK = re.compile(r"(?:c[/.])?(\d+)[/.](\d+)")


class ChunkedSource(GroupedSource):
    """Rows of a Zarr array or HDF5 data set (n, d); a run of whole chunks is decoded at a time."""

    def __init__(self, array: Any, name: str):
        n, d = array.shape
        step = (array.chunks[0] if array.chunks else 0) or block_rows(d)
        step = max(step, block_rows(d) // step * step)
        full, rest = divmod(n, step)
        super().__init__([step] * full + [rest] * (rest > 0), d)
        self._array: Any = array
        self._name = name

    @abstractmethod
    def _open(self) -> Any:
        """Open the array again; raise an OSError if it has changed."""

    def __getstate__(self) -> dict[str, Any]:
        """Names and places; the array is opened again on first use."""
        return super().__getstate__() | {"_array": None}

    def _place(self, row: int, column: int) -> str:
        return f"{super()._place(row, column)} of {self._name}"

    def _decode(self, group: int) -> AnyArray:
        start, stop = (self.first_row + int(end[group]) for end in (self._starts, self._ends))
        if self._array is None:
            self._array = self._open()
        try:
            return np.asarray(self._array[start:stop])
        except MemoryError:
            raise
        except Exception as error:
            raise OSError(
                f"Rows {start} to {stop - 1} of {self._name} cannot be read: {one_line(error)}. "
                "The file may be damaged."
            ) from error


class Hdf5Source(ChunkedSource):
    """Rows of a data set in an HDF5 file, by default of the only 2-D one."""

    kind = "hdf5"

    def __init__(self, path: Path, data_set: str | None):
        self._file = StoredFile.of(path)
        file = _open_hdf5(path)
        tables = [data_set] if data_set else _tables(path, file)
        if len(tables) != 1:
            listed = ", ".join(tables) or "none"
            raise ValueError(
                f"{path} has {len(tables)} 2-D data sets; name one as {path}::NAME: {listed}."
            )
        (self._data_set,) = tables
        table = file.get(self._data_set)
        if not hasattr(table, "ndim"):
            listed = ", ".join(_tables(path, file)) or "none"
            problem = f"has no data set {data_set!r}"
            if table is not None:
                problem = f"has a group {data_set!r}, such as a sparse matrix, not a data set"
            raise ValueError(f"{path} {problem}; its 2-D data sets are: {listed}.")
        name = f"{path}::{self._data_set}"
        require_table(table, name)
        _require_inside(table, path)
        _require_written(table, name)
        super().__init__(table, name)

    @property
    def files(self) -> list[str]:
        """Absolute path of the file."""
        return [self._file.path]

    def _identity(self) -> dict[str, Any]:
        return {"data set": self._data_set, "files": [self._file.fingerprint()]}

    def _open(self) -> Any:
        return _open_hdf5(Path(self._file.path))[self._data_set]

    def _decode(self, group: int) -> AnyArray:
        self._file.check()
        return super()._decode(group)


def _open_hdf5(path: Path) -> Any:
    h5py = import_for(f"Reading {path}", "h5py")
    with refusing(f"{path} is not a whole HDF5 file", OSError):
        return h5py.File(path, "r")


def _require_inside(table: Any, path: Path) -> None:
    """Refuse a data set whose rows lie in other files: a file must not name what is read."""
    outside = [table.file.filename] if not os.path.samefile(table.file.filename, path) else []
    outside += [name for name, _, _ in table.external or ()]
    if table.is_virtual:
        outside += [one.file_name for one in table.virtual_sources() if one.file_name != "."]
    if outside:
        raise ValueError(
            f"{path}::{table.name} refers to rows in another file, {os.fsdecode(outside[0])}. Name "
            "that file, or copy the rows into one."
        )


def _require_written(table: Any, name: str) -> None:
    """Refuse a data set of which parts are not stored, as an interrupted writer leaves it.

    HDF5 would read them as zeros: rows that nobody wrote.
    """
    n_missing = 0
    if table.chunks is not None:
        n_chunks = math.prod(
            -(-n // step) for n, step in zip(table.shape, table.chunks, strict=True)
        )
        n_missing = n_chunks - table.id.get_num_chunks()
        part = f"{n_missing} of its {n_chunks} chunks"
    elif not table.is_virtual:
        n_missing = math.prod(table.shape) * table.dtype.itemsize - table.id.get_storage_size()
        part = f"{n_missing} bytes of its rows"
    if n_missing > 0:
        raise ValueError(f"{name} lacks {part}. Write it again.")


def _tables(path: Path, file: Any) -> list[str]:
    """Return the names of the 2-D data sets of a file."""
    tables: list[str] = []

    def visit(name: str, item: Any) -> None:
        if getattr(item, "ndim", 0) == 2:  # groups have no dimensions
            tables.append(name)

    with refusing(f"{path} is not a whole HDF5 file", OSError, RuntimeError, KeyError):
        file.visititems(visit)
    return tables


class ZarrSource(ChunkedSource):
    """Rows of a Zarr array in a folder."""

    kind = "zarr"

    def __init__(self, path: Path):
        self._state = _state(os.path.abspath(path))
        array = _open_zarr(path)
        require_table(array, str(path))
        _require_all_chunks(path, array)
        super().__init__(array, str(path))

    @property
    def files(self) -> list[str]:
        """Absolute path of the folder."""
        return [str(self._state["path"])]

    def _identity(self) -> dict[str, Any]:
        return {"files": [self._state]}

    def _open(self) -> Any:
        folder = self._state["path"]
        if _state(folder) != self._state:
            raise OSError(
                f"{self._name} changed while its rows were used. Start again when the array is "
                "complete."
            )
        return _open_zarr(Path(folder))


def _state(folder: str) -> dict[str, Any]:
    """The files in a folder, with the sizes and times that tell whether they have changed."""
    found = [os.stat(file) for file in _files(folder)]
    for file, one in zip(_files(folder), found, strict=False):
        if not stat.S_ISREG(one.st_mode):  # opening a pipe would block forever
            raise ValueError(f"{folder} holds {file}, which is not a file. Remove it.")
    return {
        "path": folder,
        "n_files": len(found),
        "size": sum(one.st_size for one in found),
        "mtime_ns": max((one.st_mtime_ns for one in found), default=0),
    }


def is_zarr(folder: Path) -> bool:
    """Whether a folder is a Zarr array."""
    return not ZARR_METADATA.isdisjoint(os.listdir(folder))


def _open_zarr(path: Path) -> Any:
    zarr = import_for(f"Reading {path}", "zarr")
    with refusing(f"{path} is not a Zarr array", Exception):
        opened = zarr.open(str(path), mode="r")
    if not hasattr(opened, "chunks"):
        raise ValueError(f"{path} is a Zarr group. Name the array inside it, such as {path}/X.")
    return opened


def _require_all_chunks(path: Path, array: Any) -> None:
    """Refuse an array with missing chunks, as an interrupted writer leaves it.

    Zarr would read them as the fill value, usually zero: rows that nobody wrote.
    """
    found = {
        (int(match[1]), int(match[2]))
        for file in _files(path)
        if (match := ZARR_CHUNK.fullmatch(os.path.relpath(file, path).replace(os.sep, "/")))
    }
    steps = getattr(array, "shards", None) or array.chunks
    down, across = (-(-n // step) for n, step in zip(array.shape, steps, strict=True))
    n_missing = down * across - sum(i < down and j < across for i, j in found)
    if n_missing:
        row = next(i for i in range(down) for j in range(across) if (i, j) not in found)
        raise ValueError(
            f"{path} lacks {n_missing} of its {down * across} chunks, the first at row "
            f"{row * steps[0]}. Write the array again; if these rows hold nothing but the fill "
            f"value {array.fill_value}, with write_empty_chunks=True."
        )


def _files(path: str | Path) -> list[str]:
    return [os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names]
