"""Tables of base labels in files, and files with the labels and confidence of a consensus."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from lsec.output.atomic import open_atomically
from lsec.output.labels import LINES_AT_ONCE, write_labels
from lsec.sources.columns import ColumnChoice
from lsec.sources.csv import parse_lines, places_of, rows_of
from lsec.sources.csv_layout import ENDINGS, open_text, read_layout, reading
from lsec.sources.stored import refusing, require_table
from lsec.typing import AnyArray, Float32, Float64

if TYPE_CHECKING:
    from pyarrow import Array, Schema, Table
    from pyarrow.parquet import ParquetFile

INEXACT = 2**53  # from here on, float64 does not hold every integer
MISSING = -1


def check_pyarrow(*paths: Path) -> None:
    """Refuse ``.parquet`` files if pyarrow is not installed."""
    for path in paths:
        if path.suffix.lower() == ".parquet":
            try:
                import pyarrow.parquet  # noqa: F401
            except ImportError as error:
                raise ValueError(
                    f"{path}: .parquet files need pyarrow. Get it with: pip install 'lsec[io]'"
                ) from error


def read_labels(path: Path, columns: Sequence[str] | None = None) -> AnyArray | Table:
    """Open a table of base labels (n, m); a label that is missing is negative or NaN.

    A ``.npy`` file is mapped into memory and not read. Of a ``.csv`` file with a line of column
    names, and of a ``.parquet`` file, only the named `columns` are read; by default all columns
    that have a name and are not an index stored by pandas.
    """
    suffix = path.suffix.lower()
    if path.name.lower().endswith(ENDINGS):
        return _read_csv(path, columns)
    if suffix == ".parquet":
        return _read_parquet(path, columns)
    if suffix != ".npy":
        raise ValueError(
            f"{path}: labels must be in a .npy, .csv or .parquet file; got the ending {suffix!r}."
        )
    if columns is not None:
        raise ValueError(f"{path} has no column names, so that --columns cannot choose any.")
    with refusing(f"{path} is not a .npy file of numbers", ValueError):
        labels: AnyArray = np.lib.format.open_memmap(path, mode="r")
    require_table(labels, str(path))
    return labels


def _read_csv(path: Path, columns: Sequence[str] | None) -> Float64:
    layout, choice = read_layout(path), ColumnChoice(None if columns is None else tuple(columns))
    places = None
    if layout.names is None:
        choice.refuse_nameless(path)
    else:
        places = places_of(layout, choice.among(layout.chosen(), path))
    with reading(path), open_text(path) as text:
        lines = _fill_empty_fields(rows_of(path, text, layout, places), layout.delimiter)
        labels = parse_lines(path, lines, layout, columns=places)
    if not labels.size:
        raise ValueError(f"{path} has no rows.")
    if (labels >= INEXACT).any():
        raise ValueError(
            f"{path}: labels in a .csv file must be below 2**53. Number them, or use .parquet."
        )
    return labels


def _fill_empty_fields(lines: Iterable[str], delimiter: str) -> Iterator[str]:
    r"""Fill empty fields with the missing label, and skip empty lines.

    >>> list(_fill_empty_fields(["1,,3\n", "\n", ', ,""'], ","))
    ['1,-1,3\n', '-1,-1,-1']
    """
    empty = re.compile(rf'(?<![^{delimiter}]) *(?:"")? *(?![^{delimiter}\r\n])')
    return (empty.sub(str(MISSING), line) for line in lines if line.strip(" \r\n"))


def _read_parquet(path: Path, columns: Sequence[str] | None) -> Table:
    import pyarrow as pa
    from pyarrow import parquet

    with (
        open(path, "rb") as opened,
        refusing(f"{path} is no .parquet file that can be read", pa.ArrowException, OSError),
        parquet.ParquetFile(opened) as file,
    ):
        names = _columns_of_parquet(path, file.schema_arrow, columns)
        arrays = [_read_column(path, file, name) for name in names]
    return pa.Table.from_arrays(arrays, names)


def _columns_of_parquet(path: Path, schema: Schema, columns: Sequence[str] | None) -> list[str]:
    """Return the names of the columns to read; all of them hold numbers."""
    from pyarrow import types

    index = (schema.pandas_metadata or {}).get("index_columns", [])
    names = [name for name in schema.names if name not in index]
    wanted = names if columns is None else list(columns)
    wanted = ColumnChoice(tuple(wanted)).among(schema.names, path)
    for name in wanted:
        kind = schema.field(name).type
        if not (types.is_integer(kind) or types.is_floating(kind)):
            raise ValueError(
                f"{path}: labels must be integers; column {name!r} has the type {kind}. Leave it "
                f"out with --columns, or number its values."
            )
    return wanted


def _read_column(path: Path, file: ParquetFile, name: str) -> Array:
    """Read a column as a single chunk of integers without nulls, which NumPy need not copy."""
    import pyarrow as pa
    from pyarrow import compute, types

    column = file.read(columns=[name]).column(name).combine_chunks()
    if types.is_floating(column.type):
        whole = compute.if_else(compute.is_nan(column), None, column)
        problem = f"{path}: labels must be integers; column {name!r} has others"
        with refusing(problem, pa.ArrowInvalid):
            column = whole.cast(pa.int64())
    if not column.null_count:
        return column
    if types.is_unsigned_integer(column.type):
        column = column.cast(pa.int64())
    return column.fill_null(MISSING)


def write_consensus(path: Path, labels: AnyArray, confidence: Float32 | None = None) -> None:
    """Write labels (n,), and optionally their confidence (n,), as columns of a file.

    A ``.npy`` file holds labels only; a ``.csv`` file has column names if it has two columns.
    """
    if confidence is None:
        write_labels(path, [labels], len(labels))
        return
    with open_atomically(path) as file:
        if path.suffix.lower() == ".parquet":
            import pyarrow as pa
            from pyarrow import parquet

            parquet.write_table(pa.table({"label": labels, "confidence": confidence}), file)
        else:
            _write_lines(file, labels, confidence)


def _write_lines(file: BinaryIO, labels: AnyArray, confidence: Float32) -> None:
    file.write(b"label,confidence\n")
    for start in range(0, len(labels), LINES_AT_ONCE):
        rows = slice(start, start + LINES_AT_ONCE)
        pairs = zip(labels[rows].tolist(), confidence[rows], strict=True)
        file.write("".join(f"{label},{share}\n" for label, share in pairs).encode())
