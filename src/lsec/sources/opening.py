"""Which source reads what: arrays by their type, files by their ending."""

from __future__ import annotations

import os
from collections.abc import Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from scipy import sparse

from lsec.sources.array import ArraySource
from lsec.sources.source import RawRows, Source
from lsec.sources.zarr import is_zarr

ENDINGS = ".npy, .parquet, .zarr, .h5, .hdf5 or .csv"


def open_array(rows: RawRows, *, mapped: bool = False, first_row: int = 0) -> Source:
    """Source for validated rows: a 2-D real array, a memory map or a sparse matrix."""
    rows = sparse.csr_matrix(rows) if sparse.issparse(rows) else rows
    return ArraySource(rows, mapped=mapped, first_row=first_row)


def is_stored(rows: Any) -> bool:
    """Whether rows are named by a path, or by several, or are opened already."""
    if isinstance(rows, (list, tuple)):
        return len(rows) > 0 and all(isinstance(one, (str, PathLike)) for one in rows)
    return isinstance(rows, (str, PathLike, Source))


def open_rows(
    path: Any,
    *,
    columns: Sequence[str] | None = None,
) -> Source:
    """Open rows that are stored in files; nothing but headers is read.

    Parameters
    ----------
    path : path or list of paths
        A .npy, .parquet, .zarr, .h5, .hdf5 or .csv file; a folder of .parquet or .npy
        files, taken in the order of their names; or a list of such files. An HDF5 file
        with several 2-D data sets is ``"file.h5::name"``.
    columns : sequence of str, optional
        Columns of Parquet files to use; all by default.

    Returns
    -------
    rows : Source
        Takes the place of `X` in `fit` and `predict`.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import numpy as np
    >>> from lsec import open_rows
    >>> with TemporaryDirectory() as folder:
    ...     np.save(f"{folder}/rows.npy", np.zeros((100, 3)))
    ...     open_rows(f"{folder}/rows.npy").shape
    (100, 3)
    """
    if isinstance(path, Source):
        return path
    if isinstance(path, (list, tuple)):
        names = [fspath(one) for one in path]
        source, called = _open_several(names, columns), " and ".join(names[:2])
    else:
        source, called = _open_path(fspath(path), columns), fspath(path)
    if not source.shape[0]:
        raise ValueError(f"{called}: there are no rows. Name files that hold some.")
    return source


def _open_path(name: str, columns: Sequence[str] | None) -> Source:
    path = Path(name)
    if path.is_dir() and path.suffix != ".zarr" and not is_zarr(path):
        return _open_several(_files_in(path), columns)
    return _open_one(name, columns)


def _open_one(name: str, columns: Sequence[str] | None) -> Source:
    before, _, inside = name.partition("::")
    path, suffix = Path(before), Path(before).suffix.lower()
    if not path.exists():
        raise FileNotFoundError(2, "No such file or folder", before)
    if columns is not None and suffix != ".parquet":
        raise ValueError(f"columns can be chosen in Parquet files only; got {path}.")
    if suffix == ".npy":
        from lsec.sources.npy import NpySource

        return NpySource(path)
    if suffix == ".parquet":
        from lsec.sources.parquet import ParquetSource

        return ParquetSource([path], columns)
    if suffix in (".h5", ".hdf5"):
        from lsec.sources.hdf5 import Hdf5Source

        return Hdf5Source(path, inside or None)
    if suffix == ".csv":
        from lsec.sources.csv import open_csv

        return open_csv(path)
    if path.is_dir():
        from lsec.sources.zarr import ZarrSource

        return ZarrSource(path)
    raise ValueError(f"{path}: rows must be in a {ENDINGS} file; got the ending {path.suffix!r}.")


def _open_several(names: list[str], columns: Sequence[str] | None) -> Source:
    if not names:
        raise ValueError("A list of files must name at least one.")
    if all(name.lower().endswith(".parquet") for name in names):
        from lsec.sources.parquet import ParquetSource

        return ParquetSource(list(map(Path, names)), columns)
    from lsec.sources.shards import ShardedSource

    return ShardedSource([_open_one(name, columns) for name in names], names)


def _files_in(folder: Path) -> list[str]:
    """Parquet files of a folder and the folders in it, or .npy files, by name."""
    walk = os.walk(folder, onerror=_refuse)
    files = sorted(Path(at, name) for at, _, names in walk for name in names)
    for suffix in (".parquet", ".npy"):
        found = [str(path) for path in files if path.suffix == suffix]
        if found:
            return found
    raise ValueError(f"{folder} holds neither .parquet nor .npy files.")


def _refuse(error: OSError) -> None:
    """A folder that cannot be read is an error: without its files there would be other rows."""
    raise error
