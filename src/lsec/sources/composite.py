"""Rows in pieces that follow each other: shards, and groups that are decoded as a whole."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections import OrderedDict
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lsec.sources.source import Source
from lsec.typing import AnyArray, Int64

MOST_DECODED = 16
NOT_PICKLED = ("_decoded", "_lock")


class CompositeSource(Source):
    """Rows of pieces in their order; blocks cross the borders between pieces."""

    def __init__(self, piece_rows: Sequence[int] | Int64, n_features: int):
        n_rows = np.asarray(piece_rows, np.int64)
        self._ends = np.cumsum(n_rows)
        self._starts = self._ends - n_rows
        super().__init__((int(n_rows.sum()), n_features))

    def _keep(self, pieces: range) -> None:
        """Drop all pieces but these; the first of them becomes piece 0."""

    @abstractmethod
    def _read_piece(self, piece: int, span: slice) -> AnyArray:
        """Read the raw rows of a span of a piece."""

    @abstractmethod
    def _gather_piece(self, piece: int, which: Int64) -> AnyArray:
        """Read raw rows at ascending positions of a piece."""

    def _locate(self, row: int) -> tuple[int, int]:
        """Return the piece that holds a row, and the row's position in the piece."""
        piece = int(np.searchsorted(self._ends, row, side="right"))
        return piece, row - int(self._starts[piece])

    def _pieces(self, span: slice) -> range:
        """Return the pieces that hold rows of a span."""
        first = int(np.searchsorted(self._ends, span.start, side="right"))
        last = int(np.searchsorted(self._ends, span.stop, side="left"))
        return range(first, min(last + 1, len(self._ends)))

    def _narrow(self, span: slice) -> tuple[Source, int]:
        pieces = self._pieces(span)
        narrow = copy(self)
        narrow._keep(pieces)
        start = int(self._starts[pieces.start]) if pieces else span.start
        narrow._starts = self._starts[pieces.start : pieces.stop] - start
        narrow._ends = self._ends[pieces.start : pieces.stop] - start
        narrow.shape = (int(narrow._ends[-1]) if pieces else 0, self.shape[1])
        narrow.first_row = self.first_row + start
        return narrow, span.start - start

    def _read(self, span: slice) -> AnyArray:
        parts = []
        for piece in self._pieces(span):
            start, stop = int(self._starts[piece]), int(self._ends[piece])
            low, high = max(span.start, start), min(span.stop, stop)
            if high > low:
                parts.append(self._read_piece(piece, slice(low - start, high - start)))
        return np.concatenate(parts) if len(parts) > 1 else parts[0]

    def _gather(self, which: Int64) -> AnyArray:
        parts = []
        for piece in np.unique(np.searchsorted(self._ends, which, side="right")).tolist():
            low, high = np.searchsorted(which, [self._starts[piece], self._ends[piece]])
            parts.append(self._gather_piece(piece, which[low:high] - self._starts[piece]))
        return np.concatenate(parts) if parts else np.empty((0, self.shape[1]))


class ShardedSource(CompositeSource):
    """Rows of several sources in their order; messages call them by the names."""

    kind = "shards"

    def __init__(self, shards: Sequence[Source], names: Sequence[str]):
        sizes, widths = zip(*(shard.shape for shard in shards), strict=True)
        for name, width in zip(names, widths, strict=True):
            if width != widths[0]:
                raise ValueError(
                    f"All shards must have the same number of columns; {names[0]} has "
                    f"{widths[0]}, {name} has {width}."
                )
        self._shards = shards
        super().__init__(sizes, widths[0])
        self.columns = shards[0].columns

    @property
    def files(self) -> list[str]:
        """Absolute paths of the files of all shards."""
        return [file for shard in self._shards for file in shard.files]

    def _identity(self) -> dict[str, Any]:
        return {"shards": [shard.fingerprint() for shard in self._shards]}

    def _place(self, row: int, column: int) -> str:
        shard, inside = self._locate(row)
        return self._shards[shard]._place(inside, column)

    def _keep(self, pieces: range) -> None:
        self._shards = self._shards[pieces.start : pieces.stop]

    def _read_piece(self, piece: int, span: slice) -> AnyArray:
        return np.asarray(self._shards[piece]._read(span))

    def _gather_piece(self, piece: int, which: Int64) -> AnyArray:
        return np.asarray(self._shards[piece]._gather(which))


@dataclass
class _Decoded:
    """Rows of a group, once they are decoded, and the number of rows not yet read."""

    unread: int
    rows: AnyArray | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)  # of the thread that decodes


class GroupedSource(CompositeSource):
    """Rows in groups, such as row groups of Parquet or chunks of arrays, that blocks share.

    A decoded group stays in memory until all its rows have been read: a sweep over the blocks
    decodes every group once. Threads that need the same group wait for the one that decodes it.
    """

    def __init__(self, group_rows: Sequence[int] | Int64, n_features: int):
        super().__init__(group_rows, n_features)
        self._forget()

    def _forget(self) -> None:
        """Hold no decoded group."""
        self._decoded: OrderedDict[int, _Decoded] = OrderedDict()
        self._lock = threading.Lock()

    def __getstate__(self) -> dict[str, Any]:
        """Everything but decoded rows and the lock."""
        return {key: value for key, value in vars(self).items() if key not in NOT_PICKLED}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._forget()

    @abstractmethod
    def _decode(self, group: int) -> AnyArray:
        """Decode the rows (n, d) of a group."""

    def _read_piece(self, piece: int, span: slice) -> AnyArray:
        return self._group(piece, span.stop - span.start)[span]

    def _gather_piece(self, piece: int, which: Int64) -> AnyArray:
        return self._decode(piece)[which]

    def _group(self, group: int, n_read: int) -> AnyArray:
        """Return the rows of a group, of which the caller reads `n_read`."""
        with self._lock:
            n_rows = int(self._ends[group] - self._starts[group])
            found = self._decoded.setdefault(group, _Decoded(n_rows))
            if len(self._decoded) > MOST_DECODED:  # for example after an abandoned sweep
                self._decoded.popitem(last=False)
        with found.lock:
            if found.rows is None:
                found.rows = self._decode(group)
        with self._lock:
            found.unread -= n_read
            if found.unread <= 0 and self._decoded.get(group) is found:
                del self._decoded[group]
        return found.rows
