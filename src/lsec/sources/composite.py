"""Sources made of others: several sources one after the other, or a part of one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from typing import Any

import numpy as np

from lsec.sources.source import Source
from lsec.typing import AnyArray, Int64, RawRows


class ShardedSource(Source):
    """Rows of several sources in their order; blocks cross the borders between shards.

    Parameters
    ----------
    shards : sequence of Source
        Sources with the same number of features.
    names : sequence of str
        Names of the shards, for messages.
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
        """Describe the place of a value, for messages."""
        shard = int(np.searchsorted(self._ends, row, side="right"))
        start = self._ends[shard] - self._shards[shard].shape[0]
        return self._shards[shard].place(int(row - start), column)

    def fingerprint(self) -> dict[str, Any]:
        """Identity of the rows, as JSON values."""
        shards = [shard.fingerprint() for shard in self._shards]
        return {"kind": "shards", "shape": list(self.shape), "shards": shards}

    def _narrow(self, span: slice) -> tuple[Source, int]:
        first = int(np.searchsorted(self._ends, span.start, side="right"))
        last = int(np.searchsorted(self._ends, span.stop, side="left")) + 1
        start = int(self._ends[first - 1]) if first else 0
        narrow = copy(self)
        narrow._shards = self._shards[first:last]
        narrow._ends = self._ends[first:last] - start
        narrow.shape = (int(narrow._ends[-1]) if len(narrow._ends) else 0, self.shape[1])
        narrow.first_row = self.first_row + start
        return narrow, span.start - start

    def _read(self, span: slice) -> AnyArray:
        parts = [
            shard._read(slice(max(span.start, start) - start, min(span.stop, end) - start))
            for shard, start, end in self._placed()
            if start < span.stop and end > span.start
        ]
        return np.concatenate(parts) if len(parts) > 1 else parts[0]

    def _gather(self, which: Int64) -> AnyArray:
        parts = []
        for shard, start, end in self._placed():
            low, high = np.searchsorted(which, [start, end])
            if high > low:
                parts.append(shard._gather(which[low:high] - start))
        return np.concatenate(parts) if parts else np.empty((0, self.shape[1]))

    def _placed(self) -> Iterator[tuple[Source, int, int]]:
        """Yield the shards that have rows, with the bounds of their rows."""
        start = 0
        for shard, end in zip(self._shards, self._ends.tolist(), strict=True):
            if end > start:
                yield shard, start, end
            start = end


class PartSource(Source):
    """Rows of a span of another source, with the blocks and positions they have there.

    Parameters
    ----------
    whole : Source
        The other source.
    span : slice
        Rows between two borders of blocks.
    """

    def __init__(self, whole: Source, span: slice):
        super().__init__((span.stop - span.start, whole.shape[1]))
        self.rows_per_block = whole.rows_per_block
        self.trusted = whole.trusted
        self.first_row = whole.first_row + span.start
        self._source, self._start = whole._narrow(span)

    def place(self, row: int, column: int) -> str:
        """Describe the place of a value, for messages."""
        return self._source.place(self._start + row, column)

    def fingerprint(self) -> dict[str, Any]:
        """Identity of the rows, as JSON values."""
        return {
            "kind": "part",
            "shape": list(self.shape),
            "first_row": self.first_row,
            "of": self._source.fingerprint(),
        }

    def _narrow(self, span: slice) -> tuple[Source, int]:
        return self._source._narrow(self._inside(span))

    def _read(self, span: slice) -> RawRows:
        return self._source._read(self._inside(span))

    def _gather(self, which: Int64) -> RawRows:
        return self._source._gather(self._start + which)

    def _inside(self, span: slice) -> slice:
        """Return the rows of a span in the narrowed source."""
        return slice(self._start + span.start, self._start + span.stop)
