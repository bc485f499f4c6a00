"""Rows of a .csv file: converted once, a block at a time, to a temporary .npy file."""

from __future__ import annotations

import csv
import re
import tempfile
import warnings
import weakref
from collections.abc import Iterable, Sequence
from io import FileIO
from pathlib import Path
from typing import Any, BinaryIO, TextIO

import numpy as np

from lsec.output.atomic import naming
from lsec.sources.npy import NpySource
from lsec.sources.stored import StoredFile, one_line

LINES_AT_ONCE = 65_536


def open_csv(path: Path) -> NpySource:
    """Rows of a .csv file of numbers, with or without a line of column names.

    The copy goes with the source. A pickled source refers to the copy: it can be read on
    the same machine, as long as the source that was pickled lives.
    """
    original = StoredFile.of(path)
    folder = tempfile.TemporaryDirectory(prefix="lsec-csv-")
    try:
        copy = Path(folder.name) / "rows.npy"
        with naming(f"{copy} (rows of {path}; TMPDIR names another folder)"):
            _convert(path, copy)
        original.check()
        source = _ConvertedCsv(copy, original)
    except BaseException:
        folder.cleanup()
        raise
    weakref.finalize(source, folder.cleanup)
    return source


class _ConvertedCsv(NpySource):
    def __init__(self, copy: Path, original: StoredFile):
        super().__init__(copy)
        self._original = original

    def place(self, row: int, column: int) -> str:
        """Where a value lies, for messages."""
        return f"row {row}, column {column} of {self._original.name}"

    def fingerprint(self) -> dict[str, Any]:
        """What tells that rows are the same as those of an earlier run, as JSON values."""
        files = [self._original.fingerprint()]
        return {"kind": "csv", "shape": list(self.shape), "files": files}

    def _open(self) -> FileIO:
        try:
            return super()._open()
        except FileNotFoundError as error:
            raise OSError(
                f"The converted rows of {self._original.name} are gone: they go with the source "
                "that was opened first. Keep it, or open the file again."
            ) from error


def _convert(path: Path, copy: Path) -> None:
    n_rows, n_columns = 0, 0
    with open(path, encoding="utf-8-sig") as lines, open(copy, "wb") as out:
        if not is_header(_first_line(path, lines)):
            lines.seek(0)
        while True:
            block = parse_lines(path, lines, most=LINES_AT_ONCE, first_row=n_rows)
            if not block.size:
                break
            if not n_rows:
                n_columns = block.shape[1]
                _write_header(out, 0, n_columns)
            elif block.shape[1] != n_columns:
                raise ValueError(
                    f"{path}: rows from {n_rows} on have {block.shape[1]} columns, those before "
                    f"have {n_columns}."
                )
            n_rows += len(block)
            out.write(block.tobytes())
        if not n_rows:
            raise ValueError(f"{path} has no rows.")
        out.seek(0)
        _write_header(out, n_rows, n_columns)  # as long as before: it has room for any row count


def _first_line(path: Path, lines: TextIO) -> str:
    try:
        return lines.readline()
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not text in UTF-8: {one_line(error)}.") from error


def parse_lines(
    path: Path,
    lines: Iterable[str],
    *,
    columns: Sequence[int] | None = None,
    most: int | None = None,
    first_row: int = 0,
) -> np.ndarray:
    """Numbers of some lines of a .csv file, float64 (n, d); empty where no line is left.

    Parameters
    ----------
    path, first_row
        The file, and how many rows came before, for messages.
    lines : iterable of str
        Without column names; empty lines do not count.
    columns : sequence of int, optional
        Columns to read, counted from 0; all by default.
    most : int, optional
        Rows to read; all by default.
    """
    try:
        with warnings.catch_warnings(action="ignore"):  # no rows are left
            return np.loadtxt(
                lines,
                delimiter=",",
                comments=None,
                quotechar='"',
                usecols=columns,
                max_rows=most,
                ndmin=2,
            )
    except ValueError as error:
        said = str(error).partition(";")[0].rstrip(".")
        reason = re.sub(r"(?<=at row )\d+", lambda row: str(first_row + int(row[0])), said)
        raise ValueError(f"{path} must hold numbers between commas: {reason}.") from error


def _write_header(out: BinaryIO, n_rows: int, n_columns: int) -> None:
    header = {"descr": "<f8", "fortran_order": False, "shape": (n_rows, n_columns)}
    np.lib.format.write_array_header_1_0(out, header)


def is_header(line: str) -> bool:
    """Whether a line holds column names: no field of it is a number.

    >>> is_header("width,height"), is_header("1.5,2"), is_header("1.5,two"), is_header("")
    (True, False, False, False)
    """
    fields = split_fields(line)
    return any(fields) and not any(_is_number(field) for field in fields)


def split_fields(line: str) -> list[str]:
    r"""Return what stands between the commas of a line; quotes keep a comma inside a field.

    >>> split_fields('width, "depth, height",\n')
    ['width', 'depth, height', '']
    """
    return [field.strip() for field in next(csv.reader([line], skipinitialspace=True), [])]


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True
