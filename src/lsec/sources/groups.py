"""Rows that are stored in groups which can only be decoded whole."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections import OrderedDict
from concurrent.futures import Future
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from lsec.sources.source import Source

MOST_DECODED = 16
UNSENT = ("_decoded", "_lock")


@dataclass
class _Decoded:
    """Rows of a group, or the promise of them, and how many of them nobody has read yet."""

    rows: Future[np.ndarray]
    unread: int


class GroupedSource(Source):
    """Rows in groups (of a Parquet file, chunks of an array) which blocks may share.

    A group is kept decoded until all its rows were read: a sweep over the blocks decodes
    every group once, and keeps those only that blocks at work have in common. Threads that
    want the same group wait for the one that decodes it, the others go on.

    Parameters
    ----------
    group_rows : sequence of int
        Rows in each group.
    n_features : int
    """

    def __init__(self, group_rows: np.ndarray | list[int], n_features: int):
        self._ends = np.cumsum(np.asarray(group_rows, np.int64))
        self._starts = self._ends - group_rows
        super().__init__((int(self._ends[-1]) if len(self._ends) else 0, n_features))
        self._forget()

    def _forget(self) -> None:
        self._decoded: OrderedDict[int, _Decoded] = OrderedDict()
        self._lock = threading.Lock()

    def __getstate__(self) -> dict[str, Any]:
        """Everything but decoded rows and the lock."""
        return {key: value for key, value in vars(self).items() if key not in UNSENT}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._forget()

    def _holding(self, span: slice) -> tuple[Source, int]:
        groups = self._groups(span)
        held = copy(self)
        held._keep(groups)
        start = int(self._starts[groups.start]) if groups else span.start
        held._starts = self._starts[groups.start : groups.stop] - start
        held._ends = self._ends[groups.start : groups.stop] - start
        held.shape = (int(held._ends[-1]) if groups else 0, self.shape[1])
        held.first_row = self.first_row + start
        return held, span.start - start

    @abstractmethod
    def _keep(self, groups: range) -> None:
        """Keep the places of some groups only; the first of them becomes group 0."""

    @abstractmethod
    def _decode(self, group: int) -> np.ndarray:
        """Rows of a group (n, d)."""

    def _read(self, span: slice) -> np.ndarray:
        parts = []
        for group in self._groups(span):
            start, stop = int(self._starts[group]), int(self._ends[group])
            low, high = max(span.start, start), min(span.stop, stop)
            if high > low:
                parts.append(self._group(group, high - low)[low - start : high - start])
        return np.concatenate(parts) if len(parts) > 1 else parts[0]

    def _gather(self, which: np.ndarray) -> np.ndarray:
        parts = []
        for group in np.unique(np.searchsorted(self._ends, which, side="right")).tolist():
            low, high = np.searchsorted(which, [self._starts[group], self._ends[group]])
            parts.append(self._decode(group)[which[low:high] - self._starts[group]])
        return np.concatenate(parts) if parts else np.empty((0, self.shape[1]))

    def _groups(self, span: slice) -> range:
        """Groups that hold rows of a span."""
        first = int(np.searchsorted(self._ends, span.start, side="right"))
        last = int(np.searchsorted(self._ends, span.stop, side="left"))
        return range(first, min(last + 1, len(self._ends)))

    def _group(self, group: int, n_read: int) -> np.ndarray:
        """Rows of a group, of which the caller reads some."""
        with self._lock:
            found = self._decoded.get(group)
            mine = found is None
            if found is None:
                n_rows = int(self._ends[group] - self._starts[group])
                found = self._decoded[group] = _Decoded(Future(), n_rows)
                if len(self._decoded) > MOST_DECODED:  # such as after sweeps that were given up
                    self._decoded.popitem(last=False)
        if mine:
            try:
                found.rows.set_result(self._decode(group))
            except BaseException as error:
                found.unread = 0  # the next one tries again
                found.rows.set_exception(error)
        try:
            return found.rows.result()
        finally:
            with self._lock:
                found.unread -= n_read
                if found.unread <= 0 and self._decoded.get(group) is found:
                    del self._decoded[group]
