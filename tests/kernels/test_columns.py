"""Nearest center of rows stored as columns, and sums by label."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsec.kernels.columns import nearest_center, sums_by_label
from tests import oracles
from tests.inputs import random_points, seeds


@given(seed=seeds, n=st.integers(1, 1200), d=st.integers(1, 6), k=st.integers(1, 9))
def test_nearest_center_is_the_argmin_of_the_distances(seed, n, d, k):
    rng = np.random.default_rng(seed)
    points, centers = random_points(rng, n, d), random_points(rng, k, d)
    labels, best = np.empty(n, np.int32), np.empty(n, np.float32)
    nearest_center(np.ascontiguousarray(points.T), 0, n, centers, labels, best)
    exact = oracles.squared_distances(points, centers)
    np.testing.assert_allclose(best, exact.min(1), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(exact[np.arange(n), labels], exact.min(1), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("signs", [(1, -1), (1, -1, 1), (3, 1, -1), (3, 3, 1, -1, 1), (3, 1, 2, 1)])
def test_nearest_center_gives_ties_to_the_first_center(d, signs):
    points = np.zeros((d, 3), np.float32)
    centers = np.repeat(np.array(signs, np.float32)[:, None], d, axis=1)
    labels, best = np.empty(3, np.int32), np.empty(3, np.float32)
    nearest_center(points, 0, 3, centers, labels, best)
    assert labels.tolist() == [signs.index(1)] * 3


@given(seed=seeds, n=st.integers(1, 200), d=st.integers(1, 5), k=st.integers(1, 5))
def test_weighted_sums_equal_repeated_sums(seed, n, d, k):
    rng = np.random.default_rng(seed)
    points = random_points(rng, n, d)
    labels = rng.integers(0, k, n).astype(np.int32)
    times = rng.integers(1, 4, n)
    sums, counts = np.empty((2, k, d)), np.empty((2, k))
    sums_by_label(points, labels, times.astype(float), sums[0], counts[0])
    repeated = np.repeat(np.arange(n), times)
    ones = np.ones(len(repeated))
    sums_by_label(points[repeated], labels[repeated], ones, sums[1], counts[1])
    np.testing.assert_allclose(sums[0], sums[1], atol=1e-9)
    np.testing.assert_array_equal(counts[0], counts[1])
    for label in range(k):
        mine = labels == label
        expected = times[mine] @ points[mine].astype(float)
        np.testing.assert_allclose(sums[0][label], expected, atol=1e-9)
