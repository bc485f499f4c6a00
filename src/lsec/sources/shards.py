"""Rows of several sources, one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from typing import Any

import numpy as np

from lsec.sources.source import Source


class ShardedSource(Source):
    """Rows of shards, in their order; blocks cross the borders between shards.

    Parameters
    ----------
    shards : sequence of Source
        All with the same number of features.
    names : sequence of str
        What to call them in messages.
    """

    def __init__(self, shards: Sequence[Source], names: Sequence[str]):
        widths = [shard.shape[1] for shard in shards]
        for name, width in zip(names, widths, strict=True):
            if width != widths[0]:
                raise ValueError(
                    f"All shards must have the same number of columns; {names[0]} has "
                    f"{widths[0]}, {name} has {width}."
                )
        self._shards = shards
        self._ends = np.cumsum([shard.shape[0] for shard in shards])
        super().__init__((int(self._ends[-1]), widths[0]))

    def place(self, row: int, column: int) -> str:
        """Where a value lies, for messages."""
        shard = int(np.searchsorted(self._ends, row, side="right"))
        start = self._ends[shard] - self._shards[shard].shape[0]
        return self._shards[shard].place(int(row - start), column)

    def fingerprint(self) -> dict[str, Any]:
        """What tells that rows are the same as those of an earlier run, as JSON values."""
        shards = [shard.fingerprint() for shard in self._shards]
        return {"kind": "shards", "shape": list(self.shape), "shards": shards}

    def _holding(self, span: slice) -> tuple[Source, int]:
        first = int(np.searchsorted(self._ends, span.start, side="right"))
        last = int(np.searchsorted(self._ends, span.stop, side="left")) + 1
        start = int(self._ends[first - 1]) if first else 0
        held = copy(self)
        held._shards = self._shards[first:last]
        held._ends = self._ends[first:last] - start
        held.shape = (int(held._ends[-1]) if len(held._ends) else 0, self.shape[1])
        held.first_row = self.first_row + start
        return held, span.start - start

    def _read(self, span: slice) -> np.ndarray:
        parts = [
            shard._read(slice(max(span.start, start) - start, min(span.stop, end) - start))
            for shard, start, end in self._placed()
            if start < span.stop and end > span.start
        ]
        return np.concatenate(parts) if len(parts) > 1 else parts[0]

    def _gather(self, which: np.ndarray) -> np.ndarray:
        parts = []
        for shard, start, end in self._placed():
            low, high = np.searchsorted(which, [start, end])
            if high > low:
                parts.append(shard._gather(which[low:high] - start))
        return np.concatenate(parts) if parts else np.empty((0, self.shape[1]))

    def _placed(self) -> Iterator[tuple[Source, int, int]]:
        """Shards that have rows, with their first row and the one after the last."""
        start = 0
        for shard, end in zip(self._shards, self._ends.tolist(), strict=True):
            if end > start:
                yield shard, start, end
            start = end
