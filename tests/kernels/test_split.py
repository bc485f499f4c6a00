"""Splitting parts of rows by k-means."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsec.spectral import landmarks
from tests import oracles
from tests.inputs import random_points, seeds


def split(rows, order, starts, n_parts, n_sample=10**6, max_iter=5, n_tasks=7):
    """New order, centers, counts and residuals."""
    first = np.append(0, np.cumsum(n_parts))
    order = order.copy()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(landmarks, "SPLIT_ITERATIONS", max_iter)
        patch.setattr(landmarks, "SPLIT_TASKS", n_tasks)
        found = landmarks._divide(rows, order, starts, first, n_sample, map)
    return order, *found


@given(seed=seeds, d=st.integers(1, 20), sizes=st.lists(st.integers(1, 60), min_size=1, max_size=5))
def test_every_row_joins_the_nearest_center_of_its_part(seed, d, sizes):
    rng = np.random.default_rng(seed)
    starts = np.append(0, np.cumsum(sizes))
    rows = random_points(rng, starts[-1], d)
    before = rng.permutation(starts[-1]).astype(np.int32)
    n_parts = np.array([rng.integers(1, min(size, 20) + 1) for size in sizes])
    order, centers, counts, residuals = split(rows, before, starts, n_parts)
    first = np.append(0, np.cumsum(n_parts))
    for v, k in enumerate(n_parts):
        part = slice(starts[v], starts[v + 1])
        assert sorted(order[part]) == sorted(before[part])
        if k == 1:
            np.testing.assert_array_equal(order[part], before[part])
            continue
        mine = slice(first[v], first[v + 1])
        exact = oracles.float32_squared_distances(rows[before[part]], centers[mine])
        nearest = exact.argmin(1)
        np.testing.assert_array_equal(counts[mine], np.bincount(nearest, minlength=k))
        expected = np.bincount(nearest, exact.min(1), k)
        np.testing.assert_allclose(residuals[mine], expected, rtol=1e-9)
        by_center = np.argsort(nearest, kind="stable")
        np.testing.assert_array_equal(order[part], before[part][by_center])


@given(seed=seeds, sizes=st.lists(st.integers(1, 60), min_size=1, max_size=9))
def test_any_division_into_tasks_gives_the_same_parts(seed, sizes):
    rng = np.random.default_rng(seed)
    starts = np.append(0, np.cumsum(sizes))
    rows = random_points(rng, starts[-1], 3)
    order = rng.permutation(starts[-1]).astype(np.int32)
    n_parts = np.array([rng.integers(1, min(size, 9) + 1) for size in sizes])
    plain, *others = (
        split(rows, order, starts, n_parts, n_sample=30, n_tasks=n) for n in (1, 5, 1000)
    )
    for other in others:
        for one, same in zip(plain, other, strict=True):
            np.testing.assert_array_equal(one, same)


def test_lloyd_steps_find_separated_groups_and_end_at_their_means():
    rng = np.random.default_rng(0)
    groups = np.array([[0, 0, 0, 0, 0], [50, 0, 0, 0, 0], [0, 50, 0, 0, 0]], np.float32)
    labels = np.repeat(np.arange(3), 40)
    rows = groups[labels] + random_points(rng, 120, 5)
    # The first rows are the initial centers: one of each group.
    before = np.concatenate([[0, 40, 80], np.setdiff1d(np.arange(120), [0, 40, 80])])
    _, centers, counts, _ = split(rows, before.astype(np.int32), np.array([0, 120]), np.array([3]))
    np.testing.assert_array_equal(counts, [40, 40, 40])
    means = [rows[labels == g].mean(0, dtype=float) for g in range(3)]
    np.testing.assert_allclose(centers, means, atol=1e-5)


def test_centers_are_learned_from_the_first_rows_of_a_part():
    rows = np.concatenate([np.zeros(50), np.ones(50), np.full(100, 9.0)]).astype(np.float32)[
        :, None
    ]
    order = np.argsort(np.arange(200) % 100 >= 50, kind="stable").astype(np.int32)
    order = np.concatenate([[0, 50], np.setdiff1d(np.arange(200), [0, 50])]).astype(np.int32)
    _, centers, counts, _ = split(rows, order, np.array([0, 200]), np.array([2]), n_sample=100)
    np.testing.assert_allclose(np.sort(centers.ravel()), [0, 1])
    assert sorted(counts) == [50, 150]


def test_an_empty_cluster_takes_the_farthest_row():
    rows = np.concatenate([np.zeros(9), [5.0], np.zeros(10)]).astype(np.float32)[:, None]
    order = np.concatenate([[0, 1, 2], np.arange(3, 20)]).astype(np.int32)
    _, centers, counts, residuals = split(rows, order, np.array([0, 20]), np.array([3]))
    assert {float(c) for c, n in zip(centers[:, 0], counts, strict=True) if n} == {0.0, 5.0}
    assert counts.sum() == 20
    assert not residuals.any()
