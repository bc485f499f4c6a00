"""The chosen number of clusters, and the criteria it is chosen by."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from lsec import consensus
from lsec.consensus.number_of_clusters import Evidence, eigengap, lifetime, worth
from lsec.metrics import adjusted_rand_index
from tests.consensus.ensembles import METHODS, random_ensemble, seeds

CHOOSE = tuple(name for name in METHODS if name not in ("kcc", "sec"))
CRITERIA = {"linkage": "worth", **dict.fromkeys(("eac", "lwea", "pta"), "lifetime")}


def joined(labels, k, method):
    return consensus(labels, k, method, random_state=0, full_output=True)


@pytest.mark.parametrize("method", CHOOSE)
@pytest.mark.parametrize("n_planted", [2, 4, 7])
def test_auto_finds_the_number_of_clusters_behind_a_clean_ensemble(method, n_planted):
    rng = np.random.default_rng(n_planted)
    truth, labels = random_ensemble(rng, 800, 12, n_planted, noise=0.05, split=3)
    result = joined(labels, "auto", method)
    assert result.n_clusters == n_planted
    assert adjusted_rand_index(truth, result.labels) > 0.95


@pytest.mark.parametrize("method", CHOOSE)
@given(seed=seeds, missing=st.sampled_from([0.0, 0.2]))
@settings(max_examples=8)
def test_auto_takes_the_candidate_with_the_highest_score(method, seed, missing):
    labels = random_ensemble(np.random.default_rng(seed), 150, 6, noise=0.2, missing=missing)[1]
    result = joined(labels, "auto", method)
    evidence = result.evidence
    assert evidence.criterion == CRITERIA.get(method, "eigengap")
    assert_array_equal(evidence.candidates, np.arange(2, 2 + len(evidence.scores)))
    assert evidence.candidates[np.argmax(evidence.scores)] == evidence.best == result.n_clusters
    assert_array_equal(np.unique(result.labels), np.arange(result.n_clusters))
    assert_array_equal(result.labels, joined(labels, result.n_clusters, method).labels)


@pytest.mark.parametrize("method", CHOOSE)
def test_auto_finds_the_clusters_of_identical_clusterings(method):
    one = np.random.default_rng(0).integers(0, 5, 200)
    result = joined(np.repeat(one[:, None], 6, axis=1), "auto", method)
    assert result.n_clusters == 5
    assert result.evidence.best == 5
    assert adjusted_rand_index(one, result.labels) == 1


@pytest.mark.parametrize("method", CHOOSE)
def test_auto_finds_one_cluster_where_all_rows_are_equal(method):
    result = joined(np.zeros((20, 3), int), "auto", method)
    assert result.n_clusters == 1
    assert result.evidence is None


def test_eigengaps_are_relative_to_what_has_been_cut():
    evidence = eigengap(np.array([1, 0.99, 0.95, 0.3, 0.1]))
    assert_array_equal(evidence.candidates, [2, 3, 4, 5])
    expected = np.array([0.04, 0.65, 0.2, 0.1]) / (1 - np.array([0.99, 0.95, 0.3, 0.1]) + 0.05)
    assert_allclose(evidence.scores, expected)
    assert evidence.best == 3


def test_lifetimes_are_proportions_of_the_similarity():
    heights = np.array([0.1, 0.2, 0.9, 0.99])
    evidence = lifetime(heights)
    assert_array_equal(evidence.candidates, [2, 3, 4, 5])
    damped = 1 - np.array([0, 0.1, 0.2, 0.9, 0.99]) + 0.05
    assert_allclose(evidence.scores, np.log(damped[:-1] / damped[1:])[::-1], rtol=1e-9)
    assert evidence.best == 3


NO_LIFETIMES = Evidence("lifetime", np.arange(2, 2), np.zeros(0), np.zeros(0))


@given(
    k=st.integers(2, 20),
    before=st.floats(0, 0.0009),
    after=st.floats(0.012, 0.03),
    more=st.integers(5, 30),
)
def test_clusters_are_as_many_as_there_are_without_doubt(k, before, after, more):
    doubts = np.append(before * np.arange(1, k), before * (k - 1) + after * np.arange(1, more))
    candidates = np.arange(2, 2 + len(doubts))
    evidence = worth(doubts, np.log(candidates), NO_LIFETIMES)
    assert evidence.best == k
    assert_array_equal(evidence.candidates, candidates)


def test_outliers_beside_a_giant_do_not_count_as_more_clusters():
    doubts = np.append(np.full(4, 0.05), np.linspace(0.048, 0.046, 6))
    entropies = np.append(np.log(np.arange(2, 6)), np.full(6, 0.2))
    assert worth(doubts, entropies, NO_LIFETIMES).best == 5


def test_where_the_doubt_rises_with_the_number_the_lifetime_decides():
    numbers = np.arange(2, 31)
    lifetimes = Evidence("lifetime", np.arange(2, 12), np.eye(10)[6], np.zeros(11))
    even = 0.02 * np.sqrt(numbers / 2) - 0.02  # as much as more clusters are worth
    assert worth(even, np.log(numbers), lifetimes).best == 8


@pytest.mark.parametrize(("n_planted", "split", "warned"), [(22, 1, True), (4, 6, False)])
def test_a_choice_near_the_largest_number_considered_is_told(n_planted, split, warned):
    rng = np.random.default_rng(0)
    labels = random_ensemble(rng, 2000, 10, n_planted, noise=0.02, split=split)[1]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert joined(labels, "auto", "linkage").n_clusters == n_planted
    assert any("considered at most" in str(one.message) for one in caught) == warned
