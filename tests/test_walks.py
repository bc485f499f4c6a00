"""Walks on a graph leave out the rows they cannot have reached, and nothing else."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.sparse.csgraph import shortest_path

from lsec.kernels.trajectories import LANES, count_hops, walk_forward, walk_lengths
from test_kernels import seeds

N_STEPS = 6


def thin_graph(rng, n):
    """A symmetric matrix with about two entries a row: many rows are far away, or cut off."""
    upper = np.triu(np.where(rng.random((n, n)) < 2 / n, rng.random((n, n)), 0), 1)
    return sparse.csr_matrix((upper + upper.T).astype(np.float32))


def parts(graph):
    return graph.indptr.astype(np.int64), graph.indices.astype(np.uint32), graph.data


def units(n, low, high):
    start = np.zeros((n, LANES), np.float32)
    start[np.arange(low, high), np.arange(high - low)] = 1
    return start


def some_walk(seed, n):
    rng = np.random.default_rng(seed)
    low = int(rng.integers(n))
    high = int(min(n, low + rng.integers(1, LANES + 1)))
    graph = thin_graph(rng, n)
    hops = np.empty(n, np.int64)
    count_hops(*parts(graph)[:2], low, high, hops)
    return graph, low, high, hops


@given(seed=seeds, n=st.integers(1, 150))
def test_hops_are_the_shortest_way_from_any_of_the_rows(seed, n):
    graph, low, high, hops = some_walk(seed, n)
    expected = shortest_path(graph, unweighted=True, indices=range(low, high)).min(axis=0)
    assert_array_equal(hops, np.where(np.isinf(expected), n, expected))


@given(seed=seeds, n=st.integers(1, 150))
def test_walks_are_powers_of_the_graph(seed, n):
    graph, low, high, hops = some_walk(seed, n)
    start = units(n, low, high)
    path = np.full((N_STEPS, n, LANES), np.nan, np.float32)
    walk_forward(*parts(graph), start, hops, path)
    whole = np.empty_like(path)
    walk_forward(*parts(graph), start, np.zeros(n, np.int64), whole)
    assert_array_equal(path, whole)
    expected = start.astype(float)
    for reached in path:
        expected = graph.astype(float) @ expected
        assert_allclose(reached, expected, rtol=1e-5, atol=1e-12)


@given(seed=seeds, n=st.integers(1, 150))
def test_lengths_are_those_of_the_walks(seed, n):
    graph, low, high, hops = some_walk(seed, n)
    volume = np.random.default_rng(seed).random(n).astype(np.float32)
    start = units(n, low, high)
    path = np.empty((N_STEPS, n, LANES), np.float32)
    walk_forward(*parts(graph), start, hops, path)
    expected = (volume.astype(float)[:, None] * path.astype(float) ** 2).sum(axis=(0, 1))
    found = np.empty(LANES)
    pair = np.stack([start, np.zeros_like(start)])
    walk_lengths(*parts(graph), volume, hops, N_STEPS, pair, found)
    assert_allclose(found, expected, rtol=1e-6)
