"""Rows of a run of blocks of another source."""

from __future__ import annotations

from typing import Any

import numpy as np

from lsec.sources.source import RawRows, Source


class PartSource(Source):
    """Rows of a span of another source, with the places they have there.

    Parameters
    ----------
    whole : Source
    span : slice
        Rows, from the border of a block to the border of another.
    """

    def __init__(self, whole: Source, span: slice):
        super().__init__((span.stop - span.start, whole.shape[1]))
        self.rows_per_block = whole.rows_per_block
        self.trusted = whole.trusted
        self.first_row = whole.first_row + span.start
        self._source, self._start = whole._holding(span)

    def place(self, row: int, column: int) -> str:
        """Where a value lies, for messages."""
        return self._source.place(self._start + row, column)

    def fingerprint(self) -> dict[str, Any]:
        """What tells that rows are the same as those of an earlier run, as JSON values."""
        return {
            "kind": "part",
            "shape": list(self.shape),
            "first_row": self.first_row,
            "of": self._source.fingerprint(),
        }

    def _holding(self, span: slice) -> tuple[Source, int]:
        return self._source._holding(slice(self._start + span.start, self._start + span.stop))

    def _read(self, span: slice) -> RawRows:
        return self._source._read(slice(self._start + span.start, self._start + span.stop))

    def _gather(self, which: np.ndarray) -> RawRows:
        return self._source._gather(self._start + which)
