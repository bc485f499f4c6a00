"""Rows with many features: distances from products have no rounding error where they are zero."""

import numpy as np
import pytest

from lsec.rows.rows import KnownNeighbors, Landmarks
from tests.inputs import normal_points, random_points, rows_of_kind


def test_a_row_has_no_distance_to_itself():
    points = 100 + normal_points(np.random.default_rng(0), 500, 40)
    labels, squared = rows_of_kind("dense", points).nearest(points[::10].copy())
    np.testing.assert_array_equal(labels[::10], np.arange(50))
    assert (squared[::10] == 0).all()
    assert (np.delete(squared, np.arange(0, 500, 10)) > 0).all()


@pytest.mark.parametrize("n_known", [0, 1, 250, 400])
def test_neighbors_beside_known_ones_are_those_of_all_rows(n_known):
    rng = np.random.default_rng(n_known)
    rows = rows_of_kind("dense", random_points(rng, 400, 7))
    landmarks = Landmarks(random_points(rng, 150, 7), None)
    positions = np.sort(rng.choice(400, n_known, replace=False))
    known = KnownNeighbors.of(rows.take(positions).neighbors(landmarks, 5), positions)
    for low in (0, 130):
        span = slice(low, 400)
        some = rows.take(np.arange(low, 400))
        found = some.remaining_neighbors(known.within(span), landmarks, 5)
        for one, other in zip(found, some.neighbors(landmarks, 5), strict=True):
            np.testing.assert_array_equal(one, other, strict=True)
