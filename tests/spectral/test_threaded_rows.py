"""Rows whose nearest centers are found by several threads."""

import numpy as np
import pytest

from lsec.execution.threads import Workers
from lsec.rows.frame import rows_of
from lsec.spectral.kmeans import kmeans
from lsec.spectral.threaded_rows import ThreadedRows
from tests.inputs import normal_points


@pytest.mark.parametrize("d", [2, 40])
@pytest.mark.parametrize("n_threads", [1, 3])
def test_kmeans_on_all_threads_equals_that_of_one(d, n_threads):
    points = normal_points(np.random.default_rng(0), 10_000, d)
    # Both inside: products of several BLAS threads are rounded differently.
    with Workers(n_threads) as workers:
        plain = kmeans(rows_of(points), 30, np.random.default_rng(1))
        threaded = kmeans(ThreadedRows(points, workers), 30, np.random.default_rng(1))
    for name in ("centers", "labels", "squared"):
        np.testing.assert_array_equal(getattr(threaded, name), getattr(plain, name))
