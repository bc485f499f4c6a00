"""Lloyd's k-means and light-k-means."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsec.rows.frame import rows_of
from lsec.spectral.kmeans import _fill_empty, kmeans, light_kmeans
from tests.inputs import normal_points, random_points, seeds


def test_a_cluster_that_is_emptied_by_filling_another_is_filled_in_turn():
    rows = rows_of(np.array([[-6], [-6], [-5], [5], [7.1], [100], [120], [123]], np.float32))
    centers = np.array([[-6], [0], [7.1], [110], [123]], np.float32)
    labels, squared = rows.nearest(centers)
    assert labels.tolist() == [0, 0, 0, 2, 2, 3, 4, 4]
    centers, labels, _ = _fill_empty(rows, centers, labels, squared)
    assert centers[:, 0].tolist() == pytest.approx([-6, 100, 7.1, 120, 123])
    assert labels.tolist() == [0, 0, 0, 2, 2, 1, 3, 4]


@given(seed=seeds, n=st.integers(1, 300), d=st.integers(1, 20), k=st.integers(1, 12))
def test_no_cluster_is_empty_and_labels_are_those_of_the_nearest_center(seed, n, d, k):
    rng = np.random.default_rng(seed)
    points = random_points(rng, n, d)
    rows = rows_of(points)
    for init in ("random", "k-means++"):
        result = kmeans(rows, min(k, n), rng, init=init)
        distinct = len(np.unique(points, axis=0))
        assert len(result.centers) == min(k, distinct)
        assert set(result.labels) == set(range(len(result.centers)))
        np.testing.assert_array_equal(result.labels, rows.nearest(result.centers)[0])


@given(seed=seeds, n=st.integers(5, 100), d=st.integers(1, 5))
def test_a_weight_equals_repeated_rows(seed, n, d):
    rng = np.random.default_rng(seed)
    points = normal_points(rng, n, d)
    times = rng.integers(1, 5, n)
    options = {"init": "k-means++", "max_iter": 50, "n_init": 2}
    weighted = kmeans(
        rows_of(points), 4, np.random.default_rng(seed), weights=times.astype(float), **options
    )
    repeated = kmeans(
        rows_of(np.repeat(points, times, axis=0)), 4, np.random.default_rng(seed), **options
    )
    np.testing.assert_array_equal(np.repeat(weighted.labels, times), repeated.labels)


def test_separated_groups_are_found():
    rng = np.random.default_rng(0)
    truth = np.repeat(np.arange(5), 100)
    points = (10 * np.eye(5)[truth] + rng.normal(size=(500, 5))).astype(np.float32)
    labels = kmeans(rows_of(points), 5, rng, init="k-means++", max_iter=50, n_init=5).labels
    pairs = set(zip(truth.tolist(), labels.tolist(), strict=True))
    assert len(pairs) == 5


def test_rows_outside_the_sample_of_light_kmeans_join_the_nearest_center():
    rng = np.random.default_rng(1)
    rows = rows_of(normal_points(rng, 5000, 3))
    result = light_kmeans(rows, 7, 200, rng)
    labels, squared = rows.nearest(result.centers)
    np.testing.assert_array_equal(result.labels, labels)
    np.testing.assert_array_equal(result.squared, squared)
    assert result.inertia == pytest.approx(squared.sum(dtype=np.float64))
