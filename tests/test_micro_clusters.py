"""Micro-clusters are the distinct label rows, and consensus on them is consensus on all rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import tests.consensus_oracles as plain
from lsec import MicroClusters
from lsec.consensus import cooccurrence, label_kmeans
from lsec.consensus.agreement import agreement_of
from lsec.consensus.bipartite_graph import base_cluster_affinity
from lsec.consensus.cluster_index import ensemble_driven_index
from lsec.consensus.co_association import CoAssociation
from lsec.consensus.dendrogram import LINKAGES, agglomerate
from lsec.consensus.methods.method import Run
from lsec.consensus.methods.registry import make_method
from lsec.execution.distinct import LabelCounter
from lsec.execution.threads import Workers
from lsec.output.spool import FileSpool, MemorySpool
from tests.consensus_oracles import random_ensemble, small_ensemble
from tests.inputs import seeds


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


@given(seed=seeds, missing=st.sampled_from([0.0, 0.3]))
def test_what_micro_clusters_know_about_base_clusters(seed, missing):
    labels = small_ensemble(np.random.default_rng(seed), missing)
    micro = MicroClusters.from_labels(labels)
    inside = plain.indicator(labels)
    assert micro.n_base == labels.shape[1]
    assert micro.n_base_clusters == inside.shape[1]
    np.testing.assert_array_equal(micro.indicator.toarray()[micro.of_row], inside)
    np.testing.assert_array_equal(micro.sizes, inside.sum(axis=0))
    np.testing.assert_array_equal(micro.takes_part[micro.of_row], labels >= 0)
    numbers = micro.base_clusters[micro.of_row]
    np.testing.assert_array_equal(numbers == micro.n_base_clusters, labels < 0)
    chosen = np.concatenate([inside, np.zeros((len(labels), 1))], axis=1)
    assert (np.take_along_axis(chosen, numbers, 1) == (labels >= 0)).all()


@given(seed=seeds, missing=st.sampled_from([0.0, 0.3]))
def test_affinity_of_base_clusters_is_the_plain_product(seed, missing):
    labels = small_ensemble(np.random.default_rng(seed), missing)
    micro = MicroClusters.from_labels(labels)
    inside = plain.indicator(labels)
    expected = inside.T @ (inside / inside.sum(axis=1, keepdims=True))
    equal = np.ones(micro.n_base_clusters)
    np.testing.assert_allclose(base_cluster_affinity(micro, equal), expected, atol=1e-12)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cooccurrence, "MOST_DENSE", 0)
        thin = base_cluster_affinity(micro, equal)
    assert sparse.issparse(thin)
    np.testing.assert_allclose(thin.toarray(), expected, atol=1e-12)


@given(seed=seeds, missing=st.sampled_from([0.0, 0.3]))
def test_rows_together_are_the_same_sums_however_many_base_clusters(seed, missing):
    labels = small_ensemble(np.random.default_rng(seed), missing)
    micro = MicroClusters.from_labels(labels)
    inside = plain.indicator(labels)
    dense = cooccurrence.rows_together(micro, micro.weights)
    np.testing.assert_array_equal(dense, inside.T @ inside)
    index, agreement = ensemble_driven_index(micro, 0.4), agreement_of(micro, "nmi")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cooccurrence, "MOST_DENSE", 0)
        thin = cooccurrence.rows_together(micro, micro.weights)
        np.testing.assert_array_equal(ensemble_driven_index(micro, 0.4), index)
        np.testing.assert_array_equal(agreement_of(micro, "nmi"), agreement)
    assert sparse.issparse(thin)
    np.testing.assert_array_equal(thin.toarray(), dense)


@given(seed=seeds, missing=st.sampled_from([0.0, 0.3]), theta=st.sampled_from([0.1, 0.4, 4]))
def test_affinity_is_the_same_for_all_rows_to_the_last_bit(seed, missing, theta):
    micro = MicroClusters.from_labels(small_ensemble(np.random.default_rng(seed), missing))
    rows = row_form(micro)[0]
    index = ensemble_driven_index(micro, theta)
    np.testing.assert_array_equal(ensemble_driven_index(rows, theta), index)
    for values in (np.ones(len(index)), index):
        one, other = base_cluster_affinity(micro, values), base_cluster_affinity(rows, values)
        np.testing.assert_array_equal(one, other)


# The same consensus as on all rows


def row_form(micro):
    """An entry for every row, rows of a micro-cluster side by side, and their order."""
    order = np.argsort(micro.of_row, kind="stable")
    n = len(order)
    labels = micro.labels[micro.of_row[order]]
    return MicroClusters(labels, np.ones(n), np.arange(n, dtype=np.int32), micro.n_labels), order


def joined(micro, k, name, seed, **options):
    with Workers(1) as workers:
        method = make_method(name, options)
        return method.join(micro, k, Run(np.random.default_rng(seed), workers)).labels


def numbered(labels):
    """The labels with their names in order of occurrence."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse]


