"""Operations that every kind of rows supports equal plain searches and means."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lsec.rows.frame import rows_of
from lsec.spectral.landmarks import divide_and_conquer, hybrid_representatives
from tests import oracles
from tests.inputs import KINDS, normal_points, random_points, rows_of_kind, seeds

every_kind = pytest.mark.parametrize("kind", KINDS)


@every_kind
@given(seed=seeds, n=st.integers(1, 300), d=st.integers(1, 20), k=st.integers(1, 9))
def test_nearest_and_means_equal_plain_ones(kind, seed, n, d, k):
    rng = np.random.default_rng(seed)
    points, centers = random_points(rng, n, d), random_points(rng, k, d)
    rows = rows_of_kind(kind, points)
    labels, squared = rows.nearest(centers)
    exact = oracles.squared_distances(points, centers)
    np.testing.assert_allclose(squared, exact.min(1), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(exact[np.arange(n), labels], exact.min(1), rtol=1e-4, atol=1e-4)
    weights = rng.uniform(0.5, 3, n)
    means, counts = rows.means(labels, weights, k)
    for c in np.unique(labels):
        mine = labels == c
        np.testing.assert_allclose(counts[c], weights[mine].sum())
        expected = np.average(points[mine], axis=0, weights=weights[mine])
        np.testing.assert_allclose(means[c], expected, rtol=1e-5, atol=1e-5)


def landmarks_of(rule, rows, k, rng):
    """Landmarks of 25 by one of the rules."""
    if rule == "divide":
        return divide_and_conquer(rows, k, rng, n_landmarks=25, alpha=4)
    return hybrid_representatives(rows, k, rng, n_landmarks=25)


@pytest.mark.parametrize("rule", ["divide", "hybrid"])
@given(seed=seeds, n=st.integers(30, 600), d=st.integers(1, 18), k=st.integers(1, 6))
@settings(max_examples=10)
def test_neighbors_equal_a_plain_search(rule, seed, n, d, k):
    rng = np.random.default_rng(seed)
    points = normal_points(rng, n, d)
    rows = rows_of(points)
    landmarks = landmarks_of(rule, rows, k, rng)
    k = min(k, len(landmarks))
    near = rows.neighbors(landmarks, k)
    assert sorted(near.order) == list(range(n))
    exact = oracles.squared_distances(points, landmarks.points)
    if landmarks.routes is None:
        expected = np.sort(exact, axis=1)[:, :k]
    else:
        expected = oracles.nearest_candidates(points, landmarks, k)
    np.testing.assert_allclose(near.squared, expected[near.order], rtol=1e-3, atol=1e-4)
    listed = np.take_along_axis(exact[near.order], near.landmarks.astype(int), 1)
    np.testing.assert_allclose(near.squared, listed, rtol=1e-3, atol=1e-4)
    assert all(len(set(row)) == k for row in near.landmarks.tolist())
    assert (np.diff(near.squared, axis=1) >= 0).all()


@pytest.mark.parametrize("d", [3, 30])
def test_rows_are_grouped_by_landmark(d):
    rng = np.random.default_rng(0)
    rows = rows_of(normal_points(rng, 500, d))
    landmarks = landmarks_of("divide", rows, 4, rng)
    near = rows.neighbors(landmarks, 4)
    groups = near.landmarks[:, 0]
    if landmarks.routes is not None:
        groups = oracles.route(rows.points(near.order), landmarks.routes)
    assert (np.diff(groups.astype(int)) >= 0).all()


@every_kind
@given(seed=seeds, n=st.integers(1, 100), d=st.integers(1, 20))
def test_rows_at_positions_are_those_of_the_points(kind, seed, n, d):
    rng = np.random.default_rng(seed)
    points = random_points(rng, n, d)
    which = np.sort(rng.choice(n, int(rng.integers(1, n + 1)), replace=False))
    rows = rows_of_kind(kind, points)
    np.testing.assert_array_equal(rows.take(which).points(np.arange(len(which))), points[which])
    np.testing.assert_array_equal(rows.points(slice(None)), points)
