"""Rows of Parquet files; the only place that imports pyarrow's reader."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lsec.sources.groups import GroupedSource


class ParquetSource(GroupedSource):
    """Rows of Parquet files, one after the other; a row group is decoded at a time.

    Parameters
    ----------
    paths : sequence of Path
    columns : sequence of str, optional
        Columns to read, in this order; all by default. They must hold numbers.
    """

    def __init__(self, paths: Sequence[Path], columns: Sequence[str] | None = None):
        self._paths = list(paths)
        self.columns = list(columns or [])
        self._groups_of: list[tuple[int, int]] = []
        rows = []
        for number, path in enumerate(paths):
            with _open(path) as file:
                if columns is None and not number:
                    self.columns = list(file.schema_arrow.names)
                _check_columns(path, file.schema_arrow, self.columns)
                for group in range(file.metadata.num_row_groups):
                    self._groups_of.append((number, group))
                    rows.append(file.metadata.row_group(group).num_rows)
        super().__init__(rows, len(self.columns))

    def place(self, row: int, column: int) -> str:
        """Where a value lies, for messages."""
        group = int(np.searchsorted(self._ends, row, side="right"))
        number = self._groups_of[group][0]
        first = next(i for i, (f, _) in enumerate(self._groups_of) if f == number)
        inside = row - int(self._starts[first])
        return f"row {inside}, column {self.columns[column]!r} of {self._paths[number]}"

    def _decode(self, group: int) -> np.ndarray:
        number, inside = self._groups_of[group]
        with _open(self._paths[number]) as file:  # files hold a position: one for each reader
            try:
                table = file.read_row_group(inside, columns=self.columns, use_threads=False)
            except Exception as error:
                raise OSError(f"{self._paths[number]} cannot be read: {error}") from error
        columns = [_values(table.column(name)) for name in self.columns]
        out = np.empty((table.num_rows, len(columns)), np.result_type(*columns))
        for j, column in enumerate(columns):
            out[:, j] = column
        return out


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
        return ParquetFile(path)
    except ArrowException as error:
        raise ValueError(f"{path} is not a whole Parquet file: {error}") from error


def _check_columns(path: Path, schema: Any, columns: list[str]) -> None:
    from pyarrow import types

    for name in columns:
        if name not in schema.names:
            raise ValueError(
                f"{path} has no column {name!r}; it has {', '.join(map(repr, schema.names))}."
            )
        kind = schema.field(name).type
        if not (types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)):
            raise ValueError(
                f"Column {name!r} of {path} holds {kind}, not numbers. Name the columns to use."
            )
