"""Rates of affinities; Gram tables: the same sums however they grow, memory for few pairs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from lsec.kernels.gram import UNIT
from lsec.rows.rows import Neighbors
from lsec.spectral import gram
from lsec.spectral.gram import KERNELS, Affinity, GramTask, SparseGram
from tests import oracles
from tests.inputs import random_neighbors, seeds

SQUARED = np.array([[1.0, 4.0, 9.0], [0.0, 1.0, 16.0]], np.float32)
K, P = 4, 60
AFFINITIES = [Affinity(2, np.float32(3), 1), Affinity(4, np.float32(2), 1)]


def task(p=P):
    """Gram matrices of two members, of two and of four neighbors."""
    return GramTask(range(p), AFFINITIES)


def table():
    return task().zero()


def block(rng, n):
    return random_neighbors(rng, n, P, K)


def assert_same(sums, expected):
    np.testing.assert_array_equal(sums.where, expected.where)
    np.testing.assert_array_equal(sums.values, expected.values)


def test_gaussian_bandwidth_is_the_mean_distance():
    sigma = (1 + 2 + 3 + 0 + 1 + 4) / 6
    affinity = KERNELS["gaussian"].affinity(SQUARED)
    assert affinity == (3, pytest.approx(1 / (2 * sigma**2)), 1)


def test_quartic_bandwidth_is_the_mean_squared_distance():
    mean = (1 + 4 + 9 + 0 + 1 + 16) / 6
    affinity = KERNELS["quartic"].affinity(SQUARED)
    assert affinity == (3, pytest.approx(1 / (np.sqrt(2) * mean)), 2)
    # exp(-(rate d^2)^2) = exp(-d^4 / (2 mean^2))
    assert (affinity.rate * 9) ** 2 == pytest.approx(81 / (2 * mean**2))


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
def test_rows_that_are_landmarks_have_the_rate_zero(kernel):
    assert kernel.affinity(np.zeros((4, 1), np.float32)) == (1, 0, kernel.power)


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
def test_rates_follow_the_scale_of_the_data(kernel):
    assert kernel.rate(SQUARED * 4) == kernel.rate(SQUARED) / 4


def test_first_member_of_every_neighbor():
    np.testing.assert_array_equal(task().first_member, [0, 0, 1, 1])
    assert task().n_neighbors == 4


@given(seed=seeds, n=st.integers(1, 300))
def test_sums_are_the_gram_matrices_of_the_members(seed, n):
    near = block(np.random.default_rng(seed), n)
    full = table()
    full.add(near)
    sums = full.take()
    for j, affinity in enumerate(AFFINITIES):
        member = sums.of_member(j)
        assert member.n_landmarks == P
        triangle = np.zeros(sums.n_cells)
        triangle[member.cells] = member.sums / UNIT
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


@pytest.mark.parametrize("room", [1, 7, 700])
@given(seed=seeds, n=st.integers(1, 400))
def test_sums_with_a_hash_table_are_those_with_a_slot_for_every_pair(room, seed, n):
    rng = np.random.default_rng(seed)
    blocks = [block(rng, size) for size in (n, 65)]
    direct = table()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gram, "MOST_DIRECT", 0)
        patch.setattr(gram, "FIRST_ROOM", room)
        hashed = table()
        for _ in range(2):  # it is empty once its sums are taken
            for near in blocks:
                direct.add(near)
                hashed.add(near)
            assert_same(hashed.take(), direct.take())


def test_a_hash_table_takes_little_memory_for_very_many_landmarks():
    p, n = 60_000, 3000
    near = (20 * np.arange(n)[:, None] % (p - K) + np.arange(K)).astype(np.uint16)
    wide = task(p).zero()
    wide.add(Neighbors(np.arange(n, dtype=np.int32), near, np.ones((n, K), np.float32)))
    assert wide._places.nbytes + wide._keys.nbytes + wide._values.nbytes < 2**21
    sums = wide.take()
    pairs = {
        (high * (high + 1) // 2 + low)
        for row in near.astype(int).tolist()
        for i, high in enumerate(row)
        for low in row[: i + 1]
    }
    assert sums.where.tolist() == sorted(pairs)


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


def islands(rng, sizes):
    """The cells of a matrix whose landmarks fall into components of the given sizes."""
    part = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    p = len(part)
    dense = np.zeros((p, p))
    for of in range(len(sizes)):
        chain = np.flatnonzero(part == of)
        dense[chain, chain] = 1
        dense[chain[:-1], chain[1:]] = dense[chain[1:], chain[:-1]] = rng.integers(1, 9)
    columns, rows = np.triu_indices(p)
    cells = rows * (rows + 1) // 2 + columns
    order = np.argsort(cells)
    return part, dense, SparseGram(p, cells[order], dense[columns, rows][order])


@given(st.integers(0, 10**6), st.lists(st.integers(1, 9), min_size=1, max_size=6))
def test_components_and_degrees_are_those_of_the_whole_matrix(seed, sizes):
    part, dense, gram = islands(np.random.default_rng(seed), sizes)
    component, share = gram.components()
    assert len(share) == len(sizes)
    assert len(set(zip(part, component, strict=True))) == len(sizes)
    assert_allclose(gram.degree, dense.sum(axis=1))
    weights = np.bincount(component, dense.sum(axis=1))
    assert_allclose(share, weights / weights.sum())


@given(st.integers(0, 10**6), st.lists(st.integers(1, 9), min_size=2, max_size=6))
def test_dropped_columns_have_no_cells(seed, sizes):
    part, dense, gram = islands(np.random.default_rng(seed), sizes)
    dropped = part == 0
    dense[dropped] = dense[:, dropped] = 0
    assert_allclose(gram.without(dropped).degree, dense.sum(axis=1))


def test_more_rows_make_more_tables_useful_and_more_landmarks_fewer():
    of_rows = [task().useful_totals(n) for n in (1, 10**4, 10**6, 10**9)]
    assert of_rows == sorted(of_rows) and of_rows[0] == 1 and of_rows[-1] > 64
    assert task(4000).useful_totals(20_000) == 1  # tables of 32 MB
    assert task(11_000).useful_totals(70_000) == 2  # of the pairs that were met
    assert task(2000).useful_totals(2 * 10**7) > 16


@pytest.mark.parametrize("n", [1, gram.PIECE - 1, gram.PIECE, gram.PIECE + 1, 3 * gram.PIECE + 5])
def test_cells_are_found_piece_by_piece(n):
    values = np.random.default_rng(n).integers(0, 2, n).astype(np.uint32)
    np.testing.assert_array_equal(gram._nonzero(values), np.flatnonzero(values), strict=True)
