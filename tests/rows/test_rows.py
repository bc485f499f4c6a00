"""Operations that every kind of rows supports equal plain searches and means."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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


@every_kind
@pytest.mark.parametrize("landmarks", ["divide", "hybrid"])
@given(seed=seeds, n=st.integers(30, 600), d=st.integers(1, 18), k=st.integers(1, 6))
@settings(max_examples=10)
def test_neighbors_equal_a_plain_search_among_the_candidates(kind, landmarks, seed, n, d, k):
    rng = np.random.default_rng(seed)
    points = normal_points(rng, n, d)
    rows = rows_of_kind(kind, points)
    if landmarks == "divide":
        tree = divide_and_conquer(rows, k, rng, n_landmarks=25, alpha=4)
    else:
        tree = hybrid_representatives(rows, k, rng, n_landmarks=25)
    k = min(k, len(tree.landmarks))
    near = rows.neighbors(tree, k)
    assert sorted(near.order) == list(range(n))
    landmark = oracles.route(points, tree)
    expected = oracles.nearest_candidates(points, landmark, tree, k)[near.order]
    np.testing.assert_allclose(near.squared, expected, rtol=1e-3, atol=1e-4)
    exact = oracles.squared_distances(points[near.order], tree.landmarks)
    listed = np.take_along_axis(exact, near.landmarks.astype(int), 1)
    np.testing.assert_allclose(near.squared, listed, rtol=1e-3, atol=1e-4)
    assert all(len(set(row)) == k for row in near.landmarks.tolist())
    assert (np.diff(near.squared, axis=1) >= 0).all()


@every_kind
@given(seed=seeds, n=st.integers(1, 100), d=st.integers(1, 20))
def test_parts_are_the_rows_shifted_by_the_origin_that_they_name(kind, seed, n, d):
    rng = np.random.default_rng(seed)
    points, origin = random_points(rng, n, d), random_points(rng, 1, d)[0]
    which = np.sort(rng.choice(n, int(rng.integers(1, n + 1)), replace=False))
    rows = rows_of_kind(kind, points)
    np.testing.assert_array_equal(rows.take(which).points(np.arange(len(which))), points[which])
    part, shift = rows.part(which, origin)
    shifted = part.points(np.arange(len(which)))
    np.testing.assert_allclose(shifted + shift, points[which], atol=1e-5)
    # Only dense rows lose digits in products, and gain them by a shift.
    np.testing.assert_array_equal(shift, origin if kind == "dense" else np.zeros(d))
