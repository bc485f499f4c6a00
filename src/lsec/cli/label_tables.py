"""Tables of base labels in files."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lsec.sources.columns import ALL_COLUMNS, ColumnChoice, listed
from lsec.sources.csv import parse_lines, places_of, rows_of
from lsec.sources.csv_layout import ENDINGS, open_text, read_layout, reading
from lsec.sources.identifiers import LEAST_ROWS
from lsec.sources.parquet import names_in
from lsec.sources.stored import StoredFile, refusing, require_table
from lsec.typing import AnyArray

if TYPE_CHECKING:
    from pyarrow import Array, Schema, Table
    from pyarrow.parquet import ParquetFile

INEXACT = 2**53  # from here on, float64 does not hold every integer
MISSING = -1
SOME_ROWS = 1000  # that hardly ever all differ in a clustering


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


def read_labels(path: Path, choice: ColumnChoice = ALL_COLUMNS) -> AnyArray | Table:
    """Open a table of base labels (n, m); a label that is missing is negative or NaN.

    A ``.npy`` file is mapped into memory and not read. Of a ``.csv`` file with a line of column
    names, and of a ``.parquet`` file, only the chosen columns are read; by default all columns
    that have a name, are not an index stored by pandas, and do not number the rows.
    """
    suffix = path.suffix.lower()
    if path.name.lower().endswith((".npy", ".parquet", *ENDINGS)):
        StoredFile.of(path, packed=True)  # refuses pipes, which would block forever
    if path.name.lower().endswith(ENDINGS):
        return _read_csv(path, choice)
    if suffix == ".parquet":
        return _read_parquet(path, choice)
    if suffix != ".npy":
        raise ValueError(
            f"{path}: labels must be in a .npy, .csv or .parquet file; got the ending {suffix!r}."
        )
    choice.refuse_nameless(path)
    with refusing(f"{path} is not a .npy file of numbers", Exception):
        labels: AnyArray = np.lib.format.open_memmap(path, mode="r")
    require_table(labels, str(path))
    return labels


def _read_csv(path: Path, choice: ColumnChoice) -> AnyArray:
    layout, names, places = read_layout(path), None, None
    if layout.names is None:
        choice.refuse_nameless(path)
    else:
        names = choice.among(layout.chosen(), path)
        places = places_of(layout, names)
    with reading(path), open_text(path) as text:
        lines = _fill_empty_fields(rows_of(path, text, layout, places), layout.delimiter)
        labels = parse_lines(path, lines, layout, columns=places)
    if not labels.size:
        raise ValueError(f"{path} has no rows.")
    if (labels >= INEXACT).any():
        raise ValueError(
            f"{path}: labels in a .csv file must be below 2**53. Number them, or use .parquet."
        )
    if names is None or choice.columns is not None:
        return labels
    distinct = [j for j, column in enumerate(labels.T) if _numbers_rows(column)]
    _tell_left_out(path, [names[j] for j in distinct], len(names))
    return np.delete(labels, distinct, axis=1) if distinct else labels


def _numbers_rows(column: AnyArray) -> bool:
    """Whether every row has a number of its own, which is no clustering."""
    n = len(column)
    if n < LEAST_ROWS or len(np.unique(column[:SOME_ROWS])) < min(n, SOME_ROWS):
        return False
    return len(np.unique(column)) == n


def _tell_left_out(path: Path, names: Sequence[str], n_columns: int) -> None:
    """Say which columns are no clusterings; if none else is there, refuse the file."""
    if not names:
        return
    if len(names) == n_columns:
        raise ValueError(f"{path}: every row has a label of its own in {listed(names)}.")
    warnings.warn(
        f"{path}: {listed(names)} has another number in every row and is left out. Carry it into "
        "the output with --id, or choose it with --columns.",
        stacklevel=2,
    )


def _fill_empty_fields(lines: Iterable[str], delimiter: str) -> Iterator[str]:
    r"""Fill empty fields with the missing label, and skip empty lines.

    >>> list(_fill_empty_fields(["1,,3\n", "\n", ', ,""'], ","))
    ['1,-1,3\n', '-1,-1,-1']
    """
    empty = re.compile(rf'(?<![^{delimiter}]) *(?:"")? *(?![^{delimiter}\r\n])')
    return (empty.sub(str(MISSING), line) for line in lines if line.strip(" \r\n"))


def _read_parquet(path: Path, choice: ColumnChoice) -> Table:
    import pyarrow as pa
    from pyarrow import parquet

    with (
        open(path, "rb") as opened,
        refusing(f"{path} is no .parquet file that can be read", pa.ArrowException, OSError),
        parquet.ParquetFile(opened) as file,
    ):
        names = _columns_of_parquet(path, file.schema_arrow, choice)
        columns = {name: _read_column(path, file, name) for name in names}
    if choice.columns is None:
        distinct = [name for name, one in columns.items() if _numbers_rows(one.to_numpy())]
        _tell_left_out(path, distinct, len(names))
        columns = {name: column for name, column in columns.items() if name not in distinct}
    return pa.Table.from_arrays(list(columns.values()), list(columns))


def _columns_of_parquet(path: Path, schema: Schema, choice: ColumnChoice) -> list[str]:
    """Return the names of the columns to read; all of them hold numbers."""
    from pyarrow import types

    wanted = choice.among(names_in(schema, choice), path)
    for name in wanted:
        kind = schema.field(name).type
        if not (types.is_integer(kind) or types.is_floating(kind)):
            raise ValueError(
                f"{path}: labels must be integers; column {name!r} has the type {kind}. Leave it "
                f"out with --drop, carry it into the output with --id, or number its values."
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
