"""Labels, base labels, eigenvalues and landmarks of fitted models."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal


@pytest.mark.parametrize("n_clusters", [2, 3, 9, 20])
def test_labels_are_0_to_k_minus_1_and_none_is_missing(build, face, n_clusters):
    labels = build(n_clusters).fit(face).labels_
    assert labels.dtype == np.int32
    assert_array_equal(np.unique(labels), np.arange(n_clusters))


def test_base_labels_lie_within_the_clusters_of_their_member(build_ensemble, face):
    model = build_ensemble(4).fit(face)
    n_base = model.n_base
    assert model.base_labels_.shape == (len(face), n_base)
    assert model.n_base_clusters_.shape == (n_base,)
    low, high = model.base_clusters
    assert ((model.n_base_clusters_ >= low) & (model.n_base_clusters_ <= high)).all()
    assert (model.base_labels_.max(axis=0) < model.n_base_clusters_).all()
    assert (model.base_labels_.max(axis=0) > 0).all()


def test_base_labels_have_the_smallest_type(build_ensemble, face):
    assert build_ensemble(4).fit(face).base_labels_.dtype == np.uint8
    many = build_ensemble(300, n_landmarks=500, base_clusters=(20, 300)).fit(face[:1000])
    assert many.n_base_clusters_.max() > 256
    assert many.base_labels_.dtype == np.uint16


def test_micro_clusters_are_the_distinct_rows_of_base_labels(build_ensemble, face):
    model = build_ensemble(4).fit(face)
    micro = model.micro_clusters_
    assert_array_equal(micro.labels[micro.of_row], model.base_labels_)
    assert_array_equal(micro.weights, np.bincount(micro.of_row))
    assert len(micro) == model.n_micro_clusters_ == len(np.unique(model.base_labels_, axis=0))
    assert len(micro) > 15


def test_rows_with_equal_base_labels_have_equal_labels(build_ensemble, face):
    model = build_ensemble(4).fit(face)
    _, first, micro = np.unique(model.base_labels_, axis=0, return_index=True, return_inverse=True)
    assert_array_equal(model.labels_, model.labels_[first][micro.ravel()])


def test_members_that_agree_too_much_keep_the_promises_of_base_labels(build_ensemble, face):
    # One member of two clusters cannot tell eight apart: landmarks must help.
    model = build_ensemble(8, n_base=1, base_clusters=(2, 2), n_landmarks=300).fit(face)
    assert_array_equal(np.unique(model.labels_), np.arange(8))
    assert_array_equal(model.predict(face), model.labels_)
    assert model.base_labels_.shape == (len(face), 1)
    assert model.base_labels_.dtype == np.uint8
    assert model.n_micro_clusters_ == len(np.unique(model.base_labels_, axis=0))


def test_eigenvalues_descend_within_0_and_1(build_spectral, face):
    model = build_spectral(4).fit(face)
    single = isinstance(model.eigenvalues_, np.ndarray)
    for values in [model.eigenvalues_] if single else model.eigenvalues_:
        assert (np.diff(values) <= 0).all()
        assert values[0] == pytest.approx(1, abs=1e-6)  # the trivial one
        assert values[-1] >= 0


def test_landmarks_lie_among_the_rows(build_spectral, blobs7):
    shifted = blobs7 + 1e6
    model = build_spectral(5).fit(shifted)
    single = isinstance(model.landmarks_, np.ndarray)
    for landmarks in [model.landmarks_] if single else model.landmarks_:
        assert landmarks.shape == (100, 7)
        slack = 1e-3
        assert (landmarks >= shifted.min(axis=0) - slack).all()
        assert (landmarks <= shifted.max(axis=0) + slack).all()
        assert len(np.unique(landmarks, axis=0)) == 100
