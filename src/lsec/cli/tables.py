"""Base labels from files, a consensus to a file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np
from numpy.typing import NDArray

from lsec.cli.files import LINES_AT_ONCE, map_npy, write_labels
from lsec.output.atomic import open_atomically
from lsec.sources.csv import is_header, parse_lines, split_fields

if TYPE_CHECKING:
    from pyarrow import Array, Schema, Table
    from pyarrow.parquet import ParquetFile

TABLE_FORMATS = (".npy", ".csv", ".parquet")
EMPTY_FIELD = re.compile(r'(?<![^,])[ \t]*(?:"")?[ \t]*(?![^,\r\n])')
INEXACT = 2**53  # from here on, float64 leaves numbers out
MISSING = -1


def check_pyarrow(*paths: Path) -> None:
    """Refuse ``.parquet`` files where pyarrow is not installed."""
    for path in paths:
        if path.suffix.lower() == ".parquet":
            try:
                import pyarrow.parquet  # noqa: F401
            except ImportError as error:
                raise ValueError(
                    f"{path}: .parquet files need pyarrow. Get it with: pip install 'lsec[io]'"
                ) from error


def read_labels(path: Path, columns: Sequence[str] | None = None) -> NDArray | Table:
    """Open the base labels of a file.

    Parameters
    ----------
    path : Path
        A column per base clustering. A ``.npy`` file, which is mapped into memory and not read;
        a ``.csv`` file with or without a line of column names; or a ``.parquet`` file.
    columns : sequence of str, optional
        Names of the columns to read. By default all that have a name and are not an index which
        pandas stored; all of a file without column names.

    Returns
    -------
    labels : ndarray or memmap of shape (n_samples, n_base), or pyarrow Table
        Negative or NaN where a label is missing.
    """
    suffix = path.suffix.lower()
    if suffix == ".csv":
        return _read_csv(path, columns)
    if suffix == ".parquet":
        return _read_parquet(path, columns)
    if suffix != ".npy":
        raise ValueError(
            f"{path}: labels must be in a .npy, .csv or .parquet file; got the ending {suffix!r}."
        )
    if columns is not None:
        raise ValueError(f"{path} has no column names, so that --columns cannot choose any.")
    return map_npy(path)


def _read_csv(path: Path, columns: Sequence[str] | None) -> NDArray[np.float64]:
    with open(path, encoding="utf-8-sig", errors="replace") as file:
        first = file.readline()
        places = _places_in_csv(path, first, columns)
        lines = chain([first], file) if places is None else file
        labels = parse_lines(path, _fill_empty_fields(lines), columns=places)
    if not labels.size:
        raise ValueError(f"{path} has no rows.")
    if (labels >= INEXACT).any():
        raise ValueError(
            f"{path}: labels in a .csv file must be below 2**53. Number them, or use .parquet."
        )
    return labels


def _places_in_csv(path: Path, first: str, columns: Sequence[str] | None) -> list[int] | None:
    """Return which columns to read, or None if the first line holds no column names."""
    if not is_header(first):
        if columns is not None:
            raise ValueError(f"{path} has no column names, so that --columns cannot choose any.")
        return None
    names = split_fields(first)
    if columns is None:
        return [place for place, name in enumerate(names) if name]
    _check_columns(path, names, columns)
    return [names.index(name) for name in columns]


def _check_columns(path: Path, names: Sequence[str], wanted: Sequence[str]) -> None:
    """Refuse columns that a file has not, or has twice."""
    for name in wanted:
        if name not in names:
            raise ValueError(f"{path} has no column {name!r}; it has {', '.join(names)}.")
        if names.count(name) > 1:
            raise ValueError(f"{path} has {names.count(name)} columns {name!r}. Rename them.")


def _fill_empty_fields(lines: Iterable[str]) -> Iterator[str]:
    r"""Write the missing label where a line has none; leave out empty lines.

    >>> list(_fill_empty_fields(["1,,3\n", "\n", ', ,""']))
    ['1,-1,3\n', '-1,-1,-1']
    """
    return (EMPTY_FIELD.sub(str(MISSING), line) for line in lines if line.strip())


def _read_parquet(path: Path, columns: Sequence[str] | None) -> Table:
    import pyarrow as pa
    from pyarrow import parquet

    with open(path, "rb") as opened:
        try:
            with parquet.ParquetFile(opened) as file:
                names = _columns_of_parquet(path, file.schema_arrow, columns)
                arrays = [_read_column(path, file, name) for name in names]
        except (pa.ArrowException, OSError) as error:
            raise ValueError(f"{path} is no .parquet file that can be read: {error}") from error
    return pa.Table.from_arrays(arrays, names)


def _columns_of_parquet(path: Path, schema: Schema, columns: Sequence[str] | None) -> list[str]:
    """Return the names of the columns to read; all of them hold numbers."""
    from pyarrow import types

    index = (schema.pandas_metadata or {}).get("index_columns", [])
    names = [name for name in schema.names if name not in index]
    wanted = names if columns is None else list(columns)
    _check_columns(path, schema.names, wanted)
    for name in wanted:
        kind = schema.field(name).type
        if not (types.is_integer(kind) or types.is_floating(kind)):
            raise ValueError(
                f"{path}: labels must be integers; column {name!r} has the type {kind}. Leave it "
                f"out with --columns, or number its values."
            )
    return wanted


def _read_column(path: Path, file: ParquetFile, name: str) -> Array:
    """Read a column as one piece of integers without nulls, so that numpy needs no copy."""
    import pyarrow as pa
    from pyarrow import compute, types

    column = file.read(columns=[name]).column(name).combine_chunks()
    if types.is_floating(column.type):
        whole = compute.if_else(compute.is_nan(column), None, column)
        try:
            column = whole.cast(pa.int64())
        except pa.ArrowInvalid as error:
            raise ValueError(
                f"{path}: labels must be integers; column {name!r} has others: {error}."
            ) from error
    if not column.null_count:
        return column
    if types.is_unsigned_integer(column.type):
        column = column.cast(pa.int64())
    return column.fill_null(MISSING)


def write_consensus(
    path: Path, labels: NDArray[np.integer], confidence: NDArray[np.float32] | None = None
) -> None:
    """Write labels of shape (n_samples,), and how sure each is, as columns.

    A ``.npy`` file holds the labels alone, a ``.csv`` file has column names if it holds more than
    the labels. The file appears under its name when it is complete.
    """
    suffix = path.suffix.lower()
    if confidence is None:
        write_labels(path, labels)
    elif suffix == ".parquet":
        _write_parquet(path, labels, confidence)
    else:
        with open_atomically(path) as file:
            _write_lines(file, labels, confidence)


def _write_parquet(
    path: Path, labels: NDArray[np.integer], confidence: NDArray[np.float32]
) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    table = pa.table({"label": labels, "confidence": confidence})
    with open_atomically(path) as file:
        parquet.write_table(table, file)


def _write_lines(
    file: BinaryIO, labels: NDArray[np.integer], confidence: NDArray[np.float32]
) -> None:
    file.write(b"label,confidence\n")
    for start in range(0, len(labels), LINES_AT_ONCE):
        rows = slice(start, start + LINES_AT_ONCE)
        pairs = zip(labels[rows].tolist(), confidence[rows], strict=True)
        file.write("".join(f"{label},{share}\n" for label, share in pairs).encode())
