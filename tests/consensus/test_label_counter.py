"""Distinct label rows are counted exactly, whoever counts which block."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsec.execution.distinct import LabelCounter
from lsec.execution.threads import Workers
from lsec.output.labels import FileSpool, MemorySpool
from tests.consensus import oracles as plain
from tests.consensus.ensembles import random_ensemble, seeds


def collect(labels, n_threads=1, step=97, spool=None):
    spool = MemorySpool(len(labels)) if spool is None else spool
    counter = LabelCounter(labels.shape[1], labels.dtype, spool)
    spans = [slice(low, min(low + step, len(labels))) for low in range(0, len(labels), step)]
    with Workers(n_threads) as workers:
        workers.map(lambda span: counter.add(span, labels[span]), spans)
    rows = counter.finish()
    here = np.arange(len(rows.labels))
    return rows.labels, rows.weights, np.concatenate(list(rows.parts(here)))


@given(
    seed=seeds,
    n=st.integers(1, 3000),
    m=st.integers(1, 25),
    k=st.integers(1, 5),
    dtype=st.sampled_from([np.uint8, np.uint16, np.uint32, np.uint64]),
)
def test_micro_clusters_are_the_distinct_rows_in_order_of_occurrence(seed, n, m, k, dtype):
    rng = np.random.default_rng(seed)
    top = np.iinfo(dtype).max // dtype(k)
    labels = rng.integers(0, k, (n, m)).astype(dtype) * top
    found, weights, of_row = collect(labels)
    expected = plain.micro_clusters(labels)
    for array, other in zip((found, weights, of_row), expected, strict=True):
        np.testing.assert_array_equal(array, other)
    assert found.dtype == dtype


@given(seed=seeds, n=st.integers(1, 500), m=st.integers(1, 10), step=st.integers(1, 200))
def test_weights_count_as_repeated_rows(seed, n, m, step):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, (n, m)).astype(np.uint8)
    weights = rng.integers(0, 4, n)
    weights[rng.integers(n)] = 1
    counter = LabelCounter(m, labels.dtype, MemorySpool(n))
    for low in range(0, n, step):
        span = slice(low, min(low + step, n))
        counter.add(span, labels[span], weights[span])
    rows = counter.finish()
    found, counts, of_row = collect(np.repeat(labels, weights, axis=0))
    np.testing.assert_array_equal(rows.labels[: rows.n_counted], found)
    np.testing.assert_array_equal(rows.weights[: rows.n_counted], counts)
    np.testing.assert_array_equal(np.repeat(rows.of_row(), weights), of_row)
    np.testing.assert_array_equal(rows.labels[rows.of_row()], labels)
    assert not rows.weights[rows.n_counted :].any()
    assert rows.n_rows == n


def test_tables_grow_beyond_their_first_size():
    labels = np.random.default_rng(0).integers(0, 256, (60_000, 9)).astype(np.uint8)
    found, weights, of_row = collect(labels, step=7000)
    assert len(found) == len(weights) == len(np.unique(labels, axis=0))
    np.testing.assert_array_equal(found[of_row], labels)


@pytest.mark.parametrize("n_threads", [2, 4])
def test_micro_clusters_do_not_depend_on_threads_blocks_or_storage(n_threads, tmp_path):
    labels = random_ensemble(np.random.default_rng(3), 20_000, 6)[1].astype(np.uint8)
    one = collect(labels, 1, step=len(labels))
    for spool in (MemorySpool(len(labels)), FileSpool(tmp_path)):
        many = collect(labels, n_threads, step=333, spool=spool)
        for array, other in zip(one, many, strict=True):
            np.testing.assert_array_equal(array, other)


def test_micro_clusters_of_all_rows_at_once():
    labels = random_ensemble(np.random.default_rng(3), 1000, 6)[1].astype(np.uint8)
    counter = LabelCounter(6, np.uint8, MemorySpool(1000))
    for low in (700, 0, 300):  # in any order
        rows = slice(low, low + 400 if low == 300 else low + 300)
        counter.add(rows, labels[rows])
    found = counter.finish()
    np.testing.assert_array_equal(found.labels[found.of_row()], labels)
