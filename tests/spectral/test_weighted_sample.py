"""A random sample of weighted rows, each distinct row once."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from lsec.spectral.kmeans import draw_weighted, merge_equal_rows
from tests.inputs import seeds


@given(seed=seeds, n=st.integers(1, 60), size=st.integers(1, 80))
def test_rows_without_weight_are_never_drawn_and_no_row_twice(seed, n, size):
    rng = np.random.default_rng(seed)
    weights = rng.integers(0, 3, n).astype(float)
    drawn = draw_weighted(n, weights, size, rng)
    assert (weights[drawn] > 0).all()
    assert (np.diff(drawn) > 0).all()
    assert len(drawn) == min(size, np.count_nonzero(weights))


def test_all_rows_are_drawn_if_there_are_no_more():
    np.testing.assert_array_equal(draw_weighted(5, None, 9, np.random.default_rng(0)), range(5))


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_matrix])
@given(seed=seeds, n=st.integers(1, 60), d=st.integers(1, 3))
def test_equal_rows_become_one_with_their_weights(convert, seed, n, d):
    rng = np.random.default_rng(seed)
    rows = rng.integers(-1, 2, (n, d)) * 0.5
    rows[rng.random((n, d)) < 0.1] = -0.0
    weights = rng.integers(1, 5, n).astype(float)
    merged, mass = merge_equal_rows(convert(rows), weights)
    merged = merged.toarray() if sparse.issparse(merged) else merged
    unique, inverse = np.unique(rows, axis=0, return_inverse=True)
    order = np.lexsort(merged.T[::-1])
    np.testing.assert_array_equal(merged[order], unique)
    np.testing.assert_array_equal(mass[order], np.bincount(inverse.ravel(), weights))


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_matrix])
def test_the_order_of_distinct_rows_depends_on_their_values_only(convert):
    rng = np.random.default_rng(0)
    rows = rng.integers(-512, 512, (200, 3)) / 64
    expected, _ = merge_equal_rows(convert(rows), np.ones(200))
    shuffled, _ = merge_equal_rows(convert(rng.permutation(rows)), np.ones(200))
    narrow, _ = merge_equal_rows(convert(rows.astype(np.float32)), np.ones(200))
    for found in (shuffled, narrow):
        assert abs(found - expected).max() == 0
    scaled, _ = merge_equal_rows(convert(rows * 2.0**400), np.ones(200))
    assert abs(scaled / 2.0**400 - expected).max() == 0


def test_neither_columns_nor_translation_matter_for_the_order():
    rows = np.random.default_rng(0).integers(-512, 512, (200, 3)) / 64
    expected, _ = merge_equal_rows(rows, np.ones(200))
    turned, _ = merge_equal_rows(rows[:, [2, 0, 1]] + 2.0**20, np.ones(200))
    np.testing.assert_array_equal(turned[:, [1, 2, 0]] - 2.0**20, expected)
