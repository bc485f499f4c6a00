"""Base labels from tables equal the nearest center of the embedding (equations 6 and 7)."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from lsec.rows.frame import rows_of
from lsec.rows.rows import Landmarks
from lsec.spectral.base_clustering import (
    SLACK,
    Graph,
    Member,
    MemberPlan,
    cut_graphs,
    embed,
    first_rows,
    label_tables,
)
from lsec.spectral.gram import Affinity, GramTask, SparseGram
from lsec.spectral.landmarks import divide_and_conquer
from tests import oracles
from tests.inputs import random_neighbors, random_points, seeds

powers = st.sampled_from([1, 2])


def random_member(rng, p, c, k, power=1):
    """Vectors in a few tight bundles, as eigenvectors are, so that some landmarks are safe."""
    bundles = rng.normal(size=(4, c))
    vectors = bundles[rng.integers(0, 4, p)] + rng.normal(scale=0.2, size=(p, c))
    vectors = (vectors / np.linalg.norm(vectors, axis=1).max()).astype(np.float32)
    affinity = Affinity(k, np.float32(rng.uniform(0.1, 2)), power)
    centers = bundles[:, None] + rng.normal(scale=0.3, size=(4, 3, c))
    centers = centers.reshape(-1, c)
    centers *= rng.uniform(0.7, 1, (12, 1)) / np.linalg.norm(centers, axis=1, keepdims=True)
    return Member.of(affinity, vectors, np.ones(c), centers.astype(np.float32))


def label(member, near):
    out = np.empty(len(near.landmarks), np.uint8)
    member.label(near, out)
    return out


@given(
    seed=seeds,
    n=st.integers(1, 300),
    c=st.sampled_from([1, 5, 16, 17, 40]),
    k=st.integers(1, 6),
    power=powers,
)
@example(seed=2117784, n=136, c=1, k=4, power=2)
def test_labels_are_the_nearest_centers_of_the_embedding(seed, n, c, k, power):
    rng = np.random.default_rng(seed)
    member = random_member(rng, 30, c, k, power)
    near = random_neighbors(rng, n, 30, 6, shuffled=True)
    dense = oracles.affinities(near, member.affinity, 30)
    # Weights have a relative error of 5e-6. Where the terms of an embedding cancel, the error of
    # its direction grows in proportion.
    length = np.linalg.norm(dense @ member.vectors.astype(float), axis=1)
    terms = dense @ np.linalg.norm(member.vectors.astype(float), axis=1)
    error = 1e-5 * terms / length
    expected = oracles.embedding(dense, member.vectors)
    embedded = embed(near, member.affinity, member.vectors)[near.order]
    assert (np.abs(embedded - expected).max(1) <= error).all()
    exact = oracles.squared_distances(expected, member.centers)
    chosen = exact[np.arange(n), label(member, near)[near.order]]
    assert (chosen - exact.min(1) <= 4 * error).all()


@given(seed=seeds, k=st.integers(1, 6))
def test_rows_without_direction_join_the_shortest_center(seed, k):
    rng = np.random.default_rng(seed)
    member = random_member(rng, 30, 5, k)
    nowhere = replace(member, vectors=np.zeros_like(member.vectors)).with_centers(member.centers)
    near = random_neighbors(rng, 100, 30, 6)
    shortest = np.argmin(np.square(member.centers).sum(axis=1))
    assert set(label(nowhere, near)) == {shortest}


@given(seed=seeds, k=st.integers(1, 6), power=powers)
def test_shortcuts_change_no_label(seed, k, power):
    rng = np.random.default_rng(seed)
    member = random_member(rng, 60, 6, k, power)
    near = random_neighbors(rng, 2000, 60, 6)
    tables, nobody = member.tables, np.full(60, -1, np.int32)
    never = np.full_like(tables.margins, -np.inf)
    computed = label(replace(member, tables=tables._replace(safe=nobody, margins=never)), near)
    by_margins = label(replace(member, tables=tables._replace(safe=nobody)), near)
    np.testing.assert_array_equal(by_margins, computed)
    np.testing.assert_array_equal(label(member, near), computed)


@given(seed=seeds, p=st.integers(1, 1100), k=st.integers(1, 9))
def test_margins_are_the_smallest_leads(seed, p, k):
    rng = np.random.default_rng(seed)
    scores = rng.uniform(-1, 1, (p, k)).astype(np.float32)
    offsets = rng.uniform(0, 0.5, k).astype(np.float32)
    vectors = rng.uniform(-1, 1, (p, 3)).astype(np.float32)
    tables = label_tables(scores, offsets, vectors)
    expected = oracles.margins(scores, offsets, np.linalg.norm(vectors, axis=1), SLACK)
    np.testing.assert_allclose(tables.margins, expected, atol=1e-5)
    np.testing.assert_array_equal(tables.own, scores.argmax(1))
    firm = expected[np.arange(p), tables.own]
    clear = np.abs(firm) > 1e-5
    np.testing.assert_array_equal((tables.safe == tables.own)[clear], (firm > 0)[clear])


def test_some_landmarks_are_safe_where_vectors_are_bundled():
    member = random_member(np.random.default_rng(0), 200, 6, 3)
    assert (member.tables.safe >= 0).mean() > 0.2


def test_margins_settle_rows_that_safe_landmarks_leave_open():
    rng = np.random.default_rng(0)
    member = random_member(rng, 200, 6, 3)
    near = random_neighbors(rng, 2000, 200, 3)
    labels, tables = label(member, near), member.tables
    by_safety = (tables.safe[near.landmarks] == labels[:, None]).all(1)
    # Without scores, only shortcuts can find the label (0 where they do not).
    blind = replace(member, tables=tables._replace(scores=np.zeros_like(tables.scores)))
    settled = (label(blind, near) == labels) & (labels > 0)
    assert settled.sum() > 2 * by_safety.sum() > 0


def safe_label(scores, offsets, vector=1.0):
    """Label of a landmark that is safe for it, or -1."""
    row, offsets = np.array([scores], np.float32), np.array(offsets, np.float32)
    (label,) = label_tables(row, offsets, np.full((1, 1), vector, np.float32)).safe
    return label


def test_a_landmark_between_two_centers_is_not_safe():
    assert safe_label([1.0, 1.0], [0.5, 0.5]) == -1
    assert safe_label([0.2, 1.0], [0.5, 0.5]) == 1


def test_a_longer_center_makes_a_landmark_unsafe():
    # The lead of center 0 does not cover what |u| (h_0 - h_1) may take away.
    assert safe_label([1.0, 0.9], [0.5, 0.3]) == -1


def test_a_landmark_without_a_vector_is_not_safe():
    assert safe_label([0.0, 0.0], [0.0, 0.0], vector=0.0) == -1


@given(seed=seeds, n=st.integers(1, 200))
def test_sums_of_embeddings_by_label(seed, n):
    rng = np.random.default_rng(seed)
    member = random_member(rng, 30, 5, 4)
    near = random_neighbors(rng, n, 30, 4, shuffled=True)
    sums, counts = member.sums(near)
    labels, embedded = label(member, near), embed(near, member.affinity, member.vectors)
    for c in range(member.n_clusters):
        assert counts[c] == (labels == c).sum()
        np.testing.assert_allclose(sums[c], embedded[labels == c].sum(0), atol=1e-3)


def test_products_of_landmarks_last_while_centers_move():
    member = random_member(np.random.default_rng(0), 30, 5, 4)
    assert "inner" not in vars(member)
    moved = replace(member).with_centers(member.centers)
    assert "inner" not in vars(moved)
    table = moved.inner
    moved = moved.with_centers(member.centers[::-1].copy())
    assert moved.inner is table
    assert "inner" not in vars(moved.settled())
    assert "inner" not in vars(pickle.loads(pickle.dumps(moved)))


def test_a_pickled_member_has_the_same_tables():
    member = random_member(np.random.default_rng(0), 30, 5, 4)
    copy = pickle.loads(pickle.dumps(member))
    assert copy.affinity == member.affinity
    for array, other in zip(copy.tables, member.tables, strict=True):
        np.testing.assert_array_equal(array, other)


@given(seed=seeds, n=st.integers(5, 200), k=st.integers(1, 12), n_parts=st.integers(1, 8))
def test_k_means_starts_from_rows_of_every_component(seed, n, k, n_parts):
    rng = np.random.default_rng(seed)
    component = rng.integers(0, n_parts, n).astype(np.int32)
    k = min(k, n)
    chosen = first_rows(component, k, rng)
    assert len(np.unique(chosen)) == k
    sizes = np.bincount(component, minlength=n_parts)
    started = np.bincount(component[chosen], minlength=n_parts)
    if k >= np.count_nonzero(sizes):
        assert (started[sizes > 0] > 0).all()
    else:
        assert sizes[started > 0].min() >= sizes[started == 0].max()


def test_landmarks_of_tiny_components_have_the_vectors_of_the_nearest_others():
    """Two rings of landmarks, and a pair far outside that no row connects to them."""
    angle = np.linspace(0, 2 * np.pi, 30, endpoint=False)
    ring = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    points = np.concatenate([ring, ring + np.array([9, 0]), [[20, 0], [21, 0]]]).astype(np.float32)
    part = np.repeat([0, 1, 2], [30, 30, 2])
    near = np.linalg.norm(points[:, None] - points, axis=2) < 0.5
    dense = np.where(part[:, None] == part, near + np.eye(62), 0) * np.where(part < 2, 100, 0.1)
    columns, rows = np.triu_indices(62)
    cells = rows * (rows + 1) // 2 + columns
    order = np.argsort(cells)
    gram = SparseGram(62, cells[order], dense[columns, rows][order])
    plan = MemberPlan(2, 4)
    graph = Graph.of(plan, gram, Landmarks(points, None)).cut(None)
    vectors, eigenvalues, component = graph.vectors, graph.eigenvalues, graph.component
    assert len(set(component)) == 2
    assert_array_equal(component[60:], component[30])
    assert_array_equal(vectors[60:], vectors[[30, 30]])
    assert eigenvalues[1] > 0.999 > eigenvalues[2]


@pytest.mark.parametrize("p", [8, 200])
def test_a_graph_without_edges_has_no_tiny_components(p):
    points = np.random.default_rng(0).normal(size=(p, 3)).astype(np.float32)
    cells = np.arange(p) * (np.arange(p) + 3) // 2
    gram = SparseGram(p, cells, np.ones(p))
    graph = Graph.of(MemberPlan(1, 4), gram, Landmarks(points, None)).cut(None)
    assert len(set(graph.component)) == p
    assert np.count_nonzero(np.abs(graph.vectors).sum(axis=1) > 1e-3) >= 4


def test_graphs_of_a_set_are_cut_like_each_alone():
    """In the span of their eigenvectors; whichever comes first."""
    rng = np.random.default_rng(0)
    points = random_points(rng, 300, 2)
    rows = rows_of(points)
    landmarks = divide_and_conquer(rows, 5, rng, n_landmarks=150, alpha=50)
    graphs = []
    for k, n_clusters in ((3, 6), (4, 9), (5, 4)):
        task = GramTask(landmarks, [Affinity(k, np.float32(1.0), 1)])
        table = task.zero()
        table.add(rows.neighbors(landmarks, k))
        graphs.append(Graph.of(MemberPlan(k, n_clusters), table.take().of_member(0), landmarks))
    for graph, cut in zip(graphs, cut_graphs(graphs), strict=True):
        alone = graph.cut(None)
        assert cut.vectors.shape == alone.vectors.shape
        np.testing.assert_allclose(cut.eigenvalues, alone.eigenvalues, atol=1e-4)
        found, expected = (np.linalg.qr(one.vectors)[0] for one in (cut, alone))
        np.testing.assert_allclose(np.linalg.svd(found.T @ expected)[1], 1, atol=1e-2)