@pytest.mark.parametrize("name", ["bipartite", "linkage", "lwgp"])
@given(seed=seeds, n=st.integers(30, 400), m=st.integers(2, 8), missing=st.sampled_from([0, 0.2]))
def test_graph_cut_on_micro_clusters_equals_that_on_all_rows(name, seed, n, m, missing):
    labels = random_ensemble(np.random.default_rng(seed), n, m, missing=missing)[1]
    micro = MicroClusters.from_labels(labels)
    rows, order = row_form(micro)
    k = min(4, len(micro))
    found = joined(micro, k, name, seed)[micro.of_row][order]
    np.testing.assert_array_equal(numbered(found), numbered(joined(rows, k, name, seed)))


def let_equal_rows_move_together(patch, micro, of_row):
    """k-means on all rows starts from rows that differ, and moves rows that are equal as one."""
    first = np.searchsorted(of_row, np.arange(len(micro)))
    seed, fill = label_kmeans._seed, label_kmeans._fill

    def seed_rows(rows, n_clusters, rng):
        labels = np.full(len(rows), -1, np.int32)
        labels[first] = seed(micro, n_clusters, rng)
        return labels

    def fill_rows(labels, distances):
        np.testing.assert_array_equal(labels, labels[first][of_row])
        return fill(labels[first], distances[first])[of_row]

    patch.setattr(label_kmeans, "_seed", seed_rows)
    patch.setattr(label_kmeans, "_fill", fill_rows)


K_MEANS = {
    "category": ("kcc", {}),
    "entropy": ("kcc", {"utility": "entropy"}),
    "cosine": ("kcc", {"utility": "cosine", "normalized": True}),
    "power": ("kcc", {"utility": "power", "power": 8}),
    "sec": ("sec", {}),
}


@pytest.mark.parametrize("kind", K_MEANS)
@given(seed=seeds, missing=st.sampled_from([0.0, 0.3]))
def test_k_means_on_micro_clusters_equals_that_on_all_rows(kind, seed, missing):
    name, options = K_MEANS[kind]
    rng = np.random.default_rng(seed)
    micro = MicroClusters.from_labels(small_ensemble(rng, missing))
    rows, order = row_form(micro)
    k = int(rng.integers(1, min(8, len(micro)) + 1))
    found = joined(micro, k, name, seed, **options)
    with pytest.MonkeyPatch.context() as patch:
        let_equal_rows_move_together(patch, micro, micro.of_row[order])
        expected = joined(rows, k, name, seed, **options)
    np.testing.assert_array_equal(found[micro.of_row][order], expected)


def trees(labels, linkage, weighted):
    """Dendrograms of micro-clusters and of all rows, and the micro-cluster of every row."""
    micro = MicroClusters.from_labels(labels)
    values = ensemble_driven_index(micro, 0.4) if weighted else None
    with Workers(1) as workers:
        distance = CoAssociation(micro, values).distances(workers)
    of_row = micro.of_row
    every = agglomerate(distance[of_row][:, of_row], np.ones(len(of_row)), linkage)
    return agglomerate(distance, micro.weights, linkage), every, of_row


def assert_same_cuts(tree, every, of_row):
    for k in range(1, len(tree.heights) + 2):
        np.testing.assert_array_equal(tree.cut(k)[of_row], every.cut(k))


@pytest.mark.parametrize("weighted", [False, True], ids=["eac", "lwea"])
@pytest.mark.parametrize("linkage", LINKAGES)
@given(seed=seeds, missing=st.sampled_from([0.0, 0.2]))
@settings(max_examples=40)
def test_linkage_of_micro_clusters_equals_that_of_all_rows(linkage, weighted, seed, missing):
    # Row for row, ties included: co-associations of few members tie all the time.
    labels = small_ensemble(np.random.default_rng(seed), missing)
    assert_same_cuts(*trees(labels, linkage, weighted))


def test_linkage_where_missing_labels_hide_how_rows_differ():
    # Rows 0 and 1 agree on all they both have, so do 5 and 6; later mergers tie.
    first = [-1, 0, 1, -1, 1, 0, 0, -1, 0]
    second = [0, 0, 1, 0, 0, -1, 1, 0, -1]
    for linkage in LINKAGES:
        assert_same_cuts(*trees(np.array([first, second]).T, linkage, weighted=False))
