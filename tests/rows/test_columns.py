"""Rows with few features."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsec.rows.rows import PackedNeighbors
from lsec.spectral.landmarks import divide_and_conquer
from tests import oracles
from tests.inputs import random_points, rows_of_kind, seeds


def test_few_candidates_and_early_exit_lose_no_neighbor_in_the_plane():
    rng = np.random.default_rng(0)
    points = rng.uniform(size=(20_000, 2)).astype(np.float32)
    rows = rows_of_kind("columns", points)
    landmarks = divide_and_conquer(rows, 6, rng, n_landmarks=300, alpha=20)
    near = rows.neighbors(landmarks, 6)
    exact = np.sort(oracles.squared_distances(points[near.order], landmarks.points), axis=1)[:, :6]
    np.testing.assert_allclose(near.squared, exact, rtol=1e-5, atol=1e-12)


@given(seed=seeds, n=st.integers(1, 600), d=st.integers(1, 4), k=st.integers(1, 6))
def test_unpacked_neighbors_are_those_that_were_packed(seed, n, d, k):
    rng = np.random.default_rng(seed)
    rows = rows_of_kind("columns", random_points(rng, n, d))
    sample = rows_of_kind("columns", random_points(rng, 400, d))
    landmarks = divide_and_conquer(sample, k, rng, n_landmarks=90, alpha=20)
    assert landmarks.packs_neighbors
    k = min(k, len(landmarks))
    near, packed = rows.packed_neighbors(landmarks, k)
    assert sum(array.nbytes for array in packed) == PackedNeighbors.n_bytes(n, 1, k, len(landmarks))
    for found in (near, rows.unpacked(packed, landmarks)):
        for one, other in zip(found, rows.neighbors(landmarks, k), strict=True):
            np.testing.assert_array_equal(one, other, strict=True)


@pytest.mark.parametrize(("kind", "d", "k"), [("dense", 5, 6), ("columns", 2, 26)])
def test_wide_rows_and_long_lists_of_candidates_are_not_packed(kind, d, k):
    rng = np.random.default_rng(0)
    rows = rows_of_kind(kind, random_points(rng, 2000, d))
    landmarks = divide_and_conquer(rows, k, rng, n_landmarks=300, alpha=20)
    assert not landmarks.packs_neighbors
