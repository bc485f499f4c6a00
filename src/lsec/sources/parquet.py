"""Rows of Parquet files; the only place that imports pyarrow's reader."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lsec.sources.composite import GroupedSource
from lsec.sources.source import block_rows
from lsec.sources.stored import StoredFile, import_for, one_line
from lsec.typing import AnyArray


class ParquetSource(GroupedSource):
    """Rows of Parquet files, one file after the other; by default, columns of the first file.

    One row group is decoded at a time, or a run of small ones.
    """

    kind = "parquet"

    def __init__(self, paths: Sequence[Path], columns: Sequence[str] | None = None):
        self._files = [StoredFile.of(path) for path in paths]
        self.columns = list(columns or [])
        self._runs: list[_Run] = []
        for number, path in enumerate(paths):
            with _open(path) as file:
                if columns is None and not number:
                    self.columns = list(file.schema_arrow.names)
                _check_columns(path, file.schema_arrow, self.columns)
                most = block_rows(max(len(self.columns), 1))
                self._runs += _runs(number, _group_rows(path, file.metadata), most)
        self._metadata: dict[int, Any] = {}
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


def _check_columns(path: Path, schema: Any, columns: list[str]) -> None:
    """Refuse columns that a file lacks, has several times, or that do not hold numbers."""
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
