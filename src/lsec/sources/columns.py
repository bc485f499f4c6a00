"""Columns of files that name them: which are used, and in which order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lsec.sources.source import Source
from lsec.typing import AnyArray, Int64


@dataclass(frozen=True)
class ColumnChoice:
    """The columns of files to use, by name and in this order; by default all.

    Names known from a fit (`of_fit`) do not apply to files without names.
    """

    columns: tuple[str, ...] | None = None
    drop: tuple[str, ...] = ()
    of_fit: bool = False

    @property
    def is_default(self) -> bool:
        """Whether nobody has chosen columns."""
        return self.columns is None and not self.drop

    def among(self, names: Sequence[str], place: object) -> list[str]:
        """Return the names of the chosen columns; `place` is the file that has `names`."""
        wanted = list(names if self.columns is None else self.columns)
        missing = [name for name in (*wanted, *self.drop) if name not in names]
        if missing:
            reason = " The model was fitted on columns of these names." if self.of_fit else ""
            word = "column" if len(missing) == 1 else "columns"
            raise ValueError(
                f"{place} has no {word} {listed(missing)}; it has {listed(names)}.{reason}"
            )
        wanted = [name for name in wanted if name not in self.drop]
        if not wanted:
            raise ValueError(f"{place}: no columns are left. Drop fewer of {listed(names)}.")
        for name in wanted:
            if names.count(name) > 1:
                raise ValueError(
                    f"{place} has several columns {name!r}. Rename them, or name others to use."
                )
        return wanted

    def refuse_nameless(self, place: object) -> None:
        """Refuse a file without column names if columns were asked for by name."""
        if not self.is_default and not self.of_fit:
            raise ValueError(
                f"{place} has no column names: columns can be chosen in Parquet files, and in .csv "
                "files that begin with a line of names."
            )


ALL_COLUMNS = ColumnChoice()


def listed(names: Sequence[str]) -> str:
    """Names in quotes, as many as a message bears.

    >>> listed(["x", "y"])
    "'x', 'y'"
    """
    most = 20
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(repr, names[:most])) + more


class SelectedColumns(Source):
    """Some columns of a source, in a certain order."""

    kind = "columns"

    def __init__(self, source: Source, positions: Sequence[int]):
        super().__init__((source.shape[0], len(positions)))
        self.columns = None if source.columns is None else [source.columns[j] for j in positions]
        self.first_row = source.first_row
        self.folders = source.folders
        self._source = source
        self._positions = list(positions)

    @property
    def files(self) -> list[str]:
        """Absolute paths of the files of the source."""
        return self._source.files

    def _identity(self) -> dict[str, Any]:
        return {"positions": self._positions, "of": self._source.fingerprint()}

    def _place(self, row: int, column: int) -> str:
        return self._source._place(row, self._positions[column])

    def _narrow(self, span: slice) -> tuple[Source, int]:
        narrow, start = self._source._narrow(span)
        return SelectedColumns(narrow, self._positions), start

    def _read(self, span: slice) -> AnyArray:
        return np.asarray(self._source._read(span))[:, self._positions]

    def _gather(self, which: Int64) -> AnyArray:
        return np.asarray(self._source._gather(which))[:, self._positions]


def select_columns(source: Source, choice: ColumnChoice, place: object) -> Source:
    """Return the chosen columns of a source that has names, or the source itself if all are."""
    if source.columns is None:
        choice.refuse_nameless(place)
        return source
    names = list(source.columns)
    wanted = choice.among(names, place)
    return source if wanted == names else SelectedColumns(source, [*map(names.index, wanted)])
