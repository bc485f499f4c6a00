"""The order of grouped rows, and the smallest values of every row of a matrix."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lsec.kernels.sorting import smallest_of_rows, stable_order
from tests.inputs import seeds


@given(seed=seeds, n=st.integers(0, 200), n_keys=st.integers(1, 9))
def test_stable_order_is_that_of_a_stable_sort(seed, n, n_keys):
    keys = np.random.default_rng(seed).integers(0, n_keys, n).astype(np.int32)
    order, starts = stable_order(keys, n_keys)
    np.testing.assert_array_equal(order, np.argsort(keys, kind="stable"))
    np.testing.assert_array_equal(np.diff(starts), np.bincount(keys, minlength=n_keys))


@given(seed=seeds, n=st.integers(1, 20), p=st.integers(1, 90), ties=st.booleans())
def test_smallest_of_rows_are_the_first_of_a_stable_sort(seed, n, p, ties):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, p))
    values = values.round() if ties else values
    kept = int(rng.integers(1, p + 1))
    index, smallest = np.empty((n, kept), np.uint16), np.empty((n, kept))
    smallest_of_rows(values, index, smallest)
    np.testing.assert_array_equal(index, np.argsort(values, axis=1, kind="stable")[:, :kept])
    np.testing.assert_array_equal(smallest, np.sort(values, axis=1)[:, :kept])
