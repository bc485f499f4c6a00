"""Cuts of a balanced dendrogram divide each other, keep a given cut, and split off no dust."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy.cluster import hierarchy

from lsec.consensus.balanced_dendrogram import _splits, balanced_dendrogram
from lsec.consensus.dendrogram import MIN_RELATIVE_WEIGHT
from lsec.consensus.groups import link
from lsec.metrics import adjusted_rand_index
from tests.consensus.ensembles import seeds


def random_tree(rng, n):
    """A dendrogram of weighted vectors, a few of them heavy, and the sums of the vectors."""
    weights = np.ceil(10 ** rng.uniform(0, 4, n))
    means = rng.normal(size=(n, 3)) + np.eye(3)[rng.integers(0, 3, n)] * 4
    means /= np.linalg.norm(means, axis=1)[:, None]
    return link(means, weights), means * weights[:, None]


def plain_splits(tree, low, high):
    """As `_splits`, looking at all mergers again for every split."""
    n = len(tree.weights)
    lighter = tree.node_weights[tree.children].min(axis=1)
    open_ = set(range(n - high, n - low))
    for c in range(low + 1, high + 1):
        least = MIN_RELATIVE_WEIGHT * tree.weights.sum() / c
        heavy = [m for m in open_ if lighter[m] >= least]
        yield (chosen := max(heavy or open_, key=lambda m: m if heavy else lighter[m]))
        open_.remove(chosen)


@given(seed=seeds, n=st.integers(2, 40))
def test_splits_are_the_highest_with_two_heavy_sides(seed, n):
    tree, _ = random_tree(np.random.default_rng(seed), n)
    weights, sides = tree.weights, tree.node_weights[tree.children].min(axis=1)
    if len(np.unique(sides)) == n - 1:  # else the heaviest of those that tie may differ
        assert [*_splits(tree, 1, n)] == [*plain_splits(tree, 1, n)]
    assert sorted(_splits(tree, 1, n)) == list(range(len(weights) - 1))


@given(seed=seeds, n=st.integers(2, 40), k=st.integers(1, 40))
@settings(max_examples=60)
def test_every_cut_divides_the_one_before_and_a_given_cut_remains(seed, n, k):
    k = min(k, n)
    tree, rows = random_tree(np.random.default_rng(seed), n)
    balanced = balanced_dendrogram(tree, rows, k)
    assert_array_equal(balanced.cut(k), tree.cut(k))
    assert (np.diff(balanced.heights) > 0).all()
    for c in range(2, n + 1):
        fine, coarse = balanced.cut(c), balanced.cut(c - 1)
        assert_array_equal(np.unique(fine), np.arange(c))
        assert len(np.unique(np.stack([fine, coarse]), axis=1).T) == c
    nodes = np.column_stack([balanced.children, balanced.heights, np.ones(n - 1)])
    assert hierarchy.is_valid_linkage(nodes)


def test_an_outlier_separates_after_the_heavy_branches():
    angles = np.array([0, 0.05, 0.6, 0.65, 2.5])  # two pairs, and an outlier of little weight
    means = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    weights = np.array([100.0, 100, 100, 100, 1])
    tree = link(means, weights)
    assert_array_equal(tree.cut(2), [0, 0, 0, 0, 1])
    balanced = balanced_dendrogram(tree, means * weights[:, None], 1)
    assert_array_equal(balanced.cut(2), [0, 0, 1, 1, 1])  # goes along with the nearer pair
    assert_array_equal(balanced.cut(3)[:4:2], [0, 1])
    assert adjusted_rand_index(balanced.cut(5), np.arange(5)) == 1
    fixed = balanced_dendrogram(tree, means * weights[:, None], 2)  # of a cut into two
    assert_array_equal(fixed.cut(2), [0, 0, 0, 0, 1])
    assert_array_equal(fixed.cut(3), [0, 0, 1, 1, 2])
