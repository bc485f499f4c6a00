"""Rows with few features."""

import numpy as np

from lsec.spectral.landmarks import divide_and_conquer
from tests import oracles
from tests.inputs import rows_of_kind


def test_few_candidates_and_early_exit_lose_no_neighbor_in_the_plane():
    rng = np.random.default_rng(0)
    points = rng.uniform(size=(20_000, 2)).astype(np.float32)
    rows = rows_of_kind("columns", points)
    landmarks = divide_and_conquer(rows, 6, rng, n_landmarks=300, alpha=20)
    near = rows.neighbors(landmarks, 6)
    exact = np.sort(oracles.squared_distances(points[near.order], landmarks.points), axis=1)[:, :6]
    np.testing.assert_allclose(near.squared, exact, rtol=1e-5, atol=1e-12)
