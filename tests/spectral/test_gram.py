"""Gram tables: the same sums however they grow, and no memory for pairs without common rows."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsec.kernels.gram import UNIT
from lsec.rows.rows import Neighbors
from lsec.spectral import gram
from lsec.spectral.affinity import Affinity
from lsec.spectral.gram import GramTask
from tests import oracles
from tests.inputs import random_neighbors, seeds

K, P = 4, 60
AFFINITIES = [Affinity(2, np.float32(3), 1), Affinity(4, np.float32(2), 1)]


def task(p=P):
    """Gram matrices of two members, of two and of four neighbors."""
    return GramTask(SimpleNamespace(landmarks=range(p)), AFFINITIES)


def table():
    return task().zero()


def block(rng, n):
    return random_neighbors(rng, n, P, K)


def assert_same(sums, expected):
    np.testing.assert_array_equal(sums.where, expected.where)
    np.testing.assert_array_equal(sums.values, expected.values)


def test_first_member_of_every_neighbor():
    np.testing.assert_array_equal(task().first_member, [0, 0, 1, 1])
    assert task().n_neighbors == 4


@given(seed=seeds, n=st.integers(1, 300))
def test_sums_are_the_gram_matrices_of_the_members(seed, n):
    near = block(np.random.default_rng(seed), n)
    full = table()
    full.add(near)
    sums = full.take()
    assert sums.n_landmarks == P
    for j, affinity in enumerate(AFFINITIES):
        cells, values = sums.of_member(j)
        triangle = np.zeros(sums.n_cells)
        triangle[cells] = values / UNIT
        expected = oracles.gram(oracles.affinities(near, affinity, P))
        np.testing.assert_allclose(triangle, expected[np.tril_indices(P)], atol=1e-6 * n)


@pytest.mark.parametrize("room", [1, 7, 700])
@given(seed=seeds, n=st.integers(1, 400))
def test_sums_do_not_depend_on_the_room_there_was(room, seed, n):
    near = block(np.random.default_rng(seed), n)
    whole = table()
    whole.add(near)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gram, "FIRST_ROOM", room)
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
    monkeypatch.setattr(gram, "FIRST_ROOM", 64)
    p, n = 2000, 2000 - K + 1
    near = (np.arange(n)[:, None] + np.arange(K)).astype(np.uint16)
    long = task(p).zero()
    long.add(Neighbors(np.arange(n, dtype=np.int32), near, np.ones((n, K), np.float32)))
    n_pairs = len(long.take().where)
    assert n_pairs == sum(p - apart for apart in range(K))
    assert len(long._values) <= 4 * n_pairs


def test_a_table_is_never_larger_than_all_pairs(monkeypatch):
    monkeypatch.setattr(gram, "FIRST_ROOM", 1)
    full = table()
    full.add(block(np.random.default_rng(0), 5000))
    n_cells = P * (P + 1) // 2
    assert len(full._values) == task().n_cells == n_cells
    assert full._places.nbytes + full._values.nbytes == task().n_bytes
    assert len(full.take().where) == n_cells
