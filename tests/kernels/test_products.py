"""Products of rows and centers, and the order of grouped rows."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lsec.kernels.products import half_squares, nearest_product, stable_order
from tests.inputs import random_points, seeds


@given(seed=seeds, n=st.integers(0, 200), n_keys=st.integers(1, 9))
def test_stable_order_is_that_of_a_stable_sort(seed, n, n_keys):
    keys = np.random.default_rng(seed).integers(0, n_keys, n).astype(np.int32)
    order, starts = stable_order(keys, n_keys)
    np.testing.assert_array_equal(order, np.argsort(keys, kind="stable"))
    np.testing.assert_array_equal(np.diff(starts), np.bincount(keys, minlength=n_keys))


@given(seed=seeds, n=st.integers(1, 50), d=st.integers(1, 40), k=st.integers(1, 9))
def test_nearest_product_is_the_first_argmin(seed, n, d, k):
    rng = np.random.default_rng(seed)
    products, centers = random_points(rng, n, k), random_points(rng, k, d)
    halves, labels = half_squares(centers), np.empty(n, np.int32)
    np.testing.assert_allclose(halves, 0.5 * np.square(centers.astype(float)).sum(1), rtol=1e-5)
    nearest_product(products, halves, labels)
    np.testing.assert_array_equal(labels, (halves - products).argmin(1))
