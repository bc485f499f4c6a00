"""Columns of files that name their rows: read once more, to stand beside the labels."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from lsec.sources.columns import ColumnChoice
from lsec.sources.csv import rows_of
from lsec.sources.csv_layout import open_text, read_layout, reading
from lsec.sources.stored import import_for

ROWS_AT_ONCE = 65_536

Columns = list[list[Any]]  # of as many values each, text or what a Parquet file holds


class RowNames:
    """Some columns of files that follow each other, read from the first row to the last.

    Attributes
    ----------
    names : list of str
    types : list of pyarrow types, or None for text
    """

    def __init__(self, files: Sequence[str], names: Sequence[str]):
        self.names = list(names)
        self.types: list[Any] | None = None
        pieces = []
        for path in map(Path, files):
            if path.suffix.lower() == ".parquet":
                found, types = self._of_parquet(path)
                self.types = types if len(files) == 1 or self.types in (None, types) else None
            else:
                found, self.types = self._of_csv(path), None
            pieces.append(found)
        self._pieces = chain.from_iterable(pieces)
        self._rest: Columns = [[] for _ in names]

    def take(self, n_rows: int) -> Columns:
        """Return the columns of the next rows."""
        while len(self._rest[0]) < n_rows:
            piece = next(self._pieces, None)
            if piece is None:
                raise OSError("The files with the identifiers have fewer rows than before.")
            for column, more in zip(self._rest, piece, strict=True):
                column += more
        taken = [column[:n_rows] for column in self._rest]
        self._rest = [column[n_rows:] for column in self._rest]
        return taken

    def _of_parquet(self, path: Path) -> tuple[Iterator[Columns], list[Any]]:
        parquet = import_for(f"Reading {path}", "pyarrow.parquet")
        with parquet.ParquetFile(path) as file:
            schema = file.schema_arrow
        ColumnChoice(tuple(self.names)).among(schema.names, path)

        def pieces() -> Iterator[Columns]:
            with parquet.ParquetFile(path) as file:
                for batch in file.iter_batches(ROWS_AT_ONCE, columns=self.names):
                    yield [batch.column(name).to_pylist() for name in self.names]

        types = [schema.field(name).type for name in self.names]
        return pieces(), [getattr(kind, "value_type", kind) for kind in types]

    def _of_csv(self, path: Path) -> Iterator[Columns]:
        layout, choice = read_layout(path), ColumnChoice(tuple(self.names))
        if layout.names is None:
            choice.refuse_nameless(path)
        choice.among(layout.chosen(), path)
        places = [(layout.names or ()).index(name) for name in self.names]

        def pieces() -> Iterator[Columns]:
            with reading(path), open_text(path) as text:
                lines = filter(str.strip, rows_of(path, text, layout, None))
                rows = csv.reader(lines, delimiter=layout.delimiter, skipinitialspace=True)
                while block := [row for row, _ in zip(rows, range(ROWS_AT_ONCE), strict=False)]:
                    yield [[row[place] for row in block] for place in places]

        return pieces()
