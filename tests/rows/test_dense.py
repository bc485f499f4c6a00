"""Rows with many features: distances from products have no rounding error where they are zero."""

import numpy as np

from tests.inputs import normal_points, rows_of_kind


def test_a_row_has_no_distance_to_itself():
    points = 100 + normal_points(np.random.default_rng(0), 500, 40)
    labels, squared = rows_of_kind("dense", points).nearest(points[::10].copy())
    np.testing.assert_array_equal(labels[::10], np.arange(50))
    assert (squared[::10] == 0).all()
    assert (np.delete(squared, np.arange(0, 500, 10)) > 0).all()
