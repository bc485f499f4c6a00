"""Consensus on micro-clusters is consensus on all rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from lsec import MicroClusters
from lsec.consensus import label_kmeans
from lsec.consensus import micro_clusters as module
from lsec.consensus.co_association import CoAssociation
from lsec.consensus.consensus import make_method
from lsec.consensus.dendrogram import LINKAGES, agglomerate
from lsec.consensus.micro_clusters import (
    base_cluster_affinity,
    cooccurrence,
    ensemble_driven_index,
    sum_over_labels,
)
from lsec.metrics import agreement_matrix
from tests.consensus import oracles as plain
from tests.consensus.ensembles import random_ensemble, seeds, serial, serial_map, small_ensemble


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
def test_rows_together_are_the_same_sums_however_many_base_clusters(seed, missing):
    labels = small_ensemble(np.random.default_rng(seed), missing)
    micro = MicroClusters.from_labels(labels)
    inside = plain.indicator(labels)
    dense = cooccurrence(micro, micro.weights)
    np.testing.assert_array_equal(dense, inside.T @ inside)
    index, agreement = ensemble_driven_index(micro, 0.4), agreement_matrix(micro)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MAX_DENSE", 0)
        thin = cooccurrence(micro, micro.weights)
        np.testing.assert_array_equal(ensemble_driven_index(micro, 0.4), index)
        np.testing.assert_array_equal(agreement_matrix(micro), agreement)
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


def row_form(micro):
    """An entry for every row, rows of a micro-cluster side by side, and their order."""
    order = np.argsort(micro.of_row, kind="stable")
    n = len(order)
    labels = micro.labels[micro.of_row[order]]
    return MicroClusters(labels, np.ones(n), np.arange(n, dtype=np.int32), micro.n_labels), order


def joined(micro, k, name, seed, **options):
    return make_method(name, options).join(micro, k, serial(np.random.default_rng(seed))).labels


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
    seed, fill = label_kmeans._seed, label_kmeans._fill_empty

    def seed_rows(rows, n_clusters, rng):
        labels = np.full(len(rows), -1, np.int32)
        labels[first] = seed(micro, n_clusters, rng)
        return labels

    def fill_rows(labels, distances):
        np.testing.assert_array_equal(labels, labels[first][of_row])
        return fill(labels[first], distances[first])[of_row]

    patch.setattr(label_kmeans, "_seed", seed_rows)
    patch.setattr(label_kmeans, "_fill_empty", fill_rows)


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
    distance = CoAssociation(micro, values).distances(serial_map)
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


@given(seed=seeds, n=st.integers(1, 50), m=st.integers(1, 6), width=st.integers(1, 9))
def test_sums_over_labels_are_added_column_by_column(seed, n, m, width):
    rng = np.random.default_rng(seed)
    table, base_clusters = rng.normal(size=(30, width)), rng.integers(0, 30, (n, m))
    expected = np.zeros((n, width))
    for column in base_clusters.T:
        expected += table[column]
    sums = sum_over_labels(table[:, ::-1], base_clusters.astype(np.int32))
    np.testing.assert_array_equal(sums, expected[:, ::-1])
