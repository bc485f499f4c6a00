"""Base labels from tables equal the nearest centre of the embedding."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import oracles
from lsec.geometry.rows import Neighbours
from lsec.stages.member import Member, safe_labels
from test_kernels import random_neighbours, seeds


def random_member(rng, p, c, k, quartic=False):
    """Vectors in a few tight bundles, as eigenvectors are, so that some landmarks are safe."""
    bundles = rng.normal(size=(4, c))
    vectors = bundles[rng.integers(0, 4, p)] + rng.normal(scale=0.2, size=(p, c))
    vectors = (vectors / np.linalg.norm(vectors, axis=1).max()).astype(np.float32)
    empty = np.empty(0)
    rate = np.float32(rng.uniform(0.1, 2))
    inner = vectors @ vectors.T
    member = Member(k, rate, quartic, vectors, empty, empty, empty, inner, empty, empty)
    centres = bundles[:, None] + rng.normal(scale=0.3, size=(4, 3, c))
    centres = centres.reshape(-1, c)
    centres *= rng.uniform(0.7, 1, (12, 1)) / np.linalg.norm(centres, axis=1, keepdims=True)
    return member.with_centres(centres.astype(np.float32))


def label(member, near):
    out = np.empty(len(near.index), np.uint8)
    member.label(near, out)
    return out


@given(seed=seeds, n=st.integers(1, 300), k=st.integers(1, 6), quartic=st.booleans())
def test_labels_are_the_nearest_centres_of_the_embedding(seed, n, k, quartic):
    rng = np.random.default_rng(seed)
    member = random_member(rng, 30, 5, k, quartic)
    index, squared = random_neighbours(rng, n, 30, 6)
    near = Neighbours(rng.permutation(n).astype(np.int32), index, squared)
    dense = oracles.affinities(index, squared, k, member.rate, quartic, 30)
    embedded = oracles.embedding(dense, member.vectors)
    np.testing.assert_allclose(member.embed(near), embedded, atol=1e-4)
    exact = oracles.squared_distances(embedded, member.centres)
    chosen = exact[np.arange(n), label(member, near)[near.order]]
    np.testing.assert_allclose(chosen, exact.min(1), atol=1e-4)


@given(seed=seeds, k=st.integers(1, 6))
def test_safe_labels_equal_computed_labels(seed, k):
    rng = np.random.default_rng(seed)
    member = random_member(rng, 60, 6, k)
    index, squared = random_neighbours(rng, 2000, 60, 6)
    near = Neighbours(np.arange(2000, dtype=np.int32), index, squared)
    plain = replace(member, safe=np.full_like(member.safe, -1))
    np.testing.assert_array_equal(label(member, near), label(plain, near))


def test_some_landmarks_are_safe_where_vectors_are_bundled():
    member = random_member(np.random.default_rng(0), 200, 6, 3)
    assert (member.safe >= 0).mean() > 0.2


def test_a_landmark_between_two_centres_is_not_safe():
    scores = np.array([[1.0, 1.0], [1.0, 0.2]])
    assert safe_labels(scores, np.array([0.5, 0.5]), np.ones(2)).tolist() == [-1, 0]


def test_a_longer_centre_makes_a_landmark_unsafe():
    # The lead of centre 0 does not cover what |u| (h_0 - h_1) may take away.
    scores = np.array([[1.0, 0.9]])
    assert safe_labels(scores, np.array([0.5, 0.3]), np.ones(1)).tolist() == [-1]


@given(seed=seeds, n=st.integers(1, 200))
def test_sums_of_embeddings_by_label(seed, n):
    rng = np.random.default_rng(seed)
    member = random_member(rng, 30, 5, 4)
    index, squared = random_neighbours(rng, n, 30, 4)
    near = Neighbours(rng.permutation(n).astype(np.int32), index, squared)
    sums, counts = member.sums(near)
    labels, embedded = label(member, near)[near.order], member.embed(near)
    for c in range(member.n_clusters):
        assert counts[c] == (labels == c).sum()
        np.testing.assert_allclose(sums[c], embedded[labels == c].sum(0), atol=1e-3)
