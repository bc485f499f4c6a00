"""Affinities of rows to landmarks (equation 3)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from lsec.kernels.affinity import ROWS, chunk_affinities, exp_negative
from lsec.spectral.affinity import Affinity
from tests import oracles
from tests.inputs import random_neighbors, seeds


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
