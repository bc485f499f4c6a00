"""Rows from files are the rows of the array: the same blocks, the same labels."""

import os
import sys
import threading
import time
import tracemalloc
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from lsec import LSEC, DnCSC, LightKMeans, open_rows
from lsec.sources import open_array
from lsec.sources import parquet as parquet_module
from lsec.sources.groups import GroupedSource
from lsec.sources.shards import ShardedSource
from tests.stores import (
    STORES,
    assert_holds,
    csv,
    hdf5,
    npy,
    numbers,
    parquet,
    set_blocks,
    zarr_array,
)

DTYPES = ["f2", "f4", "f8", ">f8", "i1", "u2", "i8", "?"]


@pytest.fixture
def small_blocks(monkeypatch):
    """Blocks of 16 rows."""
    set_blocks(monkeypatch)


# Every source holds exactly the rows of the array


@pytest.mark.parametrize("n_rows", [1, 15, 64, 203])
@pytest.mark.parametrize("store", STORES)
def test_a_source_holds_the_rows_of_the_array(store, n_rows, tmp_path, small_blocks, monkeypatch):
    monkeypatch.setattr("lsec.sources.csv.LINES_AT_ONCE", 20)
    X = numbers(n_rows)
    assert_holds(open_rows(store(tmp_path, X)), X)


@pytest.mark.parametrize("far_apart", [0, 2**16])
@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("dtype", DTYPES)
def test_npy_of_any_type_and_order(dtype, order, far_apart, tmp_path, small_blocks, monkeypatch):
    monkeypatch.setattr("lsec.sources.npy.FAR_APART", far_apart)
    X = np.asarray(numbers(75) > 0 if dtype == "?" else abs(numbers(75)), dtype, order=order)
    assert_holds(open_rows(npy(tmp_path, X)), X)


def test_parquet_columns_of_mixed_types(tmp_path, small_blocks):
    X = np.round(numbers(75, 5))
    columns = {"i": X[:, 0].astype("i2"), "u": abs(X[:, 1]).astype("u8"), "f": X[:, 2] / 8}
    columns |= {"half": X[:, 3].astype("f2"), "yes": X[:, 4] > 0}
    pq.write_table(pa.table(columns), tmp_path / "mixed.parquet", row_group_size=9)
    assert_holds(open_rows(tmp_path / "mixed.parquet"), np.column_stack([*columns.values()]))


class Groups(GroupedSource):
    """Groups of an array, which counts how often each is decoded."""

    def __init__(self, X, sizes, seconds=0.0):
        super().__init__(sizes, X.shape[1])
        self.X, self.counts, self.seconds = X, Counter(), seconds

    def fingerprint(self):
        return {}

    def _keep(self, groups):
        self.X = self.X[self._starts[groups.start] :] if groups else self.X[:0]

    def _decode(self, group):
        self.counts[group] += 1
        time.sleep(self.seconds)
        return self.X[self._starts[group] : self._ends[group]]


@settings(max_examples=60, deadline=None)
@given(sizes=st.lists(st.integers(0, 50), min_size=1, max_size=9).filter(any))
def test_any_cut_into_groups_or_shards_holds_the_rows(sizes):
    X = numbers(sum(sizes))
    parts = np.split(X, np.cumsum(sizes)[:-1])
    with pytest.MonkeyPatch.context() as patch:
        set_blocks(patch)
        assert_holds(Groups(X, sizes), X)
        shards = [open_array(part, mapped=True) for part in parts]
        assert_holds(ShardedSource(shards, ["shard"] * len(parts)), X)


# The same labels, wherever the rows are


@pytest.mark.parametrize("store", STORES)
def test_same_labels_from_any_store(store, face, tmp_path, block_rows):
    block_rows(1024)
    cheap = {"n_base": 7, "n_landmarks": 100, "base_clusters": (5, 15), "random_state": 0}
    array, stored = LSEC(4, **cheap).fit(face), store(tmp_path, face)
    model = LSEC(4, **cheap).fit(stored)
    assert_array_equal(model.labels_, array.labels_, strict=True)
    assert_array_equal(model.base_labels_, array.base_labels_, strict=True)
    assert model.n_features_in_ == 2
    assert_array_equal(model.predict(stored), model.labels_)
    assert_array_equal(model.predict_membership(stored), array.predict_membership(face))


