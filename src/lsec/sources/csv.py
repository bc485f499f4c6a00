"""Rows of a .csv file, converted block by block to a temporary .npy file."""

from __future__ import annotations

import re
import tempfile
import warnings
import weakref
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from io import FileIO
from pathlib import Path
from typing import Any

import numpy as np

from lsec.sources.columns import ALL_COLUMNS, ColumnChoice
from lsec.sources.csv_layout import Layout, open_text, read_layout, reading
from lsec.sources.identifiers import AscendingColumns, warn_of_identifiers
from lsec.sources.npy import NpySource, write_header
from lsec.sources.stored import StoredFile, naming, shortened
from lsec.typing import Float64

LINES_AT_ONCE = 65_536
MOST_QUOTED = 32  # characters of a value or a name in a message
MOST_REASON = 240  # of the reason, which may name the file once more
NO_NUMBER = re.compile(r"could not convert string (.*) to float64 at row (\d+), column (\d+)")
DECIMAL_COMMA = re.compile(r"'\s*-?\d+,\d+\s*'")


def open_csv(path: Path, choice: ColumnChoice = ALL_COLUMNS) -> NpySource:
    """Open a .csv file of numbers, with or without a line of column names.

    The converted copy is removed with the source. A pickled source refers to the same copy:
    it can be read on the same machine while the original source exists.
    """
    original = StoredFile.of(path, packed=True)
    layout = read_layout(path)
    columns = None
    if layout.names is None:
        choice.refuse_nameless(path)
    else:
        columns = choice.among(layout.chosen(), path)
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="lsec-csv-"))
        copy = Path(folder) / "rows.npy"
        with naming(f"{copy} (rows of {path}; TMPDIR names another folder)"):
            found = _convert(path, copy, layout, columns)
        original.check()
        if choice.is_default:
            warn_of_identifiers(path, columns, found.places())
        source = _ConvertedCsv(copy, original, columns)
        weakref.finalize(source, stack.pop_all().close)
    return source


class _ConvertedCsv(NpySource):
    """Rows of the copy, which errors and fingerprints call by the name of the original."""

    kind = "csv"

    def __init__(self, copy: Path, original: StoredFile, columns: list[str] | None):
        super().__init__(copy)
        self.columns = columns
        self._file = replace(self._file, name=original.name)
        self._original = original

    @property
    def files(self) -> list[str]:
        """Absolute path of the original."""
        return [self._original.path]

    def _place(self, row: int, column: int) -> str:
        if self.columns is None:
            return super()._place(row, column)
        return f"row {row}, column {self.columns[column]!r} of {self._file.name}"

    def _identity(self) -> dict[str, Any]:
        return {"columns": self.columns, "files": [self._original.fingerprint()]}

    def _open(self) -> FileIO:
        try:
            return super()._open()
        except FileNotFoundError as error:
            raise OSError(
                f"The converted rows of {self._original.name} are gone: they are removed with the "
                "source that was opened first. Hold on to it, or open the file again."
            ) from error


def _convert(
    path: Path, copy: Path, layout: Layout, columns: Sequence[str] | None
) -> AscendingColumns:
    """Write the numbers of the chosen columns as a .npy file."""
    places = None if columns is None else places_of(layout, columns)
    n_rows, n_columns, ascending = 0, 0, AscendingColumns()
    with reading(path), open_text(path) as text, open(copy, "wb") as out:
        lines = rows_of(path, text, layout, places)
        while True:
            block = parse_lines(
                path, lines, layout, columns=places, most=LINES_AT_ONCE, first_row=n_rows
            )
            if not block.size:
                break
            if not n_rows:
                n_columns = block.shape[1]
                write_header(out, (0, n_columns), "<f8")
                if columns is not None and n_columns != len(columns):
                    raise ValueError(
                        f"{path} has {len(columns)} column names, and {n_columns} columns in row "
                        f"0. Name every column."
                    )
            elif block.shape[1] != n_columns:
                raise ValueError(
                    f"{path}: rows from {n_rows} on have {block.shape[1]} columns, those before "
                    f"have {n_columns}."
                )
            n_rows += len(block)
            ascending.add(block)
            out.write(block.tobytes())
        if not n_rows:
            raise ValueError(f"{path} has no rows.")
        out.seek(0)
        write_header(out, (n_rows, n_columns), "<f8")  # of the same length
    return ascending


