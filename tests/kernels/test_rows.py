"""Rows with many features: every result equals a plain one to the last bit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsec.kernels.rows import (
    STRIP,
    nearest_center_of_rows,
    nearest_landmarks_of_rows,
    project_rows,
)
from tests import oracles
from tests.inputs import random_points, seeds

features, counts = st.integers(1, 40), st.integers(1, 9)


def scan(rows, points, k):
    """Nearest points and squared distances by the kernel."""
    index, squared = np.empty((len(rows), k), np.uint16), np.empty((len(rows), k), np.float32)
    nearest_landmarks_of_rows(rows, np.ascontiguousarray(points.T), index, squared)
    return index, squared


@given(
    seed=seeds, n=st.integers(1, 40), d=features, p=st.integers(1, 3 * STRIP), k=st.integers(1, 9)
)
def test_the_scan_equals_a_sort_of_all_distances(seed, n, d, p, k):
    rng = np.random.default_rng(seed)
    points = random_points(rng, p, d)
    rows = np.concatenate([random_points(rng, n, d), points[:3]])
    index, squared = scan(rows, points, min(k, p))
    exact = oracles.float32_squared_distances(rows, points)
    order = np.argsort(exact, axis=1, kind="stable")[:, : min(k, p)]
    np.testing.assert_array_equal(index, order)
    np.testing.assert_array_equal(squared, np.take_along_axis(exact, order, 1))


def test_the_scan_misses_no_neighbor_of_rows_in_distant_groups():
    rng = np.random.default_rng(0)
    groups = rng.normal(size=(20, 30)) * 10
    points = (groups[np.repeat(np.arange(20), 40)] + rng.normal(size=(800, 30))).astype(np.float32)
    rows = (groups[rng.integers(0, 20, 500)] + rng.normal(size=(500, 30))).astype(np.float32)
    index, _ = scan(rows, points, 6)
    exact = oracles.float32_squared_distances(rows, points)
    np.testing.assert_array_equal(index, np.argsort(exact, axis=1, kind="stable")[:, :6])


def test_the_scan_survives_distances_that_overflow():
    rows = np.full((3, 20), 3e38, np.float32)
    index, squared = scan(rows, -rows, 2)
    assert np.isinf(squared).all()
    np.testing.assert_array_equal(index, [[0, 1]] * 3)


@given(seed=seeds, n=st.integers(1, 40), d=features, k=st.integers(1, 40))
def test_nearest_center_is_the_first_argmin(seed, n, d, k):
    rng = np.random.default_rng(seed)
    rows, centers = random_points(rng, n, d), random_points(rng, k, d)
    labels, squared = np.empty(n, np.int32), np.empty(n, np.float32)
    nearest_center_of_rows(rows, np.arange(n, dtype=np.int32), 0, n, centers, labels, squared)
    exact = oracles.float32_squared_distances(rows, centers)
    np.testing.assert_array_equal(labels, exact.argmin(1))
    np.testing.assert_array_equal(squared, exact.min(1))


@given(seed=seeds, n=st.integers(1, 30), d=features, q=st.integers(1, 20))
def test_a_projection_is_the_product_added_feature_by_feature(seed, n, d, q):
    rng = np.random.default_rng(seed)
    rows, basis = random_points(rng, n, d), random_points(rng, d, q)
    out = np.empty((n, q), np.float32)
    project_rows(rows, basis, out)
    terms = rows[:, :, None] * basis[None]
    np.testing.assert_array_equal(out, np.cumsum(terms, axis=1, dtype=np.float32)[:, -1])


@pytest.mark.parametrize("d", [5, 16, 17, 64])
def test_rows_have_the_same_neighbors_whatever_stands_beside_them(d):
    rng = np.random.default_rng(0)
    rows, points = random_points(rng, 200, d), random_points(rng, 300, d)
    whole = scan(rows, points, 5)
    for part in (slice(0, 1), slice(7, 40), slice(150, 200)):
        for found, expected in zip(scan(rows[part], points, 5), whole, strict=True):
            np.testing.assert_array_equal(found, expected[part])
