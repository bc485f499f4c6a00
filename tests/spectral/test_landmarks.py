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


def assert_tree(tree):
    """Landmarks are the leaves, and every node but the root is the child of one other."""
    leaves = np.flatnonzero(tree.landmark_of >= 0)
    assert sorted(tree.landmark_of[leaves]) == list(range(len(tree.landmarks)))
    np.testing.assert_array_equal(tree.centers[leaves], tree.landmarks[tree.landmark_of[leaves]])
    parents = np.flatnonzero(tree.landmark_of < 0)
    children = np.concatenate(
        [tree.first_child[v] + np.arange(tree.n_children[v]) for v in parents]
    )
    assert sorted(children) == list(range(1, len(tree.centers)))


@pytest.mark.parametrize("d", [2, 30])
def test_landmarks_are_as_many_as_asked_and_leaves_of_the_tree(d):
    rng = np.random.default_rng(0)
    rows = rows_of(normal_points(rng, 4000, d))
    tree = divide_and_conquer(rows, 5, rng, n_landmarks=200, alpha=10)
    assert len(tree.landmarks) == 200
    assert tree.n_children.max() <= 10
    assert_tree(tree)


@pytest.mark.parametrize("d", [2, 30])
def test_representatives_are_the_leaves_of_a_tree_of_two_levels(d):
    rng = np.random.default_rng(0)
    tree = hybrid_representatives(rows_of(normal_points(rng, 4000, d)), 5, rng, n_landmarks=200)
    assert len(tree.landmarks) == 200
    assert tree.n_children[0] == 14  # rep-clusters, the root of 200
    assert_tree(tree)


def test_landmarks_are_no_more_than_distinct_rows():
    points = np.repeat(np.arange(7, dtype=np.float32)[:, None], 50, axis=0)
    rng = np.random.default_rng(0)
    tree = divide_and_conquer(rows_of(points), 3, rng, n_landmarks=100, alpha=5)
    np.testing.assert_allclose(np.sort(tree.landmarks.ravel()), np.arange(7), atol=1e-6)


def test_landmarks_lie_closer_than_random_rows():
    rng = np.random.default_rng(0)
    points = normal_points(rng, 5000, 2)
    tree = divide_and_conquer(rows_of(points), 5, rng, n_landmarks=100, alpha=10)
    ours = oracles.squared_distances(points, tree.landmarks).min(1).mean()
    random = oracles.squared_distances(points, points[:100]).min(1).mean()
    assert ours < 0.6 * random


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
