"""Rows of files: which source reads which ending."""

from __future__ import annotations

import os
from collections.abc import Sequence
from os import PathLike, fspath
from pathlib import Path

from lsec.sources.chunked import Hdf5Source, ZarrSource, is_zarr
from lsec.sources.columns import ColumnChoice
from lsec.sources.composite import ShardedSource
from lsec.sources.csv import open_csv
from lsec.sources.csv_layout import ENDINGS as CSV_ENDINGS
from lsec.sources.npy import NpySource
from lsec.sources.parquet import ParquetSource
from lsec.sources.source import Source

HDF5_ENDINGS = (".h5", ".hdf5", ".h5ad")
KINDS = {
    ".parquet": (".parquet",),
    ".npy": (".npy",),
    ".csv": CSV_ENDINGS,
    ".h5": HDF5_ENDINGS,
    ".zarr": (".zarr",),
}
ENDINGS = ".npy, .parquet, .zarr, .h5, .hdf5, .h5ad, .csv or .tsv"


def open_rows(
    path: str | PathLike[str] | Sequence[str | PathLike[str]] | Source,
    *,
    columns: Sequence[str] | None = None,
    drop: Sequence[str] = (),
) -> Source:
    """Open rows stored in files; only headers are read.

    Parameters
    ----------
    path : path or list of paths
        A .npy, .parquet, .zarr, .h5, .hdf5, .h5ad, .csv or .tsv file (the last two also with
        .gz); a folder of .parquet, .npy or .csv files, read in the order of their names; or a
        list of such files. A data set of an
        HDF5 file that has several 2-D ones is named as ``"file.h5::name"``.
    columns : sequence of str, optional
        Columns to use, in this order, of Parquet files and .csv files with column names. By
        default all but an index that pandas stored, with a warning of those that look like
        identifiers of rows.
    drop : sequence of str, default=()
        Columns to leave out.

    Returns
    -------
    rows : Source
        Takes the place of `X` in `fit` and `predict`. A model fitted on named columns finds
        them by name in other files, whatever their order.

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
    return _open(path, ColumnChoice(_names("columns", columns), _names("drop", drop) or ()))


def open_columns(
    path: str | PathLike[str] | Sequence[str | PathLike[str]], fitted_on: Sequence[str] | None
) -> Source:
    """Open rows for a model: of files with column names, the columns it was fitted on."""
    return _open(path, ColumnChoice(_names("columns", fitted_on), of_fit=True))


def _names(parameter: str, names: Sequence[str] | None) -> tuple[str, ...] | None:
    """Return names of columns; a single string is a mistake, not a sequence of letters."""
    if isinstance(names, str):
        raise ValueError(f"{parameter} must be a list of names, such as [{names!r}].")
    return None if names is None else tuple(names)


def _open(
    path: str | PathLike[str] | Sequence[str | PathLike[str]], choice: ColumnChoice
) -> Source:
    names = [fspath(path)] if isinstance(path, (str, PathLike)) else [fspath(one) for one in path]
    alone = isinstance(path, (str, PathLike))
    source = _open_path(names[0], choice) if alone else _open_several(names, choice)
    if not source.shape[0]:
        raise ValueError(
            f"{' and '.join(names[:2])}: there are no rows. Name files that hold some."
        )
    source.folders = tuple(os.path.abspath(name) for name in names if os.path.isdir(name))
    return source


def _open_path(name: str, choice: ColumnChoice) -> Source:
    """Open a file, a Zarr array or a folder of files."""
    path = Path(name)
    if path.is_dir() and path.suffix != ".zarr" and not is_zarr(path):
        return _open_several(_files_in(path), choice)
    return _open_one(name, choice)


def _open_one(name: str, choice: ColumnChoice) -> Source:
    """Open a file or a Zarr array by its ending."""
    file_name, _, data_set = name.partition("::")
    path, suffix = Path(file_name), Path(file_name).suffix.lower()
    if not path.exists():
        raise FileNotFoundError(2, "No such file or folder", file_name)
    if suffix == ".parquet":
        return ParquetSource([path], choice)
    if path.name.lower().endswith(CSV_ENDINGS):
        return open_csv(path, choice)
    choice.refuse_nameless(path)
    if suffix == ".npy":
        return NpySource(path)
    if suffix in HDF5_ENDINGS:
        return Hdf5Source(path, data_set or None)
    if path.is_dir():
        return ZarrSource(path)
    raise ValueError(f"{path}: rows must be in a {ENDINGS} file; got the ending {path.suffix!r}.")


def _open_several(names: list[str], choice: ColumnChoice) -> Source:
    """Open files whose rows follow each other."""
    if not names:
        raise ValueError("A list of files must name at least one.")
    if all(name.lower().endswith(".parquet") for name in names):
        return ParquetSource(list(map(Path, names)), choice)
    shards = [_open_one(names[0], choice)]
    if shards[0].columns is not None:  # the others have them too, in any order
        choice = ColumnChoice(tuple(shards[0].columns))
    shards += [_open_one(name, choice) for name in names[1:]]
    for name, shard in zip(names, shards, strict=True):
        if (shard.columns is None) != (shards[0].columns is None):
            raise ValueError(f"{name} has column names, {names[0]} has none. Name all or none.")
    return ShardedSource(shards, names)


def _files_in(folder: Path) -> list[str]:
    """List the files of rows in a folder and its subfolders by name; they must be of one kind."""
    files: list[Path] = []
    for at, folders, names in os.walk(folder, onerror=_refuse):
        files += [Path(at, name) for name in names if not name.startswith(".")]
        files += [Path(at, name) for name in folders if name.endswith(".zarr")]
    found: dict[str, list[str]] = {}
    for kind, endings in KINDS.items():
        if names := [str(path) for path in sorted(files) if path.name.lower().endswith(endings)]:
            found[kind] = names
    if len(found) > 1:
        counts = " and ".join(f"{len(names)} {kind} file(s)" for kind, names in found.items())
        raise ValueError(f"{folder} holds {counts}. Name the files to read, or move the others.")
    for names in found.values():
        return names
    raise ValueError(f"{folder} holds neither .parquet nor .npy files, nor .csv files.")


def _refuse(error: OSError) -> None:
    """Raise the error of an unreadable folder: to skip it would drop its rows."""
    raise error
