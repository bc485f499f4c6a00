"""Rows of Parquet files; the only place that imports pyarrow's reader."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lsec.sources.groups import GroupedSource
from lsec.sources.stored import StoredFile, one_line


class ParquetSource(GroupedSource):
    """Rows of Parquet files, one after the other; a row group is decoded at a time.

    Parameters
    ----------
    paths : sequence of Path
    columns : sequence of str, optional
        Columns to read, in this order; all by default. They must hold numbers.
    """

    def __init__(self, paths: Sequence[Path], columns: Sequence[str] | None = None):
        self._files = [StoredFile.of(path) for path in paths]
        self.columns = list(columns or [])
        groups: list[tuple[int, int, int, int]] = []
        for number, path in enumerate(paths):
            with _open(path) as file:
                if columns is None and not number:
                    self.columns = list(file.schema_arrow.names)
                _check_columns(path, file.schema_arrow, self.columns)
                groups += _groups(path, number, file.metadata)
        # Of every group: its file, its number there, and its first row there
        table = np.array(groups, np.int64).reshape(-1, 4)
        self._where = table[:, :3]
        super().__init__(table[:, 3], len(self.columns))

    def place(self, row: int, column: int) -> str:
        """Where a value lies, for messages."""
        group = int(np.searchsorted(self._ends, row, side="right"))
        number, _, first = self._where[group].tolist()
        inside = first + row - int(self._starts[group])
        return f"row {inside}, column {self.columns[column]!r} of {self._files[number].name}"

    def fingerprint(self) -> dict[str, Any]:
        """What tells that rows are the same as those of an earlier run, as JSON values."""
        return {
            "kind": "parquet",
            "shape": list(self.shape),
            "columns": self.columns,
            "files": [file.fingerprint() for file in self._files],
        }

    def _keep(self, groups: range) -> None:
        self._where = self._where[groups.start : groups.stop].copy()
        if groups:
            first, last = int(self._where[0, 0]), int(self._where[-1, 0])
            self._files = self._files[first : last + 1]
            self._where[:, 0] -= first

    def _decode(self, group: int) -> np.ndarray:
        number, inside, first = self._where[group].tolist()
        stored, n_rows = self._files[number], int(self._ends[group] - self._starts[group])
        stored.check()
        try:
            with _open(Path(stored.path)) as file:  # files hold a position: one for each reader
                table = file.read_row_group(inside, columns=self.columns, use_threads=False)
            if table.num_rows != n_rows:
                raise ValueError(f"it has {table.num_rows} rows, not the {n_rows} announced")
        except Exception as error:
            stored.check()
            raise OSError(
                f"Rows {first} to {first + n_rows - 1} of {stored.name} cannot be read: "
                f"{one_line(error)}. The file is damaged."
            ) from error
        columns = [_values(table.column(name)) for name in self.columns]
        out = np.empty((n_rows, len(columns)), np.result_type(*columns))
        for j, column in enumerate(columns):
            out[:, j] = column
        return out


def _groups(path: Path, number: int, metadata: Any) -> list[tuple[int, int, int, int]]:
    """File, number, first row and rows of the row groups of a file."""
    rows = [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]
    if sum(rows) != metadata.num_rows or min(rows, default=0) < 0:
        raise ValueError(
            f"{path} is not a whole Parquet file: it announces {metadata.num_rows} rows and row "
            f"groups of {sum(rows)}."
        )
    starts = np.cumsum([0, *rows]).tolist()
    return [(number, group, starts[group], n) for group, n in enumerate(rows)]


def _values(column: Any) -> np.ndarray:
    """Values of a column; NaN for its nulls."""
    from pyarrow import types, uint8

    if types.is_boolean(column.type) and column.null_count:
        column = column.cast(uint8())
    return column.to_numpy()


def _open(path: Path) -> Any:
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    except ImportError as error:
        raise ImportError(
            f"Reading {path} needs pyarrow. Install it with: pip install 'lsec[io]'"
        ) from error
    try:
        return ParquetFile(path, page_checksum_verification=True)
    except (ArrowException, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:  # of the system
            raise
        raise ValueError(f"{path} is not a whole Parquet file: {one_line(error)}.") from error


def _check_columns(path: Path, schema: Any, columns: list[str]) -> None:
    from pyarrow import types

    for name in columns:
        if schema.names.count(name) > 1:
            raise ValueError(f"{path} has several columns {name!r}. Name the columns to use.")
        if name not in schema.names:
            raise ValueError(
                f"{path} has no column {name!r}; it has {', '.join(map(repr, schema.names))}."
            )
        kind = schema.field(name).type
        if not (types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)):
            raise ValueError(
                f"Column {name!r} of {path} holds {kind}, not numbers. Name the columns to use."
            )
