"""Agreement, diversity and the index of base clusters equal their definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from lsec import MicroClusters
from lsec.consensus.micro_clusters import ensemble_driven_index
from lsec.metrics import (
    adjusted_rand_index,
    agreement_matrix,
    diversity,
    normalized_mutual_information,
)
from tests.consensus import oracles as plain
from tests.consensus.ensembles import random_ensemble, seeds, small_ensemble, some_missing


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


@given(seed=seeds, missing=some_missing, theta=st.floats(0.05, 3))
def test_cluster_index_is_the_formula(seed, missing, theta):
    labels = small_ensemble(np.random.default_rng(seed), missing)
    found = ensemble_driven_index(MicroClusters.from_labels(labels), theta)
    assert_allclose(found, plain.cluster_index(labels, theta), rtol=1e-12)


def test_cluster_index_of_a_worked_example():
    # The four rows of cluster 0 are scattered 2 : 2 by the second clustering (one bit) and
    # 2 : 1 : 1 by the third (1.5 bits): exp(-2.5 / (0.5 * 3)).
    labels = np.array([[0, 0, 0, 0, 1], [0, 0, 1, 1, 2], [0, 0, 1, 2, 3]]).T
    index = ensemble_driven_index(MicroClusters.from_labels(labels), 0.5)
    assert_allclose(index[0], np.exp(-2.5 / 1.5))
    assert_allclose(index[1], 1)
    assert_allclose(index[3], np.exp(-1 / 1.5))  # rows 2 and 3: one bit, from the third
