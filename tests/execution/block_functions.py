"""Random block functions and sums, and their values for all rows at once.

Rows are small whole numbers, so that all sums are exact.
"""

from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from lsec.output.labels import MemorySpool

BLOCK = 16
UINT8 = np.dtype(np.uint8)


@contextmanager
def small_blocks():
    """Blocks of 16 rows."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lsec.sources.source.MOST_BLOCK_ROWS", BLOCK)
        patch.setattr("lsec.sources.source.LEAST_BLOCK_ROWS", BLOCK)
        yield


def random_rows(rng, n):
    """Rows (n, 3) of small whole numbers."""
    return rng.integers(-4, 5, (n, 3)).astype(float)


@dataclass(frozen=True)
class Project:
    """Rows of a block in a random direction, (n,); and the sum of their squares."""

    seed: int

    def of(self, rows):
        along = rows @ np.random.default_rng(self.seed).integers(-9, 10, 3)
        return along, np.square(along).sum()

    def __call__(self, block):
        return self.of(block.read())


@dataclass(frozen=True)
class Counts:
    """A sum: how many rows have each of some values, int64 (n_values,)."""

    n_values: int
    n_totals: int = 99

    @property
    def n_bytes(self):
        return 8 * self.n_values

    def useful_totals(self, n_rows):
        return self.n_totals

    def zero(self):
        return RunningCounts(self.n_values)


class RunningCounts:
    """A running sum of counts."""

    def __init__(self, n_values):
        self.counts = np.zeros(n_values, np.int64)

    def add(self, value):
        self.counts += value

    def take(self):
        taken, self.counts = self.counts, np.zeros_like(self.counts)
        return taken


@dataclass(frozen=True)
class CountValues:
    """Counts of a random whole number of every row, for each key another one."""

    seed: int
    sums: dict

    def of(self, rows, key):
        rng = np.random.default_rng([self.seed, key])
        n_values = self.sums[key].n_values
        values = (rows @ rng.integers(-9, 10, 3)).astype(int) % n_values
        return np.bincount(values, minlength=n_values)

    def __call__(self, block, keys):
        rows = block.read()
        return {key: self.of(rows, key) for key in keys}


@dataclass(frozen=True)
class Labels:
    """Random labels (n, m) that follow from the rows."""

    seed: int
    n_columns: int
    n_labels: int
    dtype: np.dtype = UINT8

    def of(self, rows):
        turn = np.random.default_rng(self.seed).integers(-9, 10, (3, self.n_columns))
        return ((rows @ turn) % self.n_labels).astype(self.dtype)

    def __call__(self, block):
        return self.of(block.read())


def assert_plain(executor, source, rows, seed):
    """Results of all three operations are those of the whole rows."""
    rng = np.random.default_rng(seed)
    project = Project(seed)
    mapped = list(executor.map(source, project, "labels"))
    assert len(mapped) == source.n_blocks
    assert_array_equal(np.concatenate([along for along, _ in mapped]), project.of(rows)[0])
    assert sum(squares for _, squares in mapped) == project.of(rows)[1]

    sums = {key: Counts(int(rng.integers(1, 30))) for key in range(int(rng.integers(1, 5)))}
    count = CountValues(seed, sums)
    reduced = executor.reduce(source, count, sums, ("neighbors", "Gram"))
    assert list(reduced) == list(sums)
    for key, counts in reduced.items():
        assert_array_equal(counts, count.of(rows, key))

    labels = Labels(seed, int(rng.integers(1, 12)), int(rng.integers(1, 5)))
    spool = MemorySpool(len(rows)) if executor.holds_rows else None
    found = executor.distinct(source, labels, "labels", spool)
    expected = labels.of(rows)
    unique, first, counts = np.unique(expected, axis=0, return_index=True, return_counts=True)
    order = np.argsort(first)
    assert_array_equal(found.labels, unique[order], strict=True)
    assert_array_equal(found.weights, counts[order])
    assert_array_equal(np.concatenate(list(found.parts(found.labels))), expected)
    assert_array_equal(np.asarray(found.look_up(found.labels)), expected)
