"""Agglomeration equals plain greedy merging, and balanced cuts have no light clusters."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.cluster import hierarchy
from scipy.spatial.distance import squareform

from lsec.consensus.dendrogram import LINKAGES, UNASSIGNED, agglomerate
from lsec.metrics import adjusted_rand_index
from tests.consensus import oracles as plain
from tests.consensus.ensembles import is_numbered_by_occurrence, seeds

UNIT = 2**5 * 3**3 * 5**2 * 7 * 11  # all products of two weights that add up to 12 divide it


def tied_distances(rng, n):
    """Symmetric distances of which most occur many times, and whose means are whole numbers."""
    distance = np.triu(rng.integers(1, rng.integers(2, 7), (n, n)), 1)
    return (distance + distance.T).astype(np.float32) * UNIT


@pytest.mark.parametrize("linkage", LINKAGES)
@given(seed=seeds, n=st.integers(2, 10))
@settings(max_examples=60)
def test_agglomeration_merges_the_first_of_the_nearest_pairs(linkage, seed, n):
    rng = np.random.default_rng(seed)
    weights = 1.0 + rng.multinomial(12 - n, np.full(n, 1 / n))
    distance = tied_distances(rng, n)
    pairs, heights = plain.greedy_mergers(distance, weights, linkage)
    tree = agglomerate(distance.copy(), weights, linkage)
    assert_array_equal(tree.pairs, pairs)
    assert_array_equal(tree.heights, heights)


def test_single_linkage_joins_nothing_before_what_links_it():
    # Rows 0 and 1 are far apart; only through row 2 do they belong together.
    distance = np.array([[0, 3, 2], [3, 0, 2], [2, 2, 0]], np.float32)
    tree = agglomerate(distance, np.ones(3), "single")
    assert_array_equal(tree.cut(2), [0, 1, 0])


@pytest.mark.parametrize("linkage", LINKAGES)
@pytest.mark.parametrize("n", [2, 3, 10, 40, 150])
def test_agglomeration_equals_scipy_where_nothing_ties(linkage, n):
    rng = np.random.default_rng(n)
    n_pairs = n * (n - 1) // 2
    distance = squareform(rng.permutation(n_pairs) + 0.5 * rng.random(n_pairs)).astype(np.float32)
    expected = hierarchy.linkage(squareform(distance.astype(float)), linkage)
    tree = agglomerate(distance, np.ones(n), linkage)
    assert_allclose(tree.heights, expected[:, 2], rtol=1e-5)
    for k in range(1, n + 1):
        cut = hierarchy.fcluster(expected, k, "maxclust")
        assert len(np.unique(np.stack([cut, tree.cut(k)]), axis=1).T) == k
        assert is_numbered_by_occurrence(tree.cut(k))


def random_tree(rng, n):
    distance = rng.random((n, n)).astype(np.float32)
    distance = distance + distance.T
    return agglomerate(distance, rng.integers(1, 9, n).astype(float), "average")


def leaves(tree, node):
    """The objects below a node."""
    n = len(tree.children) + 1
    if node < n:
        return [int(node)]
    return [leaf for child in tree.children[node - n] for leaf in leaves(tree, child)]


@given(seed=seeds, n=st.integers(2, 40), k=st.integers(1, 40))
def test_a_balanced_cut_without_a_minimum_weight_is_the_plain_cut(seed, n, k):
    tree = random_tree(np.random.default_rng(seed), n)
    k = min(k, n)
    assert adjusted_rand_index(tree.balanced_cut(k, 0.0), tree.cut(k)) == 1


@given(seed=seeds, n=st.integers(5, 60), k=st.integers(2, 5), share=st.floats(0.01, 1.0))
def test_clusters_of_a_balanced_cut_have_the_minimum_weight(seed, n, k, share):
    tree = random_tree(np.random.default_rng(seed), n)
    weights = tree.weights
    least = share * weights.sum() / k
    enough = len(tree.balanced_splits(least)) >= k - 1
    labels = tree.balanced_cut(k, least)
    assert set(np.unique(labels[labels != UNASSIGNED])) == set(range(k))
    if enough:
        # Clusters are the sides of the chosen splits that no other of these splits again.
        chosen = tree.balanced_splits(least)[: k - 1]
        sides = {frozenset(leaves(tree, side)) for split in chosen for side in tree.children[split]}
        assert min(weights[list(side)].sum() for side in sides) >= least
        for cluster in range(k):
            inside = set(np.flatnonzero(labels == cluster))
            around = min((side for side in sides if inside <= side), key=len)
            # What falls off lighter is loose.
            assert (labels[list(around - inside)] == UNASSIGNED).all()


def test_outliers_do_not_use_up_the_clusters():
    # Two heavy pairs of groups and two light far ones: a plain cut in two takes an outlier off.
    place = np.array([0.0, 0.1, 2.0, 2.1, 50.0, 90.0])
    weights = np.array([100.0, 100, 100, 100, 1, 1])
    distance = np.abs(place[:, None] - place).astype(np.float32)
    dendrogram = agglomerate(distance, weights, "average")
    assert dendrogram.cut(2).tolist() == [0, 0, 0, 0, 1, 1]
    labels = dendrogram.balanced_cut(2, 0.05 * weights.sum() / 2)
    assert labels.tolist() == [0, 0, 1, 1, UNASSIGNED, UNASSIGNED]
