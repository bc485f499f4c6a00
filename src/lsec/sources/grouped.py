"""Rows stored in groups that can only be decoded as a whole."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import Future
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from lsec.sources.source import Source
from lsec.typing import AnyArray, Int64

MOST_DECODED = 16
NOT_PICKLED = ("_decoded", "_lock")


@dataclass
class _Decoded:
    """Decoded rows of a group, or the promise of them, and the number of rows not yet read."""

    rows: Future[AnyArray]
    unread: int


class GroupedSource(Source):
    """Rows in groups, such as row groups of Parquet or chunks of arrays, that blocks share.

    A decoded group stays in memory until all its rows have been read: a sweep over the blocks
    decodes every group once and holds only the groups of the blocks in progress. Threads that
    need the same group wait for the one that decodes it; others continue.

    Parameters
    ----------
    group_rows : array-like of int
        Number of rows of each group.
    n_features : int
        Number of columns.
    """

    def __init__(self, group_rows: Sequence[int] | Int64, n_features: int):
        self._ends = np.cumsum(np.asarray(group_rows, np.int64))
        self._starts = self._ends - group_rows
        super().__init__((int(self._ends[-1]) if len(self._ends) else 0, n_features))
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

    def _narrow(self, span: slice) -> tuple[Source, int]:
        groups = self._groups(span)
        narrow = copy(self)
        narrow._keep_groups(groups)
        start = int(self._starts[groups.start]) if groups else span.start
        narrow._starts = self._starts[groups.start : groups.stop] - start
        narrow._ends = self._ends[groups.start : groups.stop] - start
        narrow.shape = (int(narrow._ends[-1]) if groups else 0, self.shape[1])
        narrow.first_row = self.first_row + start
        return narrow, span.start - start

    @abstractmethod
    def _keep_groups(self, groups: range) -> None:
        """Drop all groups but these; the first of them becomes group 0."""

    @abstractmethod
    def _decode(self, group: int) -> AnyArray:
        """Decode the rows (n, d) of a group."""

    def _read(self, span: slice) -> AnyArray:
        parts = []
        for group in self._groups(span):
            start, stop = int(self._starts[group]), int(self._ends[group])
            low, high = max(span.start, start), min(span.stop, stop)
            if high > low:
                parts.append(self._group(group, high - low)[low - start : high - start])
        return np.concatenate(parts) if len(parts) > 1 else parts[0]

    def _gather(self, which: Int64) -> AnyArray:
        parts = []
        for group in np.unique(np.searchsorted(self._ends, which, side="right")).tolist():
            low, high = np.searchsorted(which, [self._starts[group], self._ends[group]])
            parts.append(self._decode(group)[which[low:high] - self._starts[group]])
        return np.concatenate(parts) if parts else np.empty((0, self.shape[1]))

    def _groups(self, span: slice) -> range:
        """Return the groups that hold rows of a span."""
        first = int(np.searchsorted(self._ends, span.start, side="right"))
        last = int(np.searchsorted(self._ends, span.stop, side="left"))
        return range(first, min(last + 1, len(self._ends)))

    def _group(self, group: int, n_read: int) -> AnyArray:
        """Return the rows of a group, of which the caller reads `n_read`."""
        with self._lock:
            found = self._decoded.get(group)
            mine = found is None
            if found is None:
                n_rows = int(self._ends[group] - self._starts[group])
                found = self._decoded[group] = _Decoded(Future(), n_rows)
                if len(self._decoded) > MOST_DECODED:  # for example after an abandoned sweep
                    self._decoded.popitem(last=False)
        if mine:
            try:
                found.rows.set_result(self._decode(group))
            except BaseException as error:
                found.unread = 0  # the next reader tries again
                found.rows.set_exception(error)
        try:
            return found.rows.result()
        finally:
            with self._lock:
                found.unread -= n_read
                if found.unread <= 0 and self._decoded.get(group) is found:
                    del self._decoded[group]
