"""Rows of a .csv file, converted block by block to a temporary .npy file."""

from __future__ import annotations

import csv
import re
import tempfile
import warnings
import weakref
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from io import FileIO
from pathlib import Path
from typing import Any

import numpy as np

from lsec.sources.npy import NpySource, write_header
from lsec.sources.stored import StoredFile, naming, refusing
from lsec.typing import Float64

LINES_AT_ONCE = 65_536


def open_csv(path: Path) -> NpySource:
    """Open a .csv file of numbers, with or without a line of column names.

    The converted copy is removed with the source. A pickled source refers to the same copy:
    it can be read on the same machine while the original source exists.
    """
    original = StoredFile.of(path)
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="lsec-csv-"))
        copy = Path(folder) / "rows.npy"
        with naming(f"{copy} (rows of {path}; TMPDIR names another folder)"):
            _convert(path, copy)
        original.check()
        source = _ConvertedCsv(copy, original)
        weakref.finalize(source, stack.pop_all().close)
    return source


class _ConvertedCsv(NpySource):
    """Rows of the copy, which errors and fingerprints call by the name of the original."""

    kind = "csv"

    def __init__(self, copy: Path, original: StoredFile):
        super().__init__(copy)
        self._file = replace(self._file, name=original.name)
        self._original = original

    @property
    def files(self) -> list[str]:
        """Absolute path of the original."""
        return [self._original.path]

    def _identity(self) -> dict[str, Any]:
        return {"files": [self._original.fingerprint()]}

    def _open(self) -> FileIO:
        try:
            return super()._open()
        except FileNotFoundError as error:
            raise OSError(
                f"The converted rows of {self._original.name} are gone: they are removed with the "
                "source that was opened first. Hold on to it, or open the file again."
            ) from error


def _convert(path: Path, copy: Path) -> None:
    """Write the numbers of a .csv file as a .npy file."""
    n_rows, n_columns = 0, 0
    with open(path, encoding="utf-8-sig") as lines, open(copy, "wb") as out:
        with refusing(f"{path} is not text in UTF-8", UnicodeDecodeError):
            named = is_header(lines.readline())
        if not named:
            lines.seek(0)
        while True:
            block = parse_lines(path, lines, most=LINES_AT_ONCE, first_row=n_rows)
            if not block.size:
                break
            if not n_rows:
                n_columns = block.shape[1]
                write_header(out, (0, n_columns), "<f8")
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
        write_header(out, (n_rows, n_columns), "<f8")  # of the same length


def parse_lines(
    path: Path,
    lines: Iterable[str],
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


def is_header(line: str) -> bool:
    """Whether a line holds column names, that is, no number.

    >>> is_header("width,height"), is_header("1.5,2"), is_header("1.5,two"), is_header("")
    (True, False, False, False)
    """
    fields = split_fields(line)
    return any(fields) and not any(_is_number(field) for field in fields)


def split_fields(line: str) -> list[str]:
    r"""Split a line at its commas, except those between quotes.

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
