"""Distinct rows of labels: counted block by block, and merged exactly.

The result does not depend on which thread or worker counted which block: distinct rows are
ordered by the row in which they first occur, and counts are integers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lsec.execution.threads import Lent
from lsec.kernels.distinct import EMPTY, count_rows, rebuild_table
from lsec.output.labels import MemorySpool, Spool
from lsec.typing import AnyArray, Float64, Int32, Int64, UInt64

START = 2**14
UNCOUNTED = 2**62  # added to the positions of rows of weight zero: these come last


@dataclass(frozen=True)
class Counted:
    """Distinct label rows of some of the rows, as words."""

    keys: UInt64  # (n', w)
    counts: Int64  # (n',), number of rows with these labels, each counted by its weight
    firsts: Int64  # (n',), for the order: grows with the position of the first of them

    def labels(self, n_columns: int, dtype: np.dtype[Any]) -> AnyArray:
        """The distinct rows as labels, unsigned (n', m)."""
        return np.ascontiguousarray(self.keys.view(dtype)[:, :n_columns])


def merge(parts: Sequence[Counted]) -> tuple[Counted, list[Int32]]:
    """Distinct rows of several parts of the rows, in the order in which they first occur.

    Also returns, for every part, the positions int32 (n',) of its distinct rows among these.
    """
    keys = np.concatenate([part.keys for part in parts])
    table = Table(keys.shape[1])
    key_of = table.add(keys, 0)
    counts = np.zeros(table.n_keys, np.int64)
    np.add.at(counts, key_of, np.concatenate([part.counts for part in parts]))
    firsts = np.full(table.n_keys, np.iinfo(np.int64).max)
    np.minimum.at(firsts, key_of, np.concatenate([part.firsts for part in parts]))
    order = np.argsort(firsts, kind="stable")
    rank = np.empty(table.n_keys, np.int32)
    rank[order] = np.arange(table.n_keys, dtype=np.int32)
    ends = np.cumsum([len(part.keys) for part in parts])
    merged = Counted(table.keys[: table.n_keys][order], counts[order], firsts[order])
    return merged, np.split(rank[key_of], ends[:-1])


class Table:
    """A growing hash table of label rows, each `width` words."""

    def __init__(self, width: int):
        self.n_keys = 0
        self.keys: UInt64 = np.empty((START, width), np.uint64)
        self.counts: Int64 = np.zeros(START, np.int64)
        self.firsts: Int64 = np.zeros(START, np.int64)
        self.slots: Int32 = np.full(4 * START, EMPTY, np.int32)

    def add(self, rows: UInt64, first_row: int) -> Int32:
        """Count rows (n, width), and return the key of each (n,)."""
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

    def add_weighted(self, rows: UInt64, first_row: int, weights: Int64) -> Int32:
        """As `add`, with rows counted by their weights (n,)."""
        ids = np.empty(len(rows), np.int32)
        for some, first in ((weights > 0, first_row), (weights == 0, UNCOUNTED + first_row)):
            ids[some] = self.add(rows[some], first)
        np.add.at(self.counts, ids, weights - 1)
        return ids

    def counted(self) -> Counted:
        """Counts of all rows so far."""
        n = self.n_keys
        return Counted(self.keys[:n], self.counts[:n], self.firsts[:n])

    def _grow(self) -> None:
        self.keys = np.concatenate([self.keys, np.empty_like(self.keys)])
        self.counts = np.concatenate([self.counts, np.zeros_like(self.counts)])
        self.firsts = np.concatenate([self.firsts, np.zeros_like(self.firsts)])
        self.slots = np.empty(2 * len(self.slots), np.int32)
        rebuild_table(self.slots, self.keys, self.n_keys)


def as_words(labels: AnyArray) -> UInt64:
    """Label rows as words (n, w), the last one filled up with zeros."""
    n, m = labels.shape
    per_word = 8 // labels.itemsize
    padded = np.zeros((n, -(-m // per_word) * per_word), labels.dtype)
    padded[:, :m] = labels
    words: UInt64 = padded.view(np.uint64)
    return words


class LabelCounter:
    """Counts the labels of blocks, from several threads at once.

    The spool keeps a number per row: the key of its labels in the table of the thread.
    `first_row` is the position of the first row among all rows there are.
    """

    def __init__(self, n_columns: int, dtype: np.dtype[Any], spool: Spool, *, first_row: int = 0):
        self._spool = spool
        self._dtype = np.dtype(dtype)
        self._columns = n_columns
        self._first_row = first_row
        width = -(-n_columns * self._dtype.itemsize // 8)
        self._tables: Lent[Table] = Lent(lambda: Table(width))
        self._spans: list[tuple[slice, Table]] = []

    def add(self, rows: slice, labels: AnyArray, weights: Int64 | None = None) -> None:
        """Count the labels (n, m) of some rows, each by its weight (n,)."""
        words, first_row = as_words(labels), self._first_row + rows.start
        with self._tables.one() as table:
            if weights is None:
                keys = table.add(words, first_row)
            else:
                keys = table.add_weighted(words, first_row, weights)
            self._spool.write(rows, keys)
            self._spans.append((rows, table))

    def finish(self) -> NumberedRows:
        """Merge the counts of the threads."""
        tables = self._tables.states
        merged, numbers = merge([table.counted() for table in tables])
        spans = [(rows.start, rows.stop, tables.index(table)) for rows, table in self._spans]
        labels = merged.labels(self._columns, self._dtype)
        rows = NumberedRows(labels, merged, numbers, np.array(sorted(spans)), self._spool)
        return rows.settled() if isinstance(self._spool, MemorySpool) else rows


@dataclass(frozen=True)
class DistinctLabels:
    """Distinct labels of all rows, and a way from values of these to values of the rows.

    Labels of rows of weight zero only come last.
    """

    labels: AnyArray  # unsigned (n', m), in the order in which they first occur
    counted: Counted  # the same as words, with counts

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.counted.counts.sum())

    @property
    def n_counted(self) -> int:
        """Number of distinct labels of rows that have a weight."""
        return int(np.count_nonzero(self.counted.counts))

    @property
    def weights(self) -> Float64:
        """Number of rows that share the labels (n',)."""
        return self.counted.counts.astype(np.float64)

    def parts(self, values: AnyArray) -> Iterator[AnyArray]:
        """Values of all rows, part by part, from those (n', ...) of the distinct rows."""
        raise NotImplementedError

    def look_up(self, values: AnyArray) -> Any:
        """Values (n, ...) of all rows from those (n', ...) of the distinct rows."""
        raise NotImplementedError

    def of_row(self) -> Int32:
        """Distinct row of every row (n,); empty if rows are not in this process."""
        return np.empty(0, np.int32)


@dataclass(frozen=True)
class NumberedRows(DistinctLabels):
    """Distinct labels of rows whose numbers are in a spool."""

    numbers: list[Int32]  # distinct row of every entry of each table
    spans: Int64  # (spans, 3): first row, row after the last, table that counted them; ascending
    spool: Spool  # entry of every row in that table

    @property
    def n_rows(self) -> int:
        """Number of rows, each counted once."""
        return int(self.spans[-1, 1])

    def arrays(self) -> dict[str, AnyArray]:
        """All but the spool, as arrays."""
        ends = np.cumsum([len(numbers) for numbers in self.numbers])
        kept = {"labels": self.labels, "ends": ends, "spans": self.spans, **vars(self.counted)}
        return {**kept, "numbers": np.concatenate(self.numbers)}

    @classmethod
    def from_arrays(cls, arrays: dict[str, AnyArray], spool: Spool) -> NumberedRows:
        """Restore the rows from the result of `arrays` and their spool."""
        counted = Counted(arrays["keys"], arrays["counts"], arrays["firsts"])
        numbers = np.split(arrays["numbers"], arrays["ends"][:-1])
        return cls(arrays["labels"], counted, numbers, arrays["spans"], spool)

    def parts(self, values: AnyArray) -> Iterator[AnyArray]:
        """Values of all rows, span by span, from those (n', ...) of the distinct rows."""
        of_table = [values[numbers] for numbers in self.numbers]
        for start, stop, table in self.spans.tolist():
            yield of_table[table][self.spool.read(slice(start, stop))]

    def settled(self) -> NumberedRows:
        """The same rows, with their final numbers in the spool."""
        here = np.arange(len(self.labels), dtype=np.int32)
        if len(self.numbers) == 1 and np.array_equal(self.numbers[0], here):
            return self
        for (start, stop, _), part in zip(self.spans.tolist(), self.parts(here), strict=True):
            self.spool.write(slice(start, stop), part)
        return replace(self, numbers=[here], spans=self.spans * np.array([1, 1, 0]))

    def look_up(self, values: AnyArray) -> AnyArray:
        """Values (n, ...) of all rows from those (n', ...) of the distinct rows."""
        if len(self.spans) == 1:
            return next(self.parts(values))
        out = np.empty((self.n_rows, *values.shape[1:]), values.dtype)
        for (start, stop, _), part in zip(self.spans.tolist(), self.parts(values), strict=True):
            out[start:stop] = part
        return out

    def of_row(self) -> Int32:
        """Distinct row of every row (n,), in the memory of the spool if it has any."""
        if isinstance(self.spool, MemorySpool):
            return self.spool.values
        return self.look_up(np.arange(len(self.labels), dtype=np.int32))
