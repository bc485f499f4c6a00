"""The layout of a .csv file: what separates its fields, and the names of its columns."""

from __future__ import annotations

import csv
import gzip
import re
import warnings
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import TextIO

from lsec.sources.stored import GZIP_MAGIC, refusing

ENDINGS = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
DELIMITERS = (",", ";", "\t")
FEW = 3  # fields that may be 0, 1, 2 by chance
MOST_SIGNS = 2**24
WHOLE = re.compile(r"\d+")


@dataclass(frozen=True)
class Layout:
    """How the lines of a .csv file are read."""

    delimiter: str = ","
    names: tuple[str, ...] | None = None  # of the columns, if the first line holds them
    first: tuple[str, ...] = ()  # fields of the first row

    def chosen(self) -> list[str]:
        """Names of the columns that have one: pandas stores an index without."""
        return [name for name in self.names or () if name]

    def with_text(self) -> list[str]:
        """Names of the columns that hold text in the first row."""
        pairs = zip(self.names or (), self.first, strict=False)
        return [name for name, field in pairs if name and field and not _is_number(field)]


def open_text(path: Path) -> TextIO:
    """Open a text file in UTF-8, also one that is compressed with gzip."""
    with open(path, "rb") as file:
        packed = file.read(2) == GZIP_MAGIC
    if packed:
        return _ShortLines(gzip.GzipFile(path), encoding="utf-8-sig")
    return open(path, encoding="utf-8-sig")


class _ShortLines(TextIOWrapper):
    """Lines of bounded length: a small archive may hold one that no memory holds."""

    def __next__(self) -> str:  # type: ignore[override]
        line = self.readline(MOST_SIGNS)
        if len(line) == MOST_SIGNS:
            raise ValueError(f"{self.name} has a line of more than {MOST_SIGNS} characters.")
        if not line:
            raise StopIteration
        return line


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Name a file whose bytes are not text, or not a whole archive."""
    with (
        refusing(f"{path} is not text in UTF-8. Save it as UTF-8", UnicodeDecodeError),
        refusing(f"{path} is not a whole gzip file", EOFError, gzip.BadGzipFile, zlib.error),
    ):
        yield


def read_layout(path: Path) -> Layout:
    """Return the layout of a file, from its first two lines."""
    with reading(path), open_text(path) as lines:
        first, second = (next(filter(str.strip, lines), "") for _ in range(2))
    spaced = not any(delimiter in first for delimiter in DELIMITERS) and len(first.split()) > 1
    if spaced and all(map(_is_number, first.split())):
        raise ValueError(
            f"{path} has spaces between its fields. Write commas, as numpy.savetxt(..., "
            "delimiter=',') does."
        )
    found = layout_of(first, second)
    if found.names is not None and all(map(WHOLE.fullmatch, found.names)):
        warnings.warn(
            f"{path}: the first line, {first.strip()!r}, is taken for column names, as pandas "
            "writes them. If it is a row, add a line of names before it.",
            stacklevel=2,
        )
    return found


def layout_of(first: str, second: str) -> Layout:
    r"""Return the layout of a file with these first lines.

    The first line holds names if none of its fields is a number, or if pandas wrote it for columns
    without names: 0, 1, 2 and so on, after an empty field, before a line without integers, or in
    many columns. An index, such as the row names of R, may have no name.

    >>> layout_of("width;height\n", "1.5;2")
    Layout(delimiter=';', names=('width', 'height'), first=('1.5', '2'))
    >>> layout_of("1.5,2", "2,3").names, layout_of(",0,1", "0,2,4").names
    (None, ('', '0', '1'))
    >>> layout_of("width;height", "7;1.5;2").names
    ('', 'width', 'height')
    >>> layout_of("0,1", "0.5,2.5").names, layout_of("0,1", "1,0").names
    (('0', '1'), None)
    """
    delimiter = _delimiter(first, second)
    fields, below = split_fields(first, delimiter), split_fields(second, delimiter)
    has_index = fields[:1] == [""]
    numbers = [str(j) for j in range(len(fields) - has_index)]
    by_pandas = len(fields) > 1 and fields[has_index:] == numbers
    by_pandas &= has_index or len(fields) > FEW or not any(map(WHOLE.fullmatch, below))
    if by_pandas or is_header(fields):
        if len(below) == len(fields) + 1 and below[-1]:  # R does not name the row names
            fields.insert(0, "")
        return Layout(delimiter, tuple(fields), tuple(below))
    return Layout(delimiter, None, tuple(fields))


def _delimiter(first: str, second: str) -> str:
    """Return what divides both lines into the same number of fields, at least two."""
    for delimiter in DELIMITERS[::-1]:
        widths = [len(split_fields(line, delimiter)) for line in (first, second or first)]
        if widths[1] - widths[0] in (0, 1) and widths[1] > 1:
            return delimiter
    return DELIMITERS[0]


def is_header(fields: Sequence[str]) -> bool:
    """Whether fields are column names, that is, no numbers.

    >>> is_header(["width", "height"]), is_header(["1.5", "two"]), is_header([""])
    (True, False, False)
    """
    return any(fields) and not any(_is_number(field) for field in fields)


def split_fields(line: str, delimiter: str = ",") -> list[str]:
    r"""Split a line at its delimiters, except those between quotes.

    >>> split_fields('width, "depth, height",\n')
    ['width', 'depth, height', '']
    """
    reader = csv.reader([line], skipinitialspace=True, delimiter=delimiter)
    return [field.strip() for field in next(reader, [])]


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True
