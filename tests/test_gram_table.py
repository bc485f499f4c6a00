"""Gram tables: the same sums however they grow, and no memory for pairs that no row has."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsec.rows.rows import Neighbors
from lsec.spectral import gram_table
from lsec.spectral.gram_table import GramTable
from test_kernels import random_neighbors, seeds

K, P = 4, 60
N_CELLS = P * (P + 1) // 2
FIRST = np.array([0, 0, 1, 1], np.int32)
RATES = np.array([3, 2], np.float32)


def block(rng, n):
    index, squared = random_neighbors(rng, n, P, K)
    return Neighbors(np.arange(n, dtype=np.int32), index, squared)


def table():
    return GramTable(N_CELLS, FIRST, RATES, False)


def assert_same(sums, expected):
    np.testing.assert_array_equal(sums.where, expected.where)
    np.testing.assert_array_equal(sums.values, expected.values)


@pytest.mark.parametrize("room", [1, 7, 700])
@given(seed=seeds, n=st.integers(1, 400))
def test_sums_do_not_depend_on_the_room_there_was(room, seed, n):
    near = block(np.random.default_rng(seed), n)
    whole = table()
    whole.add(near)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gram_table, "FIRST_ROOM", room)
        grown = table()
        grown.add(near)
    assert_same(grown.take(), whole.take())


def test_a_table_is_empty_once_its_sums_are_taken():
    near, other = (block(np.random.default_rng(seed), 200) for seed in (0, 1))
    used, fresh = table(), table()
    used.add(near)
    assert len(used.take().where) > P
    used.add(other)
    fresh.add(other)
    assert_same(used.take(), fresh.take())
    assert len(used.take().where) == 0


def test_sums_of_parts_add_up():
    rng = np.random.default_rng(0)
    blocks = [block(rng, n) for n in (1, 130, 64)]
    whole = table()
    parts = []
    for near in blocks:
        whole.add(near)
        part = table()
        part.add(near)
        parts.append(part.take())
    assert_same(parts[0] + parts[1] + parts[2], whole.take())


def test_room_follows_the_pairs_that_rows_have(monkeypatch):
    """Two thousand landmarks have two million pairs; rows along a line have a few thousand."""
    monkeypatch.setattr(gram_table, "FIRST_ROOM", 64)
    p, n = 2000, 2000 - K + 1
    near = (np.arange(n)[:, None] + np.arange(K)).astype(np.uint16)
    long = GramTable(p * (p + 1) // 2, FIRST, RATES, False)
    long.add(Neighbors(np.arange(n, dtype=np.int32), near, np.ones((n, K), np.float32)))
    n_pairs = len(long.take().where)
    assert n_pairs == sum(p - apart for apart in range(K))
    assert len(long._values) <= 4 * n_pairs


def test_a_table_is_never_larger_than_all_pairs(monkeypatch):
    monkeypatch.setattr(gram_table, "FIRST_ROOM", 1)
    full = table()
    full.add(block(np.random.default_rng(0), 5000))
    assert len(full._values) == N_CELLS
    assert full._places.nbytes + full._values.nbytes == GramTable.most_bytes(N_CELLS, len(RATES))
    assert len(full.take().where) == N_CELLS
