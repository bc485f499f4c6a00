"""Rows of Parquet files; the only place that imports pyarrow's reader."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lsec.sources.columns import ALL_COLUMNS, ColumnChoice
from lsec.sources.composite import GroupedSource
from lsec.sources.identifiers import LEAST_ROWS, warn_of_identifiers
from lsec.sources.source import block_rows
from lsec.sources.stored import StoredFile, import_for, one_line
from lsec.typing import AnyArray


class ParquetSource(GroupedSource):
    """Rows of Parquet files, one file after the other; by default, columns of the first file.

    One row group is decoded at a time, or a run of small ones.
    """

    kind = "parquet"

    def __init__(self, paths: Sequence[Path], choice: ColumnChoice = ALL_COLUMNS):
        self._files = [StoredFile.of(path) for path in paths]
        self._runs: list[_Run] = []
        ranges, asked = _Ranges(), choice
        for number, path in enumerate(paths):
            with _open(path) as file:
                schema = file.schema_arrow
                if not number:
                    self.columns: list[str] = choice.among(names_in(schema, choice), path)
                    choice = ColumnChoice(tuple(self.columns), of_fit=choice.of_fit)
                _check_types(path, schema, choice.among(schema.names, path))
                if asked.is_default:
                    ranges.add(file.metadata)
                most = block_rows(max(len(self.columns), 1))
                self._runs += _runs(number, _group_rows(path, file.metadata), most)
        self._metadata: dict[int, Any] = {}
        if asked.is_default:
            names = ranges.consecutive()
            places = [j for j, name in enumerate(self.columns) if name in names]
            warn_of_identifiers(paths[0], self.columns, places)
        super().__init__([run.n_rows for run in self._runs], len(self.columns))

    def __getstate__(self) -> dict[str, Any]:
        """Names and places; footers are read again."""
        return super().__getstate__() | {"_metadata": {}}

    def _place(self, row: int, column: int) -> str:
        group, inside = self._locate(row)
        run = self._runs[group]
        name = self._files[run.file].name
        return f"row {run.first_row + inside}, column {self.columns[column]!r} of {name}"

    @property
    def files(self) -> list[str]:
        """Absolute paths of the files."""
        return [file.path for file in self._files]

    def _identity(self) -> dict[str, Any]:
        return {"columns": self.columns, "files": [file.fingerprint() for file in self._files]}

    def _keep(self, pieces: range) -> None:
        runs = self._runs[pieces.start : pieces.stop]
        files = [run.file for run in runs]
        self._files = self._files[files[0] : files[-1] + 1] if files else []
        self._runs = [run._replace(file=run.file - files[0]) for run in runs]

    def _decode(self, group: int) -> AnyArray:
        run = self._runs[group]
        stored = self._files[run.file]
        stored.check()
        try:
            table = self._read_table(run)
        except (MemoryError, ImportError):
            raise
        except Exception as error:
            stored.check()
            raise OSError(
                f"Rows {run.first_row} to {run.first_row + run.n_rows - 1} of {stored.name} cannot "
                f"be read: {one_line(error)}. The file may be damaged."
            ) from error
        return np.column_stack([_values(table.column(name)) for name in self.columns])

    def _read_table(self, run: _Run) -> Any:
        groups = range(run.first_group, run.first_group + run.n_groups)
        known = self._metadata.get(run.file)
        # An open file has a position, so that every reader opens its own
        with _open(Path(self._files[run.file].path), known) as file:
            if known is None:  # of the latest file only: sweeps take one after the other
                self._metadata = {run.file: file.metadata}
            table = file.read_row_groups(groups, columns=self.columns, use_threads=False)
        if table.num_rows != run.n_rows:
            raise ValueError(f"there are {table.num_rows} rows, not the {run.n_rows} announced")
        return table


class _Ranges:
    """Ranges of the integers in columns, from the statistics in footers."""

    def __init__(self) -> None:
        self.n_rows = 0
        self._of: dict[str, tuple[float, float]] | None = None

    def add(self, metadata: Any) -> None:
        """Widen the ranges by those of a file; columns with too few values are given up."""
        self.n_rows += metadata.num_rows
        names = [metadata.schema.column(j).path for j in range(metadata.num_columns)]
        if self._of is None:
            self._of = dict.fromkeys(names, (np.inf, -np.inf))
        for group in range(metadata.num_row_groups):
            rows = metadata.row_group(group)
            for j, name in enumerate(names):
                if name not in self._of:
                    continue
                found = rows.column(j).statistics
                known = found is not None and found.has_min_max and type(found.min) is int
                if known and found.max - found.min + 1 >= rows.num_rows:
                    low, high = self._of[name]
                    self._of[name] = min(low, found.min), max(high, found.max)
                else:
                    del self._of[name]

    def consecutive(self) -> list[str]:
        """Columns that have room for a number per row and for no more, such as row numbers."""
        if self.n_rows < LEAST_ROWS:
            return []
        ranges = (self._of or {}).items()
        return [name for name, (low, high) in ranges if high - low + 1 == self.n_rows]


class _Run(NamedTuple):
    """Consecutive row groups of a file that are decoded together."""

    file: int
    first_group: int
    n_groups: int
    first_row: int
    n_rows: int


def _group_rows(path: Path, metadata: Any) -> list[int]:
    """Return the number of rows of every row group of a file."""
    rows = [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]
    if sum(rows) != metadata.num_rows or min(rows, default=0) < 0:
        raise ValueError(
            f"{path} is not a whole Parquet file: it announces {metadata.num_rows} rows and row "
            f"groups of {sum(rows)}."
        )
    return rows


def _runs(file: int, group_rows: list[int], most: int) -> list[_Run]:
    """Join row groups of a file to runs of at most `most` rows, or of a single group.

    Opening a file takes as long as reading thousands of rows.

    >>> [run[1:] for run in _runs(0, [3, 4, 9, 2, 2, 2], most=8)]
    [(0, 2, 0, 7), (2, 1, 7, 9), (3, 3, 16, 6)]
    """
    runs: list[_Run] = []
    for group, n_rows in enumerate(group_rows):
        last = runs[-1] if runs else _Run(file, 0, 0, 0, 0)
        if last.n_groups and last.n_rows + n_rows <= most:
            runs[-1] = last._replace(n_groups=last.n_groups + 1, n_rows=last.n_rows + n_rows)
        else:
            runs.append(_Run(file, group, 1, last.first_row + last.n_rows, n_rows))
    return runs


def _values(column: Any) -> AnyArray:
    """Return the values (n,) of a column, NaN for nulls."""
    from pyarrow import types, uint8

    if types.is_boolean(column.type) and column.null_count:
        column = column.cast(uint8())
    return np.asarray(column.to_numpy())


def _open(path: Path, metadata: Any = None) -> Any:
    """Open a Parquet file; its footer is not read again if `metadata` holds it."""
    parquet = import_for(f"Reading {path}", "pyarrow.parquet")
    from pyarrow import ArrowException

    try:
        return parquet.ParquetFile(path, metadata=metadata, page_checksum_verification=True)
    except (ArrowException, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:  # from the system
            raise
        raise ValueError(f"{path} is not a whole Parquet file: {one_line(error)}.") from error


def names_in(schema: Any, choice: ColumnChoice) -> list[str]:
    """Return the columns of a file; an index that pandas stored counts only if asked for."""
    index = (schema.pandas_metadata or {}).get("index_columns", [])
    if choice.columns is not None:
        return list(schema.names)
    return [name for name in schema.names if name not in index]


def _check_types(path: Path, schema: Any, columns: list[str]) -> None:
    """Refuse columns that do not hold numbers."""
    from pyarrow import types

    others = [
        name
        for name, kind in ((name, schema.field(name).type) for name in columns)
        if not (types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind))
    ]
    if others:
        kind = schema.field(others[0]).type
        raise ValueError(
            f"Column {others[0]!r} of {path} holds {kind}, not numbers. Leave out "
            f"drop={others!r} (--drop or --id {','.join(others)} on the command line), or name the "
            "columns to use."
        )
