"""Internal validity scores equal scikit-learn's, or are known from the counts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn import metrics

import lsec
from lsec import LSEC, LightKMeans, MicroClusters, consensus
from lsec.validity import (
    calinski_harabasz_score,
    cluster_stability,
    silhouette_samples,
    silhouette_score,
)
from tests.consensus.ensembles import seeds


def joined(seed, n, m, k):
    """A consensus of random base clusterings of which some are like others."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, k, n)
    noisy = rng.random((m, n)) < 0.4
    members = np.where(noisy, rng.integers(0, k + 2, (m, n)), truth).T
    members[: k + 1] = np.arange(k + 1)[:, None]  # enough micro-clusters, and all labels
    return members, consensus(members, k, "eac", full_output=True)


def silhouettes_of_mates(members, labels):
    """Silhouette of every row, from its mates in every member, one by one."""
    silhouettes = np.zeros(len(labels))
    for i, own in enumerate(labels):
        shares = []
        for member in members.T:
            mates = np.flatnonzero((member == member[i]) & (member[i] >= 0))
            mates = mates[mates != i]
            if len(mates):
                shares.append(np.bincount(labels[mates], minlength=labels.max() + 1) / len(mates))
        if shares:
            outside = 1 - np.mean(shares, axis=0)
            a, b = outside[own], np.delete(outside, own).min()
            silhouettes[i] = (b - a) / max(a, b)
    return silhouettes


@given(seed=seeds, n=st.integers(12, 60), m=st.integers(1, 8), k=st.integers(2, 4))
@settings(max_examples=40)
def test_silhouettes_compare_the_clusters_of_the_mates(seed, n, m, k):
    members, result = joined(seed, n, m, k)
    expected = silhouettes_of_mates(members, result.labels)
    np.testing.assert_allclose(silhouette_samples(result), expected, atol=1e-6)
    assert silhouette_score(result) == pytest.approx(expected.mean(), abs=1e-9)


@given(seed=seeds, n=st.integers(12, 60), m=st.integers(1, 8), k=st.integers(2, 4))
@settings(max_examples=40)
def test_stability_is_the_mean_jaccard_index_of_clusters_and_members(seed, n, m, k):
    members, result = joined(seed, n, m, k)
    expected = np.zeros((m, k))
    for j, member in enumerate(members.T):
        favorite = {
            b: np.bincount(result.labels[member == b], minlength=k).argmax() for b in member
        }
        seen = np.array([favorite[b] for b in member])
        for c in range(k):
            both, either = (seen == c) & (result.labels == c), (seen == c) | (result.labels == c)
            expected[j, c] = both.sum() / either.sum()
    np.testing.assert_allclose(cluster_stability(result), expected.mean(axis=0))


def test_clear_clusters_score_higher_than_random_ones(face):
    clear = LSEC(4, n_landmarks=300, random_state=0).fit(face)
    blurred = LSEC(4, n_landmarks=300, random_state=0).fit(
        np.random.default_rng(0).random((5000, 2))
    )
    assert silhouette_score(clear) > silhouette_score(blurred) + 0.05
    assert cluster_stability(clear).min() > cluster_stability(blurred).max()


def test_scores_follow_from_weights_alone(face):
    model = LSEC(4, n_landmarks=100, random_state=0).fit(face)
    twice = LSEC(4, n_landmarks=100, random_state=0).fit(face, sample_weight=np.full(5000, 2))
    assert len(silhouette_samples(model)) == 5000
    assert silhouette_samples(model).mean() == pytest.approx(silhouette_score(model), abs=1e-6)
    copies = LSEC(4, n_landmarks=100, random_state=0).fit(np.repeat(face, 2, axis=0))
    assert silhouette_score(twice) == silhouette_score(copies)
    np.testing.assert_array_equal(cluster_stability(twice), cluster_stability(copies))


