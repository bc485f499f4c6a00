"""Affinities (equation 3), and Gram matrices (equation 4) as fixed-point sums."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from lsec.kernels.gram import ROWS, UNIT, add_to_gram, chunk_affinities, exp_negative
from lsec.rows.rows import Neighbors
from lsec.spectral.gram import Affinity
from tests import oracles
from tests.inputs import random_neighbors, seeds

P = 12


@given(hnp.arrays(np.float32, st.integers(1, 200), elements=st.floats(0, 100, width=32)))
def test_exp_negative_is_the_exponential_down_to_its_floor(t):
    out, bits = np.empty_like(t), np.empty(len(t), np.int32)
    exp_negative(t, out, bits, len(t))
    np.testing.assert_allclose(out, np.maximum(np.exp(-t.astype(float)), 2.0**-52), rtol=5e-6)


@pytest.mark.parametrize("power", [1, 2])
@given(seed=seeds, start=st.integers(0, 60), count=st.integers(1, ROWS))
def test_chunk_affinities_are_those_of_every_member(power, seed, start, count):
    rng = np.random.default_rng(seed)
    near = random_neighbors(rng, 130, 9, 4)
    sizes, rates = (2, 4), rng.uniform(0.1, 3, 2).astype(np.float32)
    weights = np.zeros((4, 2, ROWS), np.float32)
    scratch, bits = np.empty(ROWS, np.float32), np.empty(ROWS, np.int32)
    first_member = np.array([0, 0, 1, 1], np.int32)
    chunk_affinities(
        near.squared, start, start + count, first_member, rates, power, weights, scratch, bits
    )
    for j, k in enumerate(sizes):
        dense = oracles.affinities(near, Affinity(k, rates[j], power), 9)[start : start + count]
        listed = np.take_along_axis(dense, near.landmarks[start : start + count].astype(int), 1)
        np.testing.assert_allclose(weights[:k, j, :count].T, listed[:, :k], rtol=1e-5)


def summed(near, first_member, rates, power, *copies):
    """Cells of one triangle by cell, a column per member, with room for all of them."""
    n_cells = P * (P + 1) // 2
    places, values = np.zeros(n_cells, np.uint32), np.zeros((n_cells, len(rates)), np.int64)
    table = (places, None), 0, values
    done, n_filled = add_to_gram(
        near.landmarks, near.squared, first_member, rates, power, 0, *table, *copies
    )
    assert done == len(near.landmarks)
    assert n_filled == np.count_nonzero(places)
    cells = np.zeros_like(values)
    filled = np.flatnonzero(places)
    cells[filled] = values[places[filled] - 1]
    return cells


@given(seed=seeds, n=st.integers(1, 200), power=st.sampled_from([1, 2]))
def test_a_row_counts_as_many_times_as_it_says(seed, n, power):
    rng = np.random.default_rng(seed)
    near = random_neighbors(rng, n, P, 3)
    copies = rng.integers(0, 4, n)
    members = np.array([0, 0, 1], np.int32), np.array([0.5, 2], np.float32), power
    repeated = type(near)(*(np.repeat(array, copies, axis=0) for array in near))
    counted = summed(near, *members, copies)
    np.testing.assert_array_equal(counted, summed(repeated, *members))


@given(
    seed=seeds,
    n=st.integers(1, 200),
    ks=st.sets(st.integers(1, 6), min_size=1).map(sorted),
    power=st.sampled_from([1, 2]),
)
def test_gram_is_the_weighted_product_for_every_member(seed, n, ks, power):
    rng = np.random.default_rng(seed)
    near = random_neighbors(rng, n, P, ks[-1])
    rates = rng.uniform(0.1, 3, len(ks)).astype(np.float32)
    first = np.array([next(j for j, k in enumerate(ks) if k > s) for s in range(ks[-1])], np.int32)
    cells = summed(near, first, rates, power)
    for j, k in enumerate(ks):
        half = np.zeros((P, P))
        half[np.tril_indices(P)] = cells[:, j] / UNIT
        full = half + half.T - np.diag(np.diag(half))
        dense = oracles.affinities(near, Affinity(k, rates[j], power), P)
        np.testing.assert_allclose(full, oracles.gram(dense), atol=1e-6 * n)


@given(seed=seeds, n=st.integers(2, 300))
def test_gram_does_not_depend_on_the_order_of_the_rows(seed, n):
    rng = np.random.default_rng(seed)
    near = random_neighbors(rng, n, P, 4)
    first, rates = np.array([0, 0, 1, 1], np.int32), np.array([0.5, 1.5], np.float32)
    order, cut = rng.permutation(n), rng.integers(1, n)
    parts = [Neighbors(*(array[some] for array in near)) for some in (order[:cut], order[cut:])]
    sums = [summed(part, first, rates, 1) for part in (near, *parts)]
    np.testing.assert_array_equal(sums[0], sums[1] + sums[2])
