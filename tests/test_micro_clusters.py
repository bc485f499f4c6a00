"""Micro-clusters are the distinct label rows, and consensus on them is consensus on all rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsec.consensus_methods.bipartite import base_cluster_affinity, bipartite
from lsec.consensus_methods.micro_clusters import MicroClusterCollector, MicroClusters
from lsec.engine.threads import Workers
from lsec.metrics import adjusted_rand_index
from test_kernels import seeds


def collect(labels, n_threads=1, step=97):
    collector = MicroClusterCollector(*labels.shape, labels.dtype)
    spans = [slice(low, min(low + step, len(labels))) for low in range(0, len(labels), step)]
    with Workers(n_threads) as workers:
        workers.map(lambda span: collector.add(span, labels[span]), spans)
    return collector.finish(), collector.ids


def random_ensemble(rng, n, m, k=4, noise=0.1, dtype=np.uint8):
    """Noisy, differently named copies of one clustering, split finer in each member."""
    truth = rng.integers(0, k, n)
    finer = truth[:, None] * 3 + rng.integers(0, 3, (n, m))
    wrong = rng.random((n, m)) < noise
    finer[wrong] = rng.integers(0, 3 * k, wrong.sum())
    names = np.array([rng.permutation(3 * k) for _ in range(m)])
    return truth, np.take_along_axis(names.T, finer, 0).astype(dtype)


@given(
    seed=seeds,
    n=st.integers(1, 3000),
    m=st.integers(1, 25),
    k=st.integers(1, 5),
    dtype=st.sampled_from([np.uint8, np.uint16]),
)
def test_micro_clusters_are_the_distinct_rows_in_order_of_occurrence(seed, n, m, k, dtype):
    rng = np.random.default_rng(seed)
    labels = (rng.integers(0, k, (n, m)) * (1 if dtype is np.uint8 else 300)).astype(dtype)
    micro, ids = collect(labels)
    distinct, first, counts = np.unique(labels, axis=0, return_index=True, return_counts=True)
    order = np.argsort(first)
    np.testing.assert_array_equal(micro.labels, distinct[order])
    np.testing.assert_array_equal(micro.weights, counts[order])
    np.testing.assert_array_equal(micro.labels[ids], labels)
    assert micro.labels.dtype == dtype


def test_tables_grow_beyond_their_first_size():
    labels = np.random.default_rng(0).integers(0, 256, (60_000, 9)).astype(np.uint8)
    micro, ids = collect(labels, step=7000)
    assert len(micro) == len(np.unique(labels, axis=0))
    np.testing.assert_array_equal(micro.labels[ids], labels)


@pytest.mark.parametrize("n_threads", [2, 4])
def test_micro_clusters_do_not_depend_on_threads_or_blocks(n_threads):
    _, labels = random_ensemble(np.random.default_rng(3), 20_000, 6)
    one, one_ids = collect(labels, 1, step=len(labels))
    many, many_ids = collect(labels, n_threads, step=333)
    np.testing.assert_array_equal(one.labels, many.labels)
    np.testing.assert_array_equal(one.weights, many.weights)
    np.testing.assert_array_equal(one_ids, many_ids)


def cut(micro, k, seed=0):
    n_labels = micro.labels.max(axis=0).astype(int) + 1
    return bipartite(micro, n_labels, k, np.random.default_rng(seed)).predict(micro.labels)


@given(seed=seeds, n=st.integers(30, 400), m=st.integers(2, 8))
def test_consensus_on_micro_clusters_equals_consensus_on_all_rows(seed, n, m):
    _, labels = random_ensemble(np.random.default_rng(seed), n, m)
    micro, ids = collect(labels)
    k = min(4, len(micro))
    order = np.argsort(ids, kind="stable")  # rows of a micro-cluster side by side
    plain = MicroClusters(labels[order], np.ones(n))
    np.testing.assert_array_equal(cut(micro, k)[ids][order], cut(plain, k))


def test_base_cluster_affinity_is_the_plain_product():
    _, labels = random_ensemble(np.random.default_rng(0), 200, 5)
    micro, _ = collect(labels)
    starts = np.arange(5) * 12
    indicator = np.zeros((200, 60))
    np.put_along_axis(indicator, labels + starts, 1, 1)
    expected = indicator.T @ indicator / 5
    np.testing.assert_allclose(base_cluster_affinity(micro, starts, 60), expected)


def test_consensus_finds_the_clustering_behind_a_noisy_ensemble():
    truth, labels = random_ensemble(np.random.default_rng(0), 5000, 12, noise=0.2)
    micro, ids = collect(labels)
    assert adjusted_rand_index(truth, cut(micro, 4)[ids]) > 0.95


def test_names_of_labels_and_order_of_columns_change_nothing():
    rng = np.random.default_rng(5)
    _, labels = random_ensemble(rng, 3000, 8, noise=0.3)
    micro, ids = collect(labels)
    names = np.array([rng.permutation(12) for _ in range(8)]).astype(np.uint8)
    renamed = np.take_along_axis(names.T, labels.astype(int), 0)[:, rng.permutation(8)]
    other, other_ids = collect(np.ascontiguousarray(renamed))
    np.testing.assert_array_equal(ids, other_ids)
    first, second = cut(micro, 4)[ids], cut(other, 4)[other_ids]
    assert adjusted_rand_index(first, second) == 1
