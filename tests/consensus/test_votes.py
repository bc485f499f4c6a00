"""Confidence and soft membership equal the plain votes of the base clusters."""

import numpy as np
import pytest
from hypothesis import given, settings
from numpy.testing import assert_allclose, assert_array_equal

from lsec import consensus
from lsec.metrics import adjusted_rand_index
from tests.consensus import oracles as plain
from tests.consensus.ensembles import every_method, random_ensemble, seeds, some_missing


def joined(labels, k, method, **options):
    return consensus(labels, k, method, random_state=0, full_output=True, **options)


def noisy(seed, missing=0.1):
    """An ensemble whose members contradict each other and the consensus."""
    return random_ensemble(
        np.random.default_rng(seed), 120, 5, 3, noise=0.5, missing=missing, split=2
    )[1]


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
