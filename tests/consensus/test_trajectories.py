"""Trajectories equal powers of the transition matrix, and walks skip only rows out of reach."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.sparse.csgraph import shortest_path

from lsec import MicroClusters
from lsec.consensus.co_association import CoAssociation
from lsec.consensus.trajectories import MIN_PROBABILITY, Walks, elite_neighbors, walk_length
from lsec.kernels.trajectories import (
    FAR,
    LANES,
    NEAR,
    REACHED,
    begin_walks,
    walk_forward,
    walk_lengths,
)
from tests.consensus import oracles as plain
from tests.consensus.ensembles import random_ensemble, seeds, small_ensemble, some_missing

N_STEPS = 6


# Elite neighbors and similarities


@given(seed=seeds, missing=some_missing, rank=st.integers(1, 5))
def test_elite_neighbors_are_those_above_the_threshold(tasks, seed, missing, rank):
    labels = small_ensemble(np.random.default_rng(seed), missing)
    micro = MicroClusters.from_labels(labels)
    assume(len(micro) >= rank)
    similarity = CoAssociation(micro).similarities(micro.labels)
    graph = elite_neighbors(micro, rank, tasks.map).toarray()
    assert_array_equal(graph, plain.elite_graph(similarity, rank))


def dense_trajectories(labels):
    rows, counts, _ = plain.micro_clusters(labels)
    length = max(1, min(20, int(np.sqrt(len(rows)) / 2)))
    # In the precision of the similarities: which of them tie decides who is a neighbor.
    similarity = plain.co_association(rows).astype(np.float32).astype(float)
    return plain.trajectory_similarity(plain.elite_graph(similarity, length), counts, length)


@given(seed=seeds, n=st.integers(2, 300), m=st.integers(2, 7), missing=some_missing)
def test_similarity_of_trajectories_is_that_of_the_powers_of_p(tasks, seed, n, m, missing):
    labels = random_ensemble(np.random.default_rng(seed), n, m, noise=0.3, missing=missing)[1]
    micro = MicroClusters.from_labels(labels)
    expected = dense_trajectories(labels)
    assert_allclose(Walks.on(micro, tasks).similarities(), expected, atol=2e-5)


@given(seed=seeds, n=st.integers(2, 300), m=st.integers(2, 7), missing=some_missing)
def test_product_with_similarities_needs_no_matrix_of_them(tasks, seed, n, m, missing):
    rng = np.random.default_rng(seed)
    labels = random_ensemble(rng, n, m, noise=0.3, missing=missing)[1]
    micro = MicroClusters.from_labels(labels)
    columns = rng.random((len(micro), rng.integers(1, 100))).astype(np.float32)
    found = Walks.on(micro, tasks).similarity_times(columns)
    assert_allclose(found, dense_trajectories(labels) @ columns, rtol=2e-4, atol=2e-5)


def test_isolated_micro_clusters_are_next_to_nothing_alike(tasks):
    labels = np.array([[0, 0, 0, 1, 2], [0, 0, 1, 2, 3]]).T  # the last two share no cluster
    micro = MicroClusters.from_labels(labels)
    similarity = Walks.on(micro, tasks).similarities()
    expected = np.full((2, 4), np.float32(1e-20))
    expected[:, 2:] = np.maximum(np.eye(2), np.float32(1e-20))
    assert_array_equal(similarity[2:], expected)
    assert_allclose(similarity[:2, :2], np.eye(2), atol=1e-7)


@pytest.mark.parametrize(("n_micro", "length"), [(2, 1), (15, 1), (16, 2), (1600, 20), (10**6, 20)])
def test_walks_are_half_the_root_of_the_micro_clusters_long(n_micro, length):
    assert walk_length(n_micro) == length


# Walks


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
    state = np.empty(n, np.uint8)
    begin_walks(*parts(graph)[:2], low, high, state)
    volume = rng.uniform(0.1, 1, n).astype(np.float32)
    return graph, volume, low, high, state


@given(seed=seeds, n=st.integers(1, 150))
def test_walks_begin_in_their_rows_and_may_go_on_to_the_neighbors(seed, n):
    graph, _, low, high, state = some_walk(seed, n)
    hops = shortest_path(graph, unweighted=True, indices=range(low, high)).min(axis=0)
    assert_array_equal(state, np.select([hops == 0, hops == 1], [REACHED, NEAR], FAR))


@given(seed=seeds, n=st.integers(1, 150))
def test_walks_are_powers_of_the_graph(seed, n):
    graph, volume, low, high, state = some_walk(seed, n)
    start = units(n, low, high)
    path = np.full((N_STEPS, n, LANES), np.nan, np.float32)
    walk_forward(*parts(graph), volume, start, 0.0, state, path)
    whole = np.empty_like(path)
    walk_forward(*parts(graph), volume, start, 0.0, np.full(n, REACHED), whole)
    assert_array_equal(path, whole)
    expected = start.astype(float)
    for reached in path:
        expected = graph.astype(float) @ expected
        assert_allclose(reached, expected, rtol=1e-5, atol=1e-12)


@given(seed=seeds, n=st.integers(1, 150), faint=st.sampled_from([0.0, 1e-3, 0.1]))
def test_lengths_are_those_of_the_walks(seed, n, faint):
    graph, volume, low, high, state = some_walk(seed, n)
    start = units(n, low, high) / np.sqrt(volume)[:, None]
    path = np.empty((N_STEPS, n, LANES), np.float32)
    walk_forward(*parts(graph), volume, start, faint, state, path)
    expected = (volume.astype(float)[:, None] * path.astype(float) ** 2).sum(axis=(0, 1))
    found = np.empty(LANES)
    pair = np.zeros((2, n, LANES), np.float32)
    walk_lengths(*parts(graph), volume, low, high, faint, N_STEPS, pair, found)
    assert_allclose(found, expected, rtol=1e-6)
    assert not pair.any()


def ring(n):
    """Steps to either side of a ring, each with a chance of one half; volumes are one."""
    one = np.roll(np.eye(n, dtype=np.float32), 1, axis=1)
    return sparse.csr_matrix((one + one.T) / 2)


def test_faint_walks_do_not_go_on():
    n, n_steps = 200, 20
    graph, volume = ring(n), np.ones(n, np.float32)
    state = np.empty(n, np.uint8)
    begin_walks(*parts(graph)[:2], 100, 101, state)
    path = np.empty((n_steps, n, LANES), np.float32)
    walk_forward(*parts(graph), volume, units(n, 100, 101), 1e-3, state, path)
    # A walk is k rows away after k steps with a chance of 2^-k, at most 1e-3 from k = 10 on;
    # later more come there by detours, and the walk goes on.
    assert_array_equal(np.flatnonzero(path[8, :, 0])[[0, -1]], [91, 109])
    assert_array_equal(np.flatnonzero(path[9, :, 0])[[0, -1]], [92, 108])
    assert path[11, 90, 0] > 1e-3
    reached = state == REACHED
    assert (path[:, reached].max(axis=(0, 2)) > 1e-3).all()
    assert not path[:, ~reached].any()
    assert path[-1].sum() == pytest.approx(1, abs=0.05)


def test_what_is_faint_makes_no_difference_to_lengths():
    n, n_steps = 200, 60
    graph, volume = ring(n), np.ones(n, np.float32)
    power, expected = np.eye(n), np.zeros(n)
    for _ in range(n_steps):
        power = graph.astype(float) @ power
        expected += np.square(power).sum(axis=0)
    found = np.empty(LANES)
    pair = np.zeros((2, n, LANES), np.float32)
    walk_lengths(*parts(graph), volume, 0, LANES, MIN_PROBABILITY, n_steps, pair, found)
    assert_allclose(found, expected[:LANES], rtol=1e-6)
