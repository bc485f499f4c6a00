"""Micro-clusters: the distinct rows of a label matrix, with weights.

Rows with equal base labels are indistinguishable to every consensus function, so
that a consensus on weighted micro-clusters equals the one on all rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from lsec.consensus_methods.label_matrix import LabelMatrix
from lsec.engine.spool import MemorySpool, Spool
from lsec.engine.threads import Lent, Workers, thread_count
from lsec.kernels.distinct import EMPTY, count_rows, rebuild_table

START = 2**12


@dataclass(frozen=True)
class MicroClusters:
    """Distinct label rows in the order in which they first occur.

    That order depends neither on label names nor on the order of the columns.

    Attributes
    ----------
    labels : unsigned (n', m)
        Column j holds 0 .. n_labels[j] - 1, or n_labels[j] where the label is missing.
    weights : float64 (n',)
        How many rows share the labels.
    of_row : int32 (n,)
        Micro-cluster of every row; empty where it was not kept.
    n_labels : int64 (m,)
        Labels of each base clustering; some may not occur.
    names : list of ndarray, or None
        The label that each number stands for, per column; None where that is the number.

    Examples
    --------
    >>> from lsec import MicroClusters
    >>> micro = MicroClusters.from_labels([[7, 7, 7, 2], [0, 0, 1, -1]])
    >>> len(micro), micro.weights.tolist(), micro.of_row.tolist()
    (3, [2.0, 1.0, 1.0], [0, 0, 1, 2])
    """

    labels: np.ndarray
    weights: np.ndarray
    of_row: np.ndarray
    n_labels: np.ndarray
    names: list[np.ndarray] | None = None

    @classmethod
    def from_labels(cls, label_matrix: Any, *, n_jobs: int | None = None) -> MicroClusters:
        """Micro-clusters of base labels in any form.

        Parameters
        ----------
        label_matrix : array-like of shape (n, m), data frame, or list of m label vectors
            Integers of any type and range. Negative or NaN: the row takes no part in that
            base clustering. Memory maps are read block by block.
        n_jobs : int or None, default=None
            Threads; None and -1 use all cores.
        """
        matrix = LabelMatrix(label_matrix)
        spool = MemorySpool(matrix.shape[0])
        collector = MicroClusterCollector(matrix.shape[1], matrix.dtype, spool)
        with Workers(thread_count(n_jobs)) as workers:
            workers.map(lambda rows: collector.add(rows, matrix.codes(rows)), matrix.spans())
        keys, weights = collector.finish()
        labels, names = _number(keys, matrix.missing if matrix.has_missing else None)
        n_labels = np.array([len(name) for name in names])
        micro = cls(labels, weights, collector.of_row(), n_labels, names)
        nothing = np.flatnonzero(~micro.takes_part.any(axis=1))
        if nothing.size:
            row = int(np.flatnonzero(micro.of_row == nothing[0])[0])
            raise ValueError(
                f"Row {row} has no label in any base clustering. Remove such rows; there are "
                f"{int(weights[nothing].sum())}."
            )
        return micro

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def n_base(self) -> int:
        """Number of base clusterings, m."""
        return self.labels.shape[1]

    @property
    def n_base_clusters(self) -> int:
        """Number of base clusters in all base clusterings, C."""
        return int(self.n_labels.sum())

    @cached_property
    def takes_part(self) -> np.ndarray:
        """Which label is there, bool (n', m)."""
        return self.labels < self.n_labels

    @cached_property
    def base_clusters(self) -> np.ndarray:
        """Base cluster in each base clustering, int32 (n', m); C where there is none."""
        return number_base_clusters(self.labels, self.n_labels)

    @cached_property
    def indicator(self) -> sparse.csr_matrix:
        """Which base clusters each micro-cluster lies in, 0/1, float64 CSR (n', C)."""
        present = self.takes_part
        pointers = np.concatenate([[0], np.cumsum(present.sum(axis=1))])
        columns = self.base_clusters[present]
        return sparse.csr_matrix(
            (np.ones(len(columns)), columns, pointers), shape=(len(self), self.n_base_clusters)
        )

    @cached_property
    def sizes(self) -> np.ndarray:
        """Rows in each base cluster, float64 (C,)."""
        return self.indicator.T @ self.weights

    def _names(self, column: int) -> np.ndarray:
        """The label that each number of a column stands for."""
        return np.arange(self.n_labels[column]) if self.names is None else self.names[column]

    def translate(self, other: MicroClusters) -> np.ndarray:
        """Labels (n, m) of other micro-clusters in the numbers of these.

        A label that these do not know counts as missing.
        """
        if other.n_base != self.n_base:
            raise ValueError(
                f"The label matrix has {other.n_base} columns, the consensus was made from "
                f"{self.n_base}. Pass the same base clusterings in the same order."
            )
        out = np.empty(other.labels.shape, np.int64)
        for j in range(self.n_base):
            known, names = self._names(j), other._names(j)
            place = np.searchsorted(known, names)
            same = place < len(known)
            same[same] = known[place[same]] == names[same]
            number = np.append(np.where(same, place, len(known)), len(known))
            out[:, j] = number[other.labels[:, j]]
        return out


def number_base_clusters(labels: np.ndarray, n_labels: np.ndarray) -> np.ndarray:
    """Number all base clusters from 0 to C - 1, int32 (n, m); C where there is no label."""
    starts = np.concatenate([[0], np.cumsum(n_labels)])
    numbers = labels.astype(np.int32) + starts[:-1].astype(np.int32)
    return np.where(labels < n_labels, numbers, np.int32(starts[-1]))


def _number(keys: np.ndarray, missing: int | None) -> tuple[np.ndarray, list[np.ndarray]]:
    """Number the labels of every column from 0, the missing one last, and list their names."""
    columns, names = [], []
    for column in keys.T:
        distinct, numbers = np.unique(column, return_inverse=True)
        columns.append(numbers)
        names.append(distinct if missing is None else distinct[distinct != missing])
    dtype = np.min_scalar_type(max(len(name) for name in names))
    return np.stack(columns, axis=1).astype(dtype), names


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

    Parameters
    ----------
    n_columns : int
    dtype : unsigned type of the labels
    spool : MemorySpool or FileSpool
        Keeps a number per row: until `finish` has been called the one that the table of
        the block's thread gave.
    """

    def __init__(self, n_columns: int, dtype: np.dtype | type, spool: Spool):
        self._spool = spool
        self._dtype = np.dtype(dtype)
        self._columns = n_columns
        width = -(-n_columns * self._dtype.itemsize // 8)
        self._tables: Lent[_Table] = Lent(lambda: _Table(width))
        self._spans: list[tuple[slice, _Table]] = []
        self._final: dict[int, np.ndarray] = {}

    def add(self, rows: slice, labels: np.ndarray) -> None:
        """Count the labels (n, m) of some rows."""
        table = self._tables.borrow()
        self._spool.write(rows, table.add(as_words(labels), rows.start))
        self._spans.append((rows, table))
        self._tables.give_back(table)

    def finish(self) -> tuple[np.ndarray, np.ndarray]:
        """Merge the tables; the result does not depend on who counted which block.

        Returns
        -------
        labels : unsigned (n', m)
            Distinct label rows in the order in which they first occur.
        weights : float64 (n',)
        """
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
        ends = np.cumsum([table.n_keys for table in tables])
        for table, numbers in zip(tables, np.split(rank[key_of], ends[:-1]), strict=True):
            self._final[id(table)] = numbers
        labels = merged.keys[: merged.n_keys][order].view(self._dtype)[:, : self._columns]
        return np.ascontiguousarray(labels), weights[order]

    def spans(self) -> Iterator[tuple[slice, np.ndarray]]:
        """Spans of rows in order, with the micro-clusters of their rows int32 (n,)."""
        for rows, table in sorted(self._spans, key=lambda span: span[0].start):
            yield rows, self._final[id(table)][self._spool.read(rows)]

    def of_row(self) -> np.ndarray:
        """Micro-cluster of every row, int32 (n,); in the memory of the spool."""
        assert isinstance(self._spool, MemorySpool)
        for rows, numbers in self.spans():
            self._spool.write(rows, numbers)
        return self._spool.values
