"""Groups are decoded once in a sweep, by one thread each, and only where they hold rows."""

import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from lsec.sources.composite import GroupedSource
from tests.sources.stores import assert_holds, numbers, set_blocks


class Groups(GroupedSource):
    """Groups of an array, which counts how often each is decoded."""

    def __init__(self, X, sizes, seconds=0.0):
        super().__init__(sizes, X.shape[1])
        self.X, self.counts, self.seconds = X, Counter(), seconds

    def _identity(self):
        return {}

    def _keep(self, pieces):
        self.X = self.X[self._starts[pieces.start] :] if pieces else self.X[:0]

    def _decode(self, group):
        self.counts[group] += 1
        time.sleep(self.seconds)
        return self.X[self._starts[group] : self._ends[group]]


@settings(max_examples=60, deadline=None)
@given(sizes=st.lists(st.integers(0, 50), min_size=1, max_size=9).filter(any))
def test_any_cut_into_groups_holds_the_rows(sizes):
    X = numbers(sum(sizes))
    with pytest.MonkeyPatch.context() as patch:
        set_blocks(patch)
        assert_holds(Groups(X, sizes), X)


def test_threads_that_want_the_same_group_decode_it_once(small_blocks):
    X = numbers(16)
    source = Groups(X, [16], seconds=0.05)
    with ThreadPoolExecutor(8) as pool:
        for block in pool.map(source.block, [0] * 8):
            assert_array_equal(block, X)
    assert source.counts == {0: 1}


@settings(max_examples=30, deadline=None)
@given(
    sizes=st.lists(st.integers(0, 80), min_size=1, max_size=40).filter(any),
    threads=st.sampled_from([1, 2, 8]),
)
def test_a_sweep_decodes_every_group_once_and_keeps_none(sizes, threads):
    X = numbers(sum(sizes))
    with pytest.MonkeyPatch.context() as patch:
        set_blocks(patch)
        source = Groups(X, sizes, seconds=0.0005)
    for sweep in (1, 2):
        with ThreadPoolExecutor(threads) as pool:
            blocks = list(pool.map(source.block, range(source.n_blocks)))
        assert_array_equal(np.concatenate(blocks), X)
        assert source.counts == {group: sweep for group, size in enumerate(sizes) if size}
        assert not source._decoded


def test_while_one_thread_decodes_others_go_on(small_blocks):
    other_done = threading.Event()

    class Waiting(Groups):
        def _decode(self, group):
            assert group or other_done.wait(10)
            return super()._decode(group)

    X = numbers(32)
    source = Waiting(X, [16, 16])
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(source.block, 0)
        assert_array_equal(pool.submit(source.block, 1).result(10), X[16:])
        other_done.set()
        assert_array_equal(first.result(10), X[:16])


def test_a_group_that_failed_is_tried_again(small_blocks):
    class Failing(Groups):
        def _decode(self, group):
            rows = super()._decode(group)
            if self.counts[group] == 1:
                raise OSError("out of reach")
            return rows

    source = Failing(numbers(40), [40])
    with pytest.raises(OSError, match="out of reach"):
        source.block(0)
    assert_array_equal(source.block(0), numbers(40)[:16])
    assert_array_equal(source.block(1), numbers(40)[16:32])
    assert source.counts == {0: 2}


def test_rows_by_position_decode_only_the_groups_that_hold_them(small_blocks):
    X = numbers(400)
    source = Groups(X, [40] * 10)
    which = np.array([0, 39, 85, 86, 399])
    assert_array_equal(source.take(which), X[which])
    assert source.counts == {0: 1, 2: 1, 9: 1}
