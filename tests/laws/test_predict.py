"""`predict` of the rows that were fitted gives their labels."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from lsec.metrics import adjusted_rand_index


def test_predict_of_training_rows_equals_labels(build, dense, block_rows):
    X, k = dense
    model = build(k).fit(X)
    assert_array_equal(model.predict(X), model.labels_, strict=True)
    block_rows(1024)
    model = build(k).fit(X)
    assert_array_equal(model.predict(X), model.labels_)


def test_predict_of_sparse_training_rows_equals_labels(build, words):
    model = build(5).fit(words)
    assert_array_equal(model.predict(words), model.labels_, strict=True)


def test_predict_of_some_rows_equals_their_labels(build, low):
    X, k = low
    model = build(k).fit(X)
    some = np.random.default_rng(0).permutation(len(X))[:700]
    assert_array_equal(model.predict(X[some]), model.labels_[some])
    assert_array_equal(model.predict(X[some[:1]]), model.labels_[some[:1]])


def test_predict_does_not_depend_on_storage(build, low):
    X, k = low
    model = build(k).fit(X)
    assert_array_equal(model.predict(np.asfortranarray(X)), model.labels_)
    assert_array_equal(model.predict(X.astype(np.float32)), model.labels_)
    assert_array_equal(model.set_params(n_jobs=1).predict(X), model.labels_)


def test_predict_of_sparse_rows_after_dense_fit(build, dense):
    X, k = dense
    model = build(k).fit(X + 1)
    assert adjusted_rand_index(model.predict(sparse.csr_matrix(X + 1)), model.labels_) >= 0.99


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_predict_of_sparse_rows_after_dense_fit_without_a_center(build):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2)) + 5 * rng.integers(0, 4, (300, 1))
    X[rng.random((300, 1))[:, 0] < 0.6] = 0  # so is the median
    X[0] = 0
    X[::40] *= 1e38
    model = build(3).fit(X)
    assert_array_equal(model.predict(sparse.csr_matrix(X)), model.labels_)


def test_predict_of_dense_rows_after_sparse_fit(build, words):
    model = build(5).fit(words)
    assert_array_equal(model.predict(words.toarray()), model.labels_, strict=True)


@pytest.mark.parametrize("largest", [1.0, 1e9, 1e38])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_predict_of_dense_rows_after_sparse_fit_with_outliers(build, largest):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 1)) + 5 * rng.integers(0, 4, (300, 1))
    X[::40] *= largest
    model = build(3).fit(sparse.csr_matrix(X))
    assert_array_equal(model.predict(X), model.labels_)


def test_predict_of_new_rows_follows_the_clusters(build_spectral, blobs7):
    model = build_spectral(5).fit(blobs7[::2])
    whole = build_spectral(5).fit(blobs7)
    assert adjusted_rand_index(model.predict(blobs7[1::2]), whole.labels_[1::2]) >= 0.99


def test_fit_predict_equals_labels(build, face):
    model = build(4)
    assert_array_equal(model.fit_predict(face), model.labels_)
    assert_array_equal(build(4).fit(face).labels_, model.labels_)
