"""Rows from files, labels to files."""

from __future__ import annotations

import csv
import os
import warnings
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from lsec.files import open_atomically

LABEL_FORMATS = (".npy", ".csv")
LINES_AT_ONCE = 65_536


def read_rows(path: Path) -> NDArray:
    """Open the rows of a file.

    Parameters
    ----------
    path : Path
        A ``.npy`` file, which is mapped into memory and not read, or a ``.csv`` file of numbers,
        with or without a line of column names.

    Returns
    -------
    rows : ndarray or memmap of shape (n_samples, n_features)
        Real numbers. Values of a memory map are not looked at; those of a ``.csv`` are finite.
    """
    suffix = path.suffix.lower()
    if suffix == ".npy":
        return map_npy(path)
    if suffix == ".csv":
        return _read_csv(path)
    raise ValueError(f"{path}: rows must be in a .npy or .csv file; got the ending {suffix!r}.")


def map_npy(path: Path) -> NDArray:
    """Map a ``.npy`` file of real numbers (n, d) into memory; its values are not looked at."""
    try:
        rows = np.lib.format.open_memmap(path, mode="r")
    except ValueError as error:
        raise ValueError(f"{path} is not a .npy file of numbers: {error}") from error
    if rows.ndim != 2 or rows.dtype.kind not in "biuf":
        raise ValueError(
            f"{path} must hold a 2-D array of real numbers; got {rows.dtype} of shape {rows.shape}."
        )
    return rows


def _read_csv(path: Path) -> NDArray:
    with open(path, encoding="utf-8-sig") as file:
        skipped = int(is_header(file.readline()))
        file.seek(0)
        rows = parse_csv(path, islice(file, skipped, None))
    bad = np.argwhere(~np.isfinite(rows))
    if bad.size:
        row, column = bad[0]
        raise ValueError(
            f"{path}: row {row}, column {column} is {rows[row, column]} (counted from 0). Remove "
            f"or impute such rows before fitting."
        )
    return rows


def parse_csv(
    path: Path, lines: Iterable[str], columns: Sequence[int] | None = None
) -> NDArray[np.float64]:
    """Read the numbers of some lines of a ``.csv`` file.

    Parameters
    ----------
    path : Path
        The file, for error messages.
    lines : iterable of str
        Its lines without column names; empty ones do not count.
    columns : sequence of int, optional
        Columns to read, counted from 0; all by default.

    Returns
    -------
    rows : ndarray of shape (n_samples, n_columns)
        At least one row.
    """
    try:
        with warnings.catch_warnings(action="ignore"):  # a file without rows; see below
            rows = np.loadtxt(
                lines, delimiter=",", comments=None, quotechar='"', usecols=columns, ndmin=2
            )
    except ValueError as error:
        reason = str(error).partition(";")[0].rstrip(".")
        raise ValueError(f"{path} must hold numbers between commas: {reason}.") from error
    if rows.size == 0:
        raise ValueError(f"{path} has no rows.")
    return rows


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


def check_output(path: Path, allowed: tuple[str, ...], others: tuple[Path, ...] = ()) -> None:
    """Refuse a file that could not be written at the end, before the work begins."""
    if path.suffix.lower() not in allowed:
        raise ValueError(f"{path} must end in {' or '.join(allowed)}; got {path.suffix!r}.")
    if not path.parent.is_dir():
        raise ValueError(f"{path}: the folder {path.parent} does not exist. Make it first.")
    if path.is_dir() or not os.access(path.parent, os.W_OK):
        raise ValueError(f"{path} cannot be written: it is a folder, or in one that is read-only.")
    if path.resolve() in [other.resolve() for other in others]:
        raise ValueError(f"{path} is named twice. Choose another name for the output.")


def write_labels(path: Path, labels: NDArray[np.integer]) -> None:
    """Write labels of shape (n_samples,) as ``.npy``, or as ``.csv`` with one label a line.

    The file appears under its name when it is complete.
    """
    with open_atomically(path) as file:
        if path.suffix.lower() == ".npy":
            np.save(file, labels)
        else:
            _write_lines(file, labels)


def _write_lines(file: BinaryIO, labels: NDArray[np.integer]) -> None:
    for start in range(0, len(labels), LINES_AT_ONCE):
        block = labels[start : start + LINES_AT_ONCE].tolist()
        file.write("".join(f"{label}\n" for label in block).encode())
