"""Which source reads what: arrays and collections by type, files by ending."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from lsec.sources.source import ArraySource, Source
from lsec.typing import RawRows

ENDINGS = ".npy, .parquet, .zarr, .h5, .hdf5 or .csv"


def open_source(X: Any, validate: Callable[[Any], RawRows] | None = None) -> Source:
    """Open the rows that `fit` and `predict` take.

    Parameters
    ----------
    X : array-like, sparse matrix, Dask collection, path, list of paths or Source
        The rows (n, d). A source is returned unchanged.
    validate : callable, optional
        Turns rows in memory, or mapped into memory, into a 2-D array or a sparse matrix of
        real numbers. It is not called for other rows.

    Returns
    -------
    source : Source
    """
    if isinstance(X, Source) or _are_paths(X):
        return open_rows(X)
    if is_dask(X):
        from lsec.sources.dask import DaskRows

        return DaskRows(X)
    rows = X if validate is None else validate(X)
    return ArraySource(rows, mapped=isinstance(X, np.memmap))


def is_dask(rows: Any) -> bool:
    """Whether rows are a Dask collection; does not import Dask."""
    return callable(getattr(rows, "__dask_graph__", None))


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


def _are_paths(X: Any) -> bool:
    """Whether rows are given as a path or as a list of paths."""
    several = X if isinstance(X, (list, tuple)) else [X]
    return len(several) > 0 and all(isinstance(one, (str, PathLike)) for one in several)


def _open_path(name: str, columns: Sequence[str] | None) -> Source:
    """Open a file, a Zarr array or a folder of files."""
    from lsec.sources.chunked import is_zarr

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
        from lsec.sources.npy import NpySource

        return NpySource(path)
    if suffix == ".parquet":
        from lsec.sources.parquet import ParquetSource

        return ParquetSource([path], columns)
    if suffix in (".h5", ".hdf5"):
        from lsec.sources.chunked import Hdf5Source

        return Hdf5Source(path, data_set or None)
    if suffix == ".csv":
        from lsec.sources.csv import open_csv

        return open_csv(path)
    if path.is_dir():
        from lsec.sources.chunked import ZarrSource

        return ZarrSource(path)
    raise ValueError(f"{path}: rows must be in a {ENDINGS} file; got the ending {path.suffix!r}.")


def _open_several(names: list[str], columns: Sequence[str] | None) -> Source:
    """Open files whose rows follow each other."""
    if not names:
        raise ValueError("A list of files must name at least one.")
    if all(name.lower().endswith(".parquet") for name in names):
        from lsec.sources.parquet import ParquetSource

        return ParquetSource(list(map(Path, names)), columns)
    from lsec.sources.composite import ShardedSource

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
