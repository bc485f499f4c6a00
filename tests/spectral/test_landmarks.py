"""Landmarks: the sample, shares of parts (equation 1), and the trees of both rules."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsec.rows.frame import rows_of
from lsec.spectral.landmarks import (
    apportion,
    divide_and_conquer,
    draw_sample,
    hybrid_representatives,
    landmark_count,
    nearest_landmarks,
)
from tests import oracles
from tests.inputs import normal_points, seeds


def test_the_sample_is_all_rows_when_they_are_few():
    rng = np.random.default_rng(0)
    np.testing.assert_array_equal(draw_sample(1000, 2, 10, rng), np.arange(1000))


@pytest.mark.parametrize("n_rows", [10**5, 10**6])
def test_the_sample_is_a_choice_without_repetition_in_order(n_rows):
    some = draw_sample(n_rows, 2, 10, np.random.default_rng(3))
    chosen = np.random.default_rng(3).choice(n_rows, 5000, replace=False, shuffle=False)
    np.testing.assert_array_equal(some, np.sort(chosen))


@given(st.lists(st.floats(0, 100), min_size=1, max_size=40), st.integers(0, 200))
def test_apportion_gives_each_part_one_and_no_more_than_all(residuals, extra):
    residuals = np.array(residuals)
    n_landmarks = len(residuals) + extra
    shares = apportion(residuals, n_landmarks)
    assert (shares >= 1).all()
    assert shares.sum() <= n_landmarks
    assert (shares[residuals == 0] == 1).all()
    if (residuals > residuals.sum() / n_landmarks).all() and residuals.sum() > 0:
        assert shares.sum() == n_landmarks
        exact = residuals / residuals.sum() * n_landmarks
        assert np.abs(shares - exact).max() <= 1 + 1e-9


@given(st.lists(st.floats(1e-3, 1), min_size=1, max_size=30), st.integers(1, 30))
def test_a_surplus_is_taken_one_by_one_from_the_largest_share(residuals, n_landmarks):
    residuals = np.array(residuals) ** 4  # most shares are the minimum
    n_landmarks = max(n_landmarks, len(residuals))
    expected = np.maximum(residuals / residuals.sum() * n_landmarks, 1).astype(int)
    surplus = int(expected.sum()) - n_landmarks
    for _ in range(surplus):
        expected[np.argmax(expected)] -= 1
    if surplus >= 0:
        np.testing.assert_array_equal(apportion(residuals, n_landmarks), expected)


def test_rows_of_more_features_have_more_landmarks():
    counts = [landmark_count(10_000, d, 10, None) for d in (5, 8, 16, 24, 32, 784)]
    assert counts == sorted(counts)
    assert counts[2] == 2000  # five rows for each
    assert counts[-2:] == [8000, 8000]  # four of five rows
    assert landmark_count(70_000, 784, 10, None) == 8 * 10**8 // 70_000
    assert landmark_count(30_000, 784, 10, None) == 16_384
    assert landmark_count(10**9, 784, 10, None) == 1000
    assert landmark_count(10**9, 2, 10, None) == 2000


@given(st.integers(1, 10**6), st.integers(1, 2000), st.integers(1, 50))
def test_there_are_never_more_landmarks_than_rows_nor_than_wanted(n, d, k):
    assert 1 <= landmark_count(n, d, k, None) <= n
    assert landmark_count(n, d, k, 50) <= min(50, n)


def assert_routes(landmarks):
    """Landmarks are the leaves, and every node but the root is the child of one other."""
    routes = landmarks.routes
    leaves = np.flatnonzero(routes.landmark_of >= 0)
    assert sorted(routes.landmark_of[leaves]) == list(range(len(landmarks)))
    np.testing.assert_array_equal(
        routes.centers[leaves], landmarks.points[routes.landmark_of[leaves]]
    )
    parents = np.flatnonzero(routes.landmark_of < 0)
    children = np.concatenate(
        [routes.first_child[v] + np.arange(routes.n_children[v]) for v in parents]
    )
    assert sorted(children) == list(range(1, len(routes.centers)))


@pytest.mark.parametrize("d", [2, 30])
def test_landmarks_are_as_many_as_asked(d):
    rng = np.random.default_rng(0)
    rows = rows_of(normal_points(rng, 4000, d))
    landmarks = divide_and_conquer(rows, 5, rng, n_landmarks=200, alpha=10)
    assert landmarks.points.shape == (200, d)
    assert len(np.unique(landmarks.points, axis=0)) == 200


def test_landmarks_of_few_features_are_leaves_of_a_tree():
    rng = np.random.default_rng(0)
    rows = rows_of(normal_points(rng, 4000, 2))
    landmarks = divide_and_conquer(rows, 5, rng, n_landmarks=200, alpha=10)
    assert landmarks.routes.n_children.max() <= 10
    assert_routes(landmarks)
    assert divide_and_conquer(rows_of(normal_points(rng, 400, 5)), 5, rng, n_landmarks=20,
                              alpha=10).routes is None  # fmt: skip


def test_representatives_are_the_leaves_of_a_tree_of_two_levels():
    rng = np.random.default_rng(0)
    rows = rows_of(normal_points(rng, 4000, 2))
    landmarks = hybrid_representatives(rows, 5, rng, n_landmarks=200)
    assert len(landmarks) == 200
    assert landmarks.routes.n_children[0] == 14  # rep-clusters, the root of 200
    assert_routes(landmarks)


@pytest.mark.parametrize("copies", [50, 1000])
@pytest.mark.parametrize("d", [1, 20])
def test_landmarks_are_no_more_than_distinct_rows(copies, d):
    points = np.repeat(np.arange(7, dtype=np.float32), [copies] * 6 + [1])[:, None]
    points = np.repeat(points, d, axis=1)
    rng = np.random.default_rng(0)
    landmarks = divide_and_conquer(rows_of(points), 3, rng, n_landmarks=100, alpha=5)
    np.testing.assert_allclose(np.sort(landmarks.points[:, 0]), np.arange(7), atol=1e-6)


@pytest.mark.parametrize("d", [2, 20])
def test_landmarks_lie_closer_than_random_rows(d):
    rng = np.random.default_rng(0)
    points = normal_points(rng, 5000, d)
    landmarks = divide_and_conquer(rows_of(points), 5, rng, n_landmarks=100, alpha=10)
    ours = oracles.squared_distances(points, landmarks.points).min(1).mean()
    random = oracles.squared_distances(points, points[:100]).min(1).mean()
    assert ours < {2: 0.6, 20: 0.85}[d] * random


def test_parts_with_large_residuals_get_more_landmarks():
    rng = np.random.default_rng(0)
    tight, wide = rng.normal(0, 0.01, (3000, 2)), rng.normal(50, 1, (1000, 2))
    rows = rows_of(np.concatenate([tight, wide]).astype(np.float32))
    landmarks = divide_and_conquer(rows, 5, rng, n_landmarks=100, alpha=10)
    assert (landmarks.points[:, 0] > 25).mean() > 0.7


@given(seed=seeds, p=st.integers(1, 80), d=st.integers(1, 6))
def test_nearest_landmarks_are_sorted_and_start_with_itself(seed, p, d):
    points = normal_points(np.random.default_rng(seed), p, d)
    c = min(7, p)
    candidates, gaps = nearest_landmarks(points, c)
    np.testing.assert_array_equal(candidates[:, 0], np.arange(p))
    exact = np.sqrt(oracles.squared_distances(points, points))
    np.testing.assert_allclose(gaps, np.sort(exact, 1)[:, :c], atol=1e-5)
    listed = np.take_along_axis(exact, candidates.astype(int), 1)
    np.testing.assert_allclose(gaps, listed, atol=1e-5)
