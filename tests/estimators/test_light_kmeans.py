"""Light-k-means with weights: a row of weight w counts as w equal rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from lsec import LightKMeans, metrics
from lsec.datasets import make_smiling_face

ROWS = make_smiling_face(400, random_state=0)[0]


def light(**parameters):
    return LightKMeans(**{"n_clusters": 4, "random_state": 0, **parameters})


@given(
    seed=st.integers(0, 2**32 - 1),
    most=st.integers(1, 5),
    init=st.sampled_from(["k-means++", "random"]),
    kind=st.sampled_from([np.asarray, sparse.csr_array]),
)
@settings(max_examples=30)
def test_a_weight_equals_repeated_rows(seed, most, init, kind):
    weights = np.random.default_rng(seed).integers(0, most + 1, len(ROWS))
    copies = light(init=init).fit(kind(np.repeat(ROWS, weights, axis=0)))
    weighted = light(init=init).fit(kind(ROWS), sample_weight=weights)
    np.testing.assert_array_equal(weighted.cluster_centers_, copies.cluster_centers_)
    np.testing.assert_array_equal(weighted.predict(kind(ROWS)), copies.predict(kind(ROWS)))
    assert weighted.inertia_ == pytest.approx(copies.inertia_)


def test_clusters_are_numbered_by_weight():
    weights = np.random.default_rng(1).gamma(1.0, size=len(ROWS))
    labels = light().fit(ROWS, sample_weight=weights).labels_
    assert (np.diff(np.bincount(labels, weights)) < 0).all()


def test_centers_are_weighted_means_of_their_rows():
    weights = np.random.default_rng(1).gamma(1.0, size=len(ROWS))
    model = light().fit(ROWS, sample_weight=weights)
    for label, center in enumerate(model.cluster_centers_):
        own = model.labels_ == label
        np.testing.assert_allclose(center, weights[own] @ ROWS[own] / weights[own].sum(), rtol=1e-4)


def test_rows_without_weight_are_labeled_and_change_nothing():
    far = np.vstack([ROWS, ROWS + 1000])
    weights = np.repeat([1.0, 0.0], len(ROWS))
    model = light().fit(far, sample_weight=weights)
    np.testing.assert_array_equal(model.labels_[: len(ROWS)], light().fit_predict(ROWS))
    np.testing.assert_array_equal(model.labels_, model.predict(far))


def test_weights_hold_in_a_sample_of_the_rows():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(0, 1, 20_000), rng.normal(8, 1, 20_000)])[:, None]
    y = np.repeat([0, 1], 20_000)
    # Clusters go where the weight is: the heavy group is split, the other one is not.
    for heavy in (0, 1):
        weights = np.where(y == heavy, 1.0, 1e-9)
        model = light(n_clusters=2, sample_size=2000).fit(X, sample_weight=weights)
        assert metrics.clustering_accuracy(y, model.labels_) < 0.8
        assert len(np.unique(model.labels_[y == heavy])) == 2
        assert len(np.unique(model.labels_[y != heavy])) == 1
    alike = light(n_clusters=2, sample_size=2000).fit(X, sample_weight=np.full(len(X), 3.0))
    np.testing.assert_array_equal(
        alike.labels_, light(n_clusters=2, sample_size=2000).fit_predict(X)
    )
    assert metrics.clustering_accuracy(y, alike.labels_) > 0.99


def test_weights_of_rows_in_a_file(tmp_path):
    np.save(tmp_path / "rows.npy", ROWS)
    weights = np.random.default_rng(2).random(len(ROWS))
    of_file = light().fit(tmp_path / "rows.npy", sample_weight=weights)
    np.testing.assert_array_equal(of_file.labels_, light().fit(ROWS, sample_weight=weights).labels_)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.ones(3), r"shape \(400,\).*got \(3,\)"),
        (np.ones((400, 1)), r"got \(400, 1\)"),
        (np.zeros(400), "not be zero for all rows"),
        (np.r_[np.ones(399), -1], r"not negative; got -1.0 for row 399"),
        (np.r_[np.nan, np.ones(399)], "finite.*got nan for row 0"),
        (["heavy"] * 400, "must be numbers"),
    ],
)
def test_weights_that_cannot_be_used(weights, message):
    with pytest.raises(ValueError, match=message):
        light().fit(ROWS, sample_weight=weights)


def test_fewer_distinct_rows_than_clusters_are_as_many_clusters_with_a_warning():
    X = np.array([[0.0], [5.0], [5.0], [9.0], [0.0]])
    with pytest.warns(ConvergenceWarning, match=r"only 3 distinct rows.* not n_clusters=4"):
        model = light().fit(X)
    np.testing.assert_array_equal(np.sort(model.cluster_centers_.ravel()), [0, 5, 9])
    np.testing.assert_array_equal(np.unique(model.labels_), range(3))
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    with pytest.warns(ConvergenceWarning, match="only 3 distinct rows"):
        light().fit(ROWS, sample_weight=np.r_[np.ones(3), np.zeros(397)])


def test_the_order_of_rows_changes_no_cluster():
    order = np.random.default_rng(5).permutation(len(ROWS))
    shuffled = light().fit(ROWS[order])
    np.testing.assert_array_equal(shuffled.labels_, light().fit_predict(ROWS)[order])
