"""Layers of the merge tree are nested, contain the labels, and find what a fit would find."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy.cluster import hierarchy

from lsec import consensus
from lsec.consensus import merge_tree
from lsec.consensus.merge_tree import MergeTree
from lsec.metrics import adjusted_rand_index, contingency_table
from tests.consensus.ensembles import (
    every_method,
    is_numbered_by_occurrence,
    labeled_ensemble,
    random_ensemble,
    seeds,
    serial_map,
    some_missing,
)


def divides(fine, coarse):
    """Whether every cluster of one labeling lies in one cluster of the other."""
    return ((contingency_table(fine, coarse) > 0).sum(axis=1) == 1).all()


@every_method
def test_the_labels_are_a_layer_and_others_are_nested(method):
    ensemble = random_ensemble(np.random.default_rng(0), 300, 8)[1]
    result = consensus(ensemble, 4, method, random_state=0, full_output=True)
    assert_array_equal(result.labels_at(4), result.labels, strict=True)
    cuts = [result.labels_at(k) for k in range(1, len(result.tree.weights) + 1)]
    for k, labels in enumerate(cuts, 1):
        assert labels.max() == k - 1
        assert is_numbered_by_occurrence(labels)
    assert all(divides(fine, coarse) for coarse, fine in itertools.pairwise(cuts))


@pytest.mark.parametrize("k", [2, 5, 9, 20])
def test_a_fit_with_another_number_finds_the_true_clusters(k):
    truth, ensemble = random_ensemble(np.random.default_rng(1), 2000, 12, k=5)
    result = consensus(ensemble, k, random_state=0, full_output=True)
    assert adjusted_rand_index(truth, result.labels_at(5)) > 0.97


@given(seed=seeds, missing=some_missing, most=st.integers(1, 30))
@settings(max_examples=30)
def test_laws_of_the_tree_for_any_clustering(seed, missing, most):
    _, micro, k, labels = labeled_ensemble(seed, missing)
    found, first = np.unique(labels, return_index=True)
    rank = np.empty(k, np.int32)
    rank[found[np.argsort(first)]] = np.arange(len(found))
    labels, k = rank[labels], len(found)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(merge_tree, "MAX_GROUPS", most)
        tree = MergeTree.of(micro, labels, k, serial_map)
        again = MergeTree.of(micro, labels, k, lambda f, x: serial_map(f, [*x][::-1])[::-1])
    n_groups = len(tree.weights)
    assert k <= n_groups <= len(micro)
    assert_array_equal(tree.linkage, again.linkage)
    assert_array_equal(tree.groups, again.groups)
    assert_array_equal(tree.weights, np.bincount(tree.groups, micro.weights))
    assert is_numbered_by_occurrence(tree.groups)
    assert divides(tree.groups, labels)
    assert_array_equal(tree.cut(k), labels, strict=True)
    if n_groups > 1:
        assert hierarchy.is_valid_linkage(tree.linkage, throw=True)
        assert_array_equal(tree.linkage[-1, 3], n_groups)
        for c in range(1, n_groups + 1):
            flat = hierarchy.fcluster(tree.linkage, c, "maxclust")[tree.groups]
            assert adjusted_rand_index(flat, tree.cut(c)) == 1


def test_layers_know_their_parents():
    ensemble = random_ensemble(np.random.default_rng(2), 200, 6)[1]
    tree = consensus(ensemble, 4, random_state=0, full_output=True).tree
    layers = tree.layers([2, 12, 4, 4])
    assert [layer.n_clusters for layer in layers] == [12, 4, 2]
    for fine, coarse in itertools.pairwise(layers):
        assert_array_equal(fine.parents[fine.labels], coarse.labels, strict=True)
    assert layers[-1].parents is None
    assert_array_equal(layers[1].labels, tree.cut(4))


@pytest.mark.parametrize("k", [0, 4, 2.0, "auto"])
def test_a_wrong_number_is_refused_with_the_limit(k):
    result = consensus([[0, 0, 1, 1], [0, 1, 1, 1]], 2, random_state=0, full_output=True)
    with pytest.raises(ValueError, match="between 1 and 3"):
        result.labels_at(k)


def test_one_micro_cluster_has_one_layer():
    result = consensus([[0, 0, 0]], 1, full_output=True)
    assert result.tree.linkage.shape == (0, 4)
    assert_array_equal(result.labels_at(1), [0, 0, 0])
