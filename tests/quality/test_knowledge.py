"""What a consensus knows beside its labels: confidence, membership, agreement, evidence."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import tests.consensus_oracles as plain
from lsec import MicroClusters, consensus
from lsec.consensus.number_of_clusters import eigengap, lifetime
from lsec.metrics import (
    adjusted_rand_index,
    agreement_matrix,
    diversity,
    normalized_mutual_information,
)
from tests.consensus_oracles import random_ensemble, small_ensemble
from tests.inputs import seeds
from tests.test_consensus import METHODS, every_method

CHOOSE = tuple(name for name in METHODS if name not in ("kcc", "sec"))
LIFETIME = ("linkage", "eac", "lwea", "pta")
some_missing = st.sampled_from([0.0, 0.3])


def joined(labels, k, method, **options):
    return consensus(labels, k, method, random_state=0, full_output=True, **options)


def noisy(seed, missing=0.1):
    """An ensemble whose members contradict each other and the consensus."""
    return random_ensemble(
        np.random.default_rng(seed), 120, 5, 3, noise=0.5, missing=missing, split=2
    )[1]


# Confidence and membership


@every_method
@given(seed=seeds, missing=some_missing)
@settings(max_examples=6)
def test_confidence_is_the_mean_share_of_a_rows_base_clusters(method, seed, missing):
    labels = noisy(seed, missing)
    result = joined(labels, 3, method)
    votes = plain.vote(labels, result.labels, 3)
    expected = votes[np.arange(len(labels)), result.labels]
    assert_allclose(result.confidence, expected, atol=1e-6)
    assert result.confidence.dtype == np.float32
    assert result.confidence.min() > 0  # the row itself is a part of its base clusters
    assert result.confidence.max() <= 1


@every_method
def test_rows_that_no_member_tears_apart_are_sure(method):
    truth, labels = random_ensemble(np.random.default_rng(0), 300, 6, noise=0.0)
    result = joined(labels, 4, method)
    assert adjusted_rand_index(truth, result.labels) == 1
    assert_array_equal(result.confidence, np.ones(300))
    assert_allclose(result.membership, np.eye(4)[result.labels], atol=1e-6)


@every_method
def test_identical_clusterings_are_sure(method):
    one = np.random.default_rng(0).integers(0, 5, 200)
    assert_array_equal(joined(np.repeat(one[:, None], 4, 1), 5, method).confidence, np.ones(200))


@every_method
def test_rows_in_doubt_have_less_confidence(method):
    labels = random_ensemble(np.random.default_rng(0), 500, 10, noise=0.0, split=2)[1]
    doubt = np.arange(500) < 50  # half the labels of the first fifty are those of other rows
    for j in range(5):
        labels[:50, j] = labels[50:100, j]
    confidence = joined(labels, 4, method).confidence
    assert confidence[doubt].mean() < confidence[~doubt].mean() - 0.1


@every_method
@given(seed=seeds, missing=some_missing)
@settings(max_examples=6)
def test_membership_sums_to_one_and_is_largest_at_the_label(method, seed, missing):
    result = joined(noisy(seed, missing), 3, method)
    membership = result.membership
    assert membership.shape == (120, 3)
    assert membership.dtype == np.float32
    assert membership.min() >= 0
    assert_allclose(membership.sum(axis=1), 1, atol=1e-6)
    assert_array_equal(membership.argmax(axis=1), result.labels)
    others = np.sort(membership, axis=1)
    assert (others[:, -1] > others[:, -2]).all()  # no ties


@every_method
@given(seed=seeds, missing=some_missing)
@settings(max_examples=6)
def test_membership_is_the_vote_and_no_more_is_moved_than_it_takes(method, seed, missing):
    labels = noisy(seed, missing)
    result = joined(labels, 3, method)
    rows = np.arange(len(labels))
    votes = plain.vote(labels, result.labels, 3)
    own = votes[rows, result.labels]
    rival = np.where(np.eye(3)[result.labels] > 0, -1, votes).max(axis=1)
    leads = own > rival + 1e-5
    assert_allclose(result.membership[leads], votes[leads], atol=1e-6)
    # Elsewhere the own cluster draws level: (1 - x) own + x = (1 - x) rival.
    behind = (rival - own)[~leads, None]
    moved = behind / (1 + behind)
    expected = (1 - moved) * votes[~leads] + moved * np.eye(3)[result.labels[~leads]]
    assert_allclose(result.membership[~leads], expected, atol=3e-5)


@pytest.mark.parametrize("method", ["kcc", "sec"])
def test_labels_against_the_vote_occur(method):
    # What makes the tests above say something.
    contradicted = 0
    for seed in range(10):
        labels = noisy(seed)
        found = joined(labels, 3, method).labels
        contradicted += (plain.vote(labels, found, 3).argmax(axis=1) != found).sum()
    assert contradicted > 0


# Agreement


@pytest.mark.parametrize("score", ["nmi", "ari"])
@given(seed=seeds, missing=some_missing)
def test_agreement_is_the_score_on_the_rows_that_both_label(score, seed, missing):
    labels = small_ensemble(np.random.default_rng(seed), missing)
    function = normalized_mutual_information if score == "nmi" else adjusted_rand_index
    found = agreement_matrix(labels, score=score)
    m = labels.shape[1]
    assert found.shape == (m, m)
    for i in range(m):
        for j in range(i):
            both = (labels[:, i] >= 0) & (labels[:, j] >= 0)
            if both.any():
                one, other = labels[both, i], labels[both, j]
                expected = 1 if adjusted_rand_index(one, other) == 1 else function(one, other)
                assert found[i, j] == pytest.approx(expected, abs=1e-12)
    assert_array_equal(found, found.T)
    assert_array_equal(np.diagonal(found), np.ones(m))


@pytest.mark.parametrize("score", ["nmi", "ari"])
def test_agreement_takes_any_form_and_changes_nothing(score):
    labels = random_ensemble(np.random.default_rng(0), 200, 4, missing=0.2)[1]
    expected = agreement_matrix(labels, score=score)
    forms = [
        list(labels.T),
        np.where(labels < 0, np.nan, labels),
        MicroClusters.from_labels(labels),
    ]
    for form in forms:
        assert_array_equal(agreement_matrix(form, score=score), expected)


@pytest.mark.parametrize("score", ["nmi", "ari"])
def test_clusterings_without_common_rows_do_not_agree(score):
    first, second = [0, 0, 1, -1, -1, -1], [-1, -1, -1, 0, 1, 1]
    assert agreement_matrix([first, second], score=score)[0, 1] == 0


@pytest.mark.parametrize("score", ["nmi", "ari"])
@given(seed=seeds, missing=some_missing)
def test_diversity_is_one_less_the_mean_agreement(score, seed, missing):
    labels = small_ensemble(np.random.default_rng(seed), missing)
    agreement = agreement_matrix(labels, score=score)
    above = agreement[np.triu_indices(len(agreement), 1)]
    assert diversity(labels, score=score) == pytest.approx(1 - above.mean())


@pytest.mark.parametrize("score", ["nmi", "ari"])
def test_identical_clusterings_have_no_diversity(score):
    rng = np.random.default_rng(0)
    one = rng.integers(0, 5, 200)
    same = [rng.permutation(5)[one] for _ in range(4)]
    assert diversity(same, score=score) == pytest.approx(0, abs=1e-12)
    assert diversity(one[:, None], score=score) == 0
    unrelated = [rng.integers(0, 5, 2000) for _ in range(4)]
    assert diversity(unrelated, score=score) > 0.95


@pytest.mark.parametrize("score", ["nmi", "ari"])
def test_identical_clusterings_of_one_cluster_have_no_diversity(score):
    assert diversity(np.zeros((20, 3), int), score=score) == 0


def test_unknown_scores_are_refused():
    for function in (agreement_matrix, diversity):
        with pytest.raises(ValueError, match="score must be one of 'nmi', 'ari'; got 'purity'"):
            function([[0, 1], [0, 1]], score="purity")


# Evidence


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
    assert evidence.criterion == ("lifetime" if method in LIFETIME else "eigengap")
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
