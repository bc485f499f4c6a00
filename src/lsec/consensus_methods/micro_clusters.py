"""Micro-clusters: the distinct rows of a label matrix, with weights.

Rows with equal base labels are indistinguishable to every consensus function, so
that a consensus on weighted micro-clusters equals the one on all rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from lsec.engine.threads import Lent
from lsec.kernels.distinct import EMPTY, count_rows, rebuild_table

START = 2**12


@dataclass(frozen=True)
class MicroClusters:
    """Distinct label rows in the order in which they first occur.

    That order depends neither on label names nor on the order of the columns.

    Attributes
    ----------
    labels : unsigned (n', m)
    weights : float64 (n',)
        How many rows share the labels.
    """

    labels: np.ndarray
    weights: np.ndarray

    def __len__(self) -> int:
        return len(self.labels)


@dataclass
class _Table:
    """A growing hash table of label rows, seen as words."""

    width: int
    keys: np.ndarray = field(init=False)
    counts: np.ndarray = field(init=False)
    firsts: np.ndarray = field(init=False)
    slots: np.ndarray = field(init=False)
    n_keys: int = 0

    def __post_init__(self):
        self.keys = np.empty((START, self.width), np.uint64)
        self.counts = np.zeros(START, np.int64)
        self.firsts = np.zeros(START, np.int64)
        self.slots = np.full(4 * START, EMPTY, np.int32)

    def add(self, rows: np.ndarray, first_row: int) -> np.ndarray:
        """Count rows uint64 (n, width); returns the key of each, int32 (n,)."""
        ids = np.empty(len(rows), np.int32)
        done = 0
        while True:
            done, self.n_keys = count_rows(
                rows, done, first_row, self.slots, self.keys, self.counts, self.firsts,
                self.n_keys, ids,
            )  # fmt: skip
            if done == len(rows):
                return ids
            self._grow()

    def _grow(self) -> None:
        self.keys = np.concatenate([self.keys, np.empty_like(self.keys)])
        self.counts = np.concatenate([self.counts, np.zeros_like(self.counts)])
        self.firsts = np.concatenate([self.firsts, np.zeros_like(self.firsts)])
        self.slots = np.empty(2 * len(self.slots), np.int32)
        rebuild_table(self.slots, self.keys, self.n_keys)


def as_words(labels: np.ndarray) -> np.ndarray:
    """Label rows as uint64 words (n, w), the last one filled up with zeros."""
    n, m = labels.shape
    per_word = 8 // labels.itemsize
    padded = np.zeros((n, -(-m // per_word) * per_word), labels.dtype)
    padded[:, :m] = labels
    return padded.view(np.uint64)


class MicroClusterCollector:
    """Collects micro-clusters from blocks of labels, from several threads at once.

    `ids` holds the micro-cluster of every row once `finish` has been called; until
    then it holds the numbers that the table of the block's thread gave.
    """

    def __init__(self, n_rows: int, n_columns: int, dtype: np.dtype | type):
        self.ids = np.empty(n_rows, np.int32)
        self._dtype = np.dtype(dtype)
        self._columns = n_columns
        width = -(-n_columns * self._dtype.itemsize // 8)
        self._tables: Lent[_Table] = Lent(lambda: _Table(width))
        self._spans: dict[int, list[slice]] = {}

    def add(self, rows: slice, labels: np.ndarray) -> None:
        """Count the labels (n, m) of some rows."""
        table = self._tables.borrow()
        self.ids[rows] = table.add(as_words(labels), rows.start)
        self._spans.setdefault(id(table), []).append(rows)
        self._tables.give_back(table)

    def finish(self) -> MicroClusters:
        """Merge the tables; the result does not depend on who counted which block."""
        tables = self._tables.states
        keys = np.concatenate([table.keys[: table.n_keys] for table in tables])
        counts = np.concatenate([table.counts[: table.n_keys] for table in tables])
        firsts = np.concatenate([table.firsts[: table.n_keys] for table in tables])
        merged = _Table(keys.shape[1])
        key_of = merged.add(keys, 0)
        weights = np.bincount(key_of, counts, merged.n_keys)
        first = np.full(merged.n_keys, np.iinfo(np.int64).max)
        np.minimum.at(first, key_of, firsts)
        order = np.argsort(first, kind="stable")
        rank = np.empty(merged.n_keys, np.int32)
        rank[order] = np.arange(merged.n_keys, dtype=np.int32)
        low = 0
        for table in tables:
            final = rank[key_of[low : low + table.n_keys]]
            for rows in self._spans.get(id(table), []):
                self.ids[rows] = final[self.ids[rows]]
            low += table.n_keys
        labels = merged.keys[: merged.n_keys][order].view(self._dtype)[:, : self._columns]
        return MicroClusters(np.ascontiguousarray(labels), weights[order])
