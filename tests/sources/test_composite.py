"""Shards and parts of sources hold their rows, and name the place of a value in its file."""

import pickle
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from lsec import open_rows
from lsec.sources import ArraySource
from lsec.sources.composite import ShardedSource
from tests.sources.stores import BLOCK, STORES, assert_holds, in_memory, npy_shards, numbers, sent

pytestmark = pytest.mark.usefixtures("small_blocks")


# Shards


def test_any_cut_into_shards_holds_the_rows():
    @settings(max_examples=40, deadline=None)
    @given(sizes=st.lists(st.integers(0, 50), min_size=1, max_size=9).filter(any))
    def check(sizes):
        X = numbers(sum(sizes))
        parts = np.split(X, np.cumsum(sizes)[:-1])
        shards = [ArraySource(part, mapped=True) for part in parts]
        assert_holds(ShardedSource(shards, ["shard"] * len(parts)), X)

    check()


# Parts


def parts_of(source, cuts):
    """Parts of a source between cuts into its blocks."""
    borders = [0, *sorted(min(cut, source.n_blocks) for cut in cuts), source.n_blocks]
    return [source.part(range(a, b)) for a, b in pairwise(borders)]


def assert_parts_hold(parts, X):
    """The parts hold the rows of the array one after the other, and know where they are."""
    for part in parts:
        assert_holds(part, X[part.first_row : part.first_row + part.shape[0]])
    assert [part.first_row for part in parts] == np.cumsum(
        [0, *(part.shape[0] for part in parts[:-1])]
    ).tolist()
    assert sum(part.shape[0] for part in parts) == len(X)


@pytest.mark.parametrize("store", [*STORES, in_memory])
def test_parts_follow_each_other(store, tmp_path_factory):
    X = numbers(203)
    source = open_rows(store(tmp_path_factory.mktemp("rows"), X))

    @settings(max_examples=25, deadline=None)
    @given(cuts=st.lists(st.integers(0, 13), max_size=4))
    def check(cuts):
        parts = parts_of(source, cuts)
        assert_parts_hold(parts, X)
        assert_parts_hold([sent(part) for part in parts], X)

    check()


@pytest.mark.parametrize("store", [*STORES, in_memory])
def test_a_part_of_a_part_is_a_part(store, tmp_path):
    X = numbers(203)
    part = open_rows(store(tmp_path, X)).part(range(2, 11)).part(range(3, 5))
    assert part.first_row == 5 * BLOCK
    assert_holds(sent(part), X[5 * BLOCK : 7 * BLOCK])


@pytest.mark.parametrize("store", [*STORES, in_memory])
def test_a_part_names_the_place_in_the_file(store, tmp_path):
    X = numbers(203)
    X[150, 2] = np.nan
    try:
        source = open_rows(store(tmp_path, X))
    except ValueError:  # arrays in memory are looked through at once
        source = ArraySource(X, mapped=True)
    with pytest.raises(ValueError, match="contains NaN") as whole:
        source.block(150 // BLOCK)
    for blocks in (range(9, 13), range(9, 10), range(4, 11)):
        part = sent(source.part(blocks))
        for rows_of in (part.block, lambda block, part=part: all_of(part)):
            with pytest.raises(ValueError, match="contains NaN") as caught:
                rows_of(9 - blocks.start)
            assert str(caught.value) == str(whole.value)


def all_of(source):
    return source.take(np.arange(source.shape[0]))


def test_a_part_of_many_shards_or_groups_is_small(tmp_path):
    for store in (npy_shards, many_groups):
        source = open_rows(store(tmp_path, numbers(20_000)))
        size = len(pickle.dumps(source))
        assert len(pickle.dumps(source.part(range(9, 11)))) < min(size, 2000)


def many_groups(folder, X):
    table = pa.table({"abc"[j]: X[:, j] for j in range(3)})
    pq.write_table(table, folder / "x.parquet", row_group_size=9)
    return folder / "x.parquet"


def test_a_part_of_an_array_takes_its_own_rows_along(tmp_path):
    for rows in (numbers(5000), sparse.csr_matrix(numbers(5000))):
        part = ArraySource(rows).part(range(9, 11))
        assert part.in_memory
        assert len(pickle.dumps(part)) < 2000


@pytest.mark.parametrize("blocks", [range(14), range(-1, 3), range(0, 4, 2), range(5, 3)])
def test_blocks_that_do_not_follow_each_other_are_refused(blocks):
    with pytest.raises(ValueError, match=r"consecutive blocks of 13; got range"):
        ArraySource(numbers(203)).part(blocks)


def test_rows_from_elsewhere_know_their_place():
    X = numbers(40)
    X[33, 1] = np.inf
    for mapped in (False, True):
        with pytest.raises(ValueError, match="row 1033, column 1 is inf"):
            ArraySource(X, mapped=mapped, first_row=1000).block(2)
