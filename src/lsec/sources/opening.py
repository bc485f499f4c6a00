"""Rows of files: which source reads which ending."""

from __future__ import annotations

import os
from collections.abc import Sequence
from os import PathLike, fspath
from pathlib import Path

from lsec.sources.chunked import Hdf5Source, ZarrSource, is_zarr
from lsec.sources.composite import ShardedSource
from lsec.sources.csv import open_csv
from lsec.sources.npy import NpySource
from lsec.sources.parquet import ParquetSource
from lsec.sources.source import Source

ENDINGS = ".npy, .parquet, .zarr, .h5, .hdf5 or .csv"


def open_rows(
    path: str | PathLike[str] | Sequence[str | PathLike[str]] | Source,
    *,
    columns: Sequence[str] | None = None,
) -> Source:
    """Open rows stored in files; only headers are read.

    Parameters
    ----------
    path : path or list of paths
        A .npy, .parquet, .zarr, .h5, .hdf5 or .csv file; a folder of .parquet or .npy
        files, read in the order of their names; or a list of such files. A data set of an
        HDF5 file that has several 2-D ones is named as ``"file.h5::name"``.
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
    if isinstance(path, (str, PathLike)):
        source, name = _open_path(fspath(path), columns), fspath(path)
    else:
        names = [fspath(one) for one in path]
        source, name = _open_several(names, columns), " and ".join(names[:2])
    if not source.shape[0]:
        raise ValueError(f"{name}: there are no rows. Name files that hold some.")
    return source


def _open_path(name: str, columns: Sequence[str] | None) -> Source:
    """Open a file, a Zarr array or a folder of files."""
    path = Path(name)
    if path.is_dir() and path.suffix != ".zarr" and not is_zarr(path):
        return _open_several(_files_in(path), columns)
    return _open_one(name, columns)


def _open_one(name: str, columns: Sequence[str] | None) -> Source:
    """Open a file or a Zarr array by its ending."""
    file_name, _, data_set = name.partition("::")
    path, suffix = Path(file_name), Path(file_name).suffix.lower()
    if not path.exists():
        raise FileNotFoundError(2, "No such file or folder", file_name)
    if columns is not None and suffix != ".parquet":
        raise ValueError(f"columns can be chosen in Parquet files only; got {path}.")
    if suffix == ".npy":
        return NpySource(path)
    if suffix == ".parquet":
        return ParquetSource([path], columns)
    if suffix in (".h5", ".hdf5"):
        return Hdf5Source(path, data_set or None)
    if suffix == ".csv":
        return open_csv(path)
    if path.is_dir():
        return ZarrSource(path)
    raise ValueError(f"{path}: rows must be in a {ENDINGS} file; got the ending {path.suffix!r}.")


def _open_several(names: list[str], columns: Sequence[str] | None) -> Source:
    """Open files whose rows follow each other."""
    if not names:
        raise ValueError("A list of files must name at least one.")
    if all(name.lower().endswith(".parquet") for name in names):
        return ParquetSource(list(map(Path, names)), columns)
    return ShardedSource([_open_one(name, columns) for name in names], names)


def _files_in(folder: Path) -> list[str]:
    """List the Parquet files of a folder and its subfolders, or the .npy files, by name."""
    walk = os.walk(folder, onerror=_refuse)
    files = sorted(Path(at, name) for at, _, names in walk for name in names)
    for suffix in (".parquet", ".npy"):
        found = [str(path) for path in files if path.suffix == suffix]
        if found:
            return found
    raise ValueError(f"{folder} holds neither .parquet nor .npy files.")


def _refuse(error: OSError) -> None:
    """Raise the error of an unreadable folder: to skip it would drop its rows."""
    raise error
