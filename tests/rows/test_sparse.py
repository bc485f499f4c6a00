"""Sparse rows, which cannot be centered: products in float64."""

import numpy as np
from scipy import sparse

from lsec.rows.frame import Frame
from tests.inputs import normal_points, rows_of_kind


def test_rows_far_from_the_origin_keep_their_distances():
    points = 1000 + normal_points(np.random.default_rng(0), 300, 5)
    centers = points[:3].copy()
    squared = rows_of_kind("sparse", points).nearest(centers)[1]
    exact = np.square(points[:, None].astype(float) - centers).sum(axis=2).min(axis=1)
    np.testing.assert_allclose(squared, exact, rtol=1e-5, atol=1e-7)


def test_frame_keeps_zeros():
    matrix = sparse.random(40, 30, 0.1, format="csr", random_state=0)
    rows = Frame.of(matrix).rows(matrix)
    assert rows.matrix.nnz == matrix.nnz