@pytest.mark.parametrize("store", [npy, parquet])
def test_same_labels_of_every_estimator(build, store, face, tmp_path, block_rows):
    block_rows(1024)
    path = store(tmp_path, face)
    labels = build(4).fit(face).labels_
    for rows in (path, str(path), [path], open_rows(path)):
        model = build(4).fit(rows)
        assert_array_equal(model.labels_, labels, strict=True)
        assert_array_equal(model.predict(rows), labels)


def test_a_file_is_never_in_memory_whole(tmp_path, block_rows):
    block_rows(1024)
    X = np.random.default_rng(0).normal(size=(100_000, 30))
    path, model = npy(tmp_path, X), LightKMeans(3, sample_size=500, random_state=0, n_jobs=1)
    model.fit(X[:600])  # imports and compiles
    tracemalloc.start()
    try:
        labels = model.fit(path).labels_
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < X.nbytes / 8
    assert_array_equal(labels, model.fit(X).labels_)


# Threads


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


# Rows by position


def test_rows_by_position_decode_only_the_groups_that_hold_them(small_blocks):
    X = numbers(400)
    source = Groups(X, [40] * 10)
    which = np.array([0, 39, 85, 86, 399])
    assert_array_equal(source.take(which), X[which])
    assert source.counts == {0: 1, 2: 1, 9: 1}


@pytest.mark.parametrize("n_shards", [1, 3])
def test_rows_by_position_read_little_of_a_file(n_shards, tmp_path, monkeypatch):
    n_bytes, pread = [], os.pread
    for number in range(n_shards):
        X = np.lib.format.open_memmap(tmp_path / f"{number}.npy", "w+", np.float64, (500_000, 3))
        X[::1000] = np.arange(500)[:, None] + 1000 * number
    source = open_rows(tmp_path)
    which = np.arange(0, 500_000 * n_shards, 10_000)
    monkeypatch.setattr(os, "pread", lambda *read: n_bytes.append(read[1]) or pread(*read))
    rows = source.take(which)
    assert sum(n_bytes) == rows.nbytes == 24 * len(which)
    assert_array_equal(rows[:, 0], which % 500_000 // 1000 + which // 500_000 * 1000)


def test_small_row_groups_are_decoded_together(tmp_path, monkeypatch):
    X, opened = numbers(20_000), []
    pq.write_table(pa.table({"a": X[:, 0]}), tmp_path / "a.parquet", row_group_size=100)
    source = open_rows(tmp_path / "a.parquet")
    open_file = parquet_module._open
    monkeypatch.setattr(parquet_module, "_open", lambda *a: opened.append(a) or open_file(*a))
    assert_array_equal(source.block(0), X[:, :1])
    assert len(opened) == 1


# Columns


def test_columns_are_chosen_and_ordered(tmp_path, small_blocks):
    X = numbers(75, 4)
    for stored in (parquet(tmp_path, X), [parquet(tmp_path, X, "copy.parquet")]):
        assert_holds(open_rows(stored, columns=["d", "a"]), X[:, [3, 0]])


def test_a_column_of_text_is_no_obstacle_if_others_are_chosen(tmp_path, small_blocks):
    X = numbers(20, 2)
    path = parquet(tmp_path, X, "named.parquet")
    pq.write_table(pq.read_table(path).append_column("name", [["x"] * 20]), path)
    assert_holds(open_rows(path, columns=["a", "b"]), X)
    with pytest.raises(ValueError, match=r"'name' of .*named\.parquet holds string, not numbers"):
        open_rows(path)


# Other errors


@pytest.mark.parametrize("store", [npy, parquet, csv])
def test_wrong_number_of_features_in_predict(build, store, tmp_path):
    model = build(2).fit(numbers(300))
    with pytest.raises(ValueError, match=r"2 features.*expecting 3 features"):
        model.predict(store(tmp_path, numbers(30, 2)))


@pytest.mark.parametrize(
    ("package", "store"), [("pyarrow", parquet), ("zarr", zarr_array), ("h5py", hdf5)]
)
def test_a_missing_package_is_named_with_the_remedy(package, store, tmp_path, monkeypatch):
    stored = store(tmp_path, numbers(9))
    for name in (package, f"{package}.parquet"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=rf"needs {package}.*pip install 'lsec\[io\]'"):
        DnCSC(2).fit(Path(stored))


def test_more_shards_than_files_may_be_open(tmp_path):
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    for i in range(120):
        np.save(tmp_path / f"{i:03}.npy", np.full((2, 2), i))
    resource.setrlimit(resource.RLIMIT_NOFILE, (100, hard))
    try:
        rows = open_rows(tmp_path).block(0)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    np.testing.assert_array_equal(rows[:, 0], np.repeat(np.arange(120), 2))