def places_of(layout: Layout, columns: Sequence[str]) -> list[int] | None:
    """Return the positions of columns, or None for all columns in their order."""
    names = list(layout.names or ())
    return None if list(columns) == names else [names.index(name) for name in columns]


def rows_of(
    path: Path, text: Iterable[str], layout: Layout, places: Sequence[int] | None
) -> Iterable[str]:
    """Lines after the column names; of the right width if only some `places` are read."""
    lines = iter(text)
    if layout.names is not None:
        next(filter(str.strip, lines), "")
    return lines if places is None else _of_width(path, lines, layout)


def _of_width(path: Path, lines: Iterator[str], layout: Layout) -> Iterator[str]:
    """Lines with a field for every name: a surplus one would move the others aside."""
    row, width = 0, len(layout.names or ())
    for line in lines:
        n_fields = line.count(layout.delimiter) + 1
        if n_fields != width and '"' not in line and line.strip():
            raise ValueError(f"{path}: row {row} has {n_fields} fields for {width} column names.")
        row += bool(line.strip())
        yield line


def parse_lines(
    path: Path,
    lines: Iterable[str],
    layout: Layout,
    *,
    columns: Sequence[int] | None = None,
    most: int | None = None,
    first_row: int = 0,
) -> Float64:
    """Parse lines of a .csv file without column names; empty lines are skipped.

    Reads at most `most` rows, and the `columns` at these positions; by default all. Returns
    numbers (n, d), of size 0 if no lines are left. Errors count rows from `first_row`.
    """
    try:
        with warnings.catch_warnings(action="ignore"):  # of an empty result
            return np.loadtxt(
                lines,
                delimiter=layout.delimiter,
                comments=None,
                quotechar='"',
                usecols=columns,
                max_rows=most,
                ndmin=2,
            )
    except UnicodeDecodeError:
        raise
    except ValueError as error:
        if str(error).startswith(f"{path}: "):
            raise
        raise ValueError(_explain(path, str(error), layout, first_row)) from error


def _explain(path: Path, said: str, layout: Layout, first_row: int) -> str:
    """Return what is wrong with a line, where, and the remedy."""
    found = NO_NUMBER.search(said)
    if found is None:
        said = said.partition(";")[0].rstrip(".")
        reason = re.sub(r"(?<=at row )\d+", lambda row: str(first_row + int(row[0])), said)
        return f"{path} must hold numbers between commas: {shortened(reason, MOST_REASON)}."
    text, row, place = (
        shortened(found[1], MOST_QUOTED),
        first_row + int(found[2]),
        int(found[3]) - 1,
    )
    column: object = place
    remedy = "Leave such columns out, by names in a first line, or turn them into numbers."
    if layout.names is not None and place < len(layout.names):
        column = shortened(repr(layout.names[place]), MOST_QUOTED)
        unused = layout.with_text() or [layout.names[place]]
        remedy = (
            f"Leave text out with drop={shortened(repr(unused), MOST_QUOTED)} (--drop or --id "
            f"{shortened(','.join(unused), MOST_QUOTED)} on the command line), or turn it into "
            f"numbers."
        )
    if DECIMAL_COMMA.fullmatch(text):
        remedy = "Write decimal points instead of commas."
    problem = f"could not convert string {text} in row {row}, column {column}"
    if not text.strip("' "):
        problem = f"row {row}, column {column} is empty"
        remedy = "Remove or impute such rows, or leave the column out."
    return f"{path} must hold numbers: {problem}. {remedy}"
