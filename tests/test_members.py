"""Base labels from tables equal the nearest center of the embedding."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import oracles
from lsec.rows.rows import Neighbors
from lsec.spectral.member import Member
from lsec.spectral.shortcuts import SLACK, Shortcuts
from test_kernels import random_neighbors, seeds


def random_member(rng, p, c, k, quartic=False):
    """Vectors in a few tight bundles, as eigenvectors are, so that some landmarks are safe."""
    bundles = rng.normal(size=(4, c))
    vectors = bundles[rng.integers(0, 4, p)] + rng.normal(scale=0.2, size=(p, c))
    vectors = (vectors / np.linalg.norm(vectors, axis=1).max()).astype(np.float32)
    empty = np.empty(0)
    rate = np.float32(rng.uniform(0.1, 2))
    member = Member(k, rate, quartic, vectors, empty, empty, empty, empty, None)
    centers = bundles[:, None] + rng.normal(scale=0.3, size=(4, 3, c))
    centers = centers.reshape(-1, c)
    centers *= rng.uniform(0.7, 1, (12, 1)) / np.linalg.norm(centers, axis=1, keepdims=True)
    return member.with_centers(centers.astype(np.float32))


def label(member, near):
    out = np.empty(len(near.index), np.uint8)
    member.label(near, out)
    return out


@given(
    seed=seeds,
    n=st.integers(1, 300),
    c=st.sampled_from([1, 5, 16, 17, 40]),
    k=st.integers(1, 6),
    quartic=st.booleans(),
)
def test_labels_are_the_nearest_centers_of_the_embedding(seed, n, c, k, quartic):
    rng = np.random.default_rng(seed)
    member = random_member(rng, 30, c, k, quartic)
    index, squared = random_neighbors(rng, n, 30, 6)
    near = Neighbors(rng.permutation(n).astype(np.int32), index, squared)
    dense = oracles.affinities(index, squared, k, member.rate, quartic, 30)
    embedded = oracles.embedding(dense, member.vectors)
    np.testing.assert_allclose(member.embed(near), embedded, atol=1e-4)
    exact = oracles.squared_distances(embedded, member.centers)
    chosen = exact[np.arange(n), label(member, near)[near.order]]
    np.testing.assert_allclose(chosen, exact.min(1), atol=1e-4)


@given(seed=seeds, k=st.integers(1, 6))
def test_rows_without_direction_join_the_shortest_center(seed, k):
    rng = np.random.default_rng(seed)
    member = random_member(rng, 30, 5, k)
    nowhere = replace(member, vectors=np.zeros_like(member.vectors))
    nowhere = nowhere.with_centers(member.centers)
    index, squared = random_neighbors(rng, 100, 30, 6)
    near = Neighbors(np.arange(100, dtype=np.int32), index, squared)
    shortest = np.argmin(np.square(member.centers).sum(axis=1))
    assert set(label(nowhere, near)) == {shortest}


@given(seed=seeds, k=st.integers(1, 6), quartic=st.booleans())
def test_shortcuts_change_no_label(seed, k, quartic):
    rng = np.random.default_rng(seed)
    member = random_member(rng, 60, 6, k, quartic)
    index, squared = random_neighbors(rng, 2000, 60, 6)
    near = Neighbors(np.arange(2000, dtype=np.int32), index, squared)
    own, nobody = member.shortcuts.own, np.full(60, -1, np.int32)
    margins = member.shortcuts.margins
    never = np.full_like(margins, -np.inf)
    computed = label(replace(member, shortcuts=Shortcuts(own, nobody, never)), near)
    by_margins = label(replace(member, shortcuts=Shortcuts(own, nobody, margins)), near)
    np.testing.assert_array_equal(by_margins, computed)
    np.testing.assert_array_equal(label(member, near), computed)


@given(seed=seeds, p=st.integers(1, 1100), k=st.integers(1, 9))
def test_margins_are_the_smallest_leads(seed, p, k):
    rng = np.random.default_rng(seed)
    scores = rng.uniform(-1, 1, (p, k)).astype(np.float32)
    offsets = rng.uniform(0, 0.5, k).astype(np.float32)
    vectors = rng.uniform(-1, 1, (p, 3)).astype(np.float32)
    shortcuts = Shortcuts.of(scores, offsets, vectors)
    expected = oracles.margins(scores, offsets, np.linalg.norm(vectors, axis=1), SLACK)
    np.testing.assert_allclose(shortcuts.margins, expected, atol=1e-5)
    np.testing.assert_array_equal(shortcuts.own, scores.argmax(1))
    firm = expected[np.arange(p), shortcuts.own]
    clear = np.abs(firm) > 1e-5
    np.testing.assert_array_equal((shortcuts.safe == shortcuts.own)[clear], (firm > 0)[clear])


def test_some_landmarks_are_safe_where_vectors_are_bundled():
    member = random_member(np.random.default_rng(0), 200, 6, 3)
    assert (member.shortcuts.safe >= 0).mean() > 0.2


def test_margins_settle_rows_that_safe_landmarks_leave_open():
    rng = np.random.default_rng(0)
    member = random_member(rng, 200, 6, 3)
    index, squared = random_neighbors(rng, 2000, 200, 3)
    near = Neighbors(np.arange(2000, dtype=np.int32), index, squared)
    labels, safe = label(member, near), member.shortcuts.safe
    by_safety = (safe[index] == labels[:, None]).all(1)
    # Without scores, only shortcuts can find the label (0 where they do not).
    blind = replace(member, scores=np.zeros_like(member.scores))
    settled = (label(blind, near) == labels) & (labels > 0)
    assert settled.sum() > 2 * by_safety.sum() > 0


def shortcuts_of_one_landmark(scores, offsets):
    row = np.array([scores], np.float32)
    return Shortcuts.of(row, np.array(offsets, np.float32), np.ones((1, 1), np.float32))


def test_a_landmark_between_two_centers_is_not_safe():
    assert shortcuts_of_one_landmark([1.0, 1.0], [0.5, 0.5]).safe == -1
    assert shortcuts_of_one_landmark([0.2, 1.0], [0.5, 0.5]).safe == 1


def test_a_longer_center_makes_a_landmark_unsafe():
    # The lead of center 0 does not cover what |u| (h_0 - h_1) may take away.
    assert shortcuts_of_one_landmark([1.0, 0.9], [0.5, 0.3]).safe == -1


def test_a_landmark_without_a_vector_is_not_safe():
    nothing = Shortcuts.of(*(np.zeros(shape, np.float32) for shape in ((1, 2), 2, (1, 1))))
    assert nothing.safe == -1


@given(seed=seeds, n=st.integers(1, 200))
def test_sums_of_embeddings_by_label(seed, n):
    rng = np.random.default_rng(seed)
    member = random_member(rng, 30, 5, 4)
    index, squared = random_neighbors(rng, n, 30, 4)
    near = Neighbors(rng.permutation(n).astype(np.int32), index, squared)
    sums, counts = member.sums(near)
    labels, embedded = label(member, near)[near.order], member.embed(near)
    for c in range(member.n_clusters):
        assert counts[c] == (labels == c).sum()
        np.testing.assert_allclose(sums[c], embedded[labels == c].sum(0), atol=1e-3)


def test_products_are_kept_while_centers_move_and_dropped_when_they_settle():
    member = random_member(np.random.default_rng(0), 30, 5, 4)
    assert "inner" not in vars(member)
    moved = replace(member).with_centers(member.centers)
    assert "inner" not in vars(moved)
    table = moved.inner
    moved = moved.with_centers(member.centers[::-1].copy())
    assert moved.inner is table
    assert "inner" not in vars(moved.settled())
    assert "inner" not in moved.__getstate__()