def test_noise_takes_no_part(face):
    model = LSEC(4, n_landmarks=100, noise=0.1, random_state=0).fit(face)
    silhouettes = silhouette_samples(model)
    np.testing.assert_array_equal(np.isnan(silhouettes), model.labels_ < 0)
    assert np.nanmean(silhouettes) == pytest.approx(silhouette_score(model), abs=1e-6)
    with_all = LSEC(4, n_landmarks=100, random_state=0).fit(face)
    assert silhouette_score(model) > silhouette_score(with_all)
    kept = model.labels_ >= 0
    expected = metrics.calinski_harabasz_score(face[kept], model.labels_[kept])
    assert calinski_harabasz_score(face, model) == pytest.approx(expected)


def test_a_row_has_no_mates_where_its_label_is_missing():
    members = np.array([[0, 0, -1, 1], [0, 0, 1, 1], [0, 0, 1, 1]]).T
    result = consensus(members, 2, "eac", full_output=True)
    expected = silhouettes_of_mates(members, result.labels)
    np.testing.assert_allclose(silhouette_samples(result), expected, atol=1e-6)
    np.testing.assert_array_equal(cluster_stability(result), [1, 1])


def test_loaded_models_have_scores(face, tmp_path):
    model = LSEC(4, n_landmarks=100, random_state=0).fit(face)
    model.save(tmp_path / "m.lsec")
    loaded = lsec.load(tmp_path / "m.lsec")
    assert silhouette_score(loaded) == silhouette_score(model)
    np.testing.assert_array_equal(cluster_stability(loaded), cluster_stability(model))
    with pytest.raises(ValueError, match=r"Use silhouette_score"):
        silhouette_samples(loaded)


@given(seed=seeds, n=st.integers(5, 300), d=st.integers(1, 8), k=st.integers(2, 4))
@settings(max_examples=40)
def test_calinski_harabasz_equals_that_of_scikit_learn(seed, n, d, k):
    rng = np.random.default_rng(seed)
    X, labels = rng.normal(size=(n, d)) + 1e6, rng.integers(0, k, n)
    labels[:2] = 0, 1
    expected = metrics.calinski_harabasz_score(X - 1e6, labels)
    assert calinski_harabasz_score(X, labels) == pytest.approx(expected, rel=1e-5)
    assert calinski_harabasz_score(sparse.csr_matrix(X - 1e6), labels) == pytest.approx(expected)
    assert calinski_harabasz_score(X, 3 * labels + 2**20) == pytest.approx(expected, rel=1e-5)


def test_calinski_harabasz_reads_files_in_blocks(face, tmp_path, block_rows):
    block_rows(1024)
    np.save(tmp_path / "rows.npy", face)
    labels = LightKMeans(4, random_state=0).fit_predict(face)
    expected = metrics.calinski_harabasz_score(face, labels)
    scores = {calinski_harabasz_score(tmp_path / "rows.npy", labels, n_jobs=n) for n in (1, 2, 3)}
    assert len(scores) == 1
    assert scores.pop() == pytest.approx(expected)
    assert calinski_harabasz_score([[0.0], [0.0], [1.0]], [0, 0, 1]) == 1.0


@pytest.mark.parametrize(
    ("labels", "problem"),
    [
        (np.zeros(50, int), "2 to n_samples - 1 clusters; got 1 of 50"),
        (np.full(50, -1), "got 0 of 0"),
        (np.zeros(49, int), "one for each of the 50 rows"),
        (np.zeros(50), "must be integers"),
    ],
)
def test_labels_that_cannot_be_scored_are_refused(labels, problem):
    with pytest.raises(ValueError, match=problem):
        calinski_harabasz_score(np.random.default_rng(0).random((50, 2)), labels)


def test_models_that_cannot_be_scored_are_refused(face):
    with pytest.raises(TypeError, match=r"must be a fitted LSEC.*got LightKMeans"):
        silhouette_score(LightKMeans(4).fit(face))
    micro = MicroClusters.from_labels([[0, 1, 2]])
    with pytest.raises(ValueError, match=r"only one"):
        silhouette_score(consensus(micro, 1, "eac", full_output=True))
