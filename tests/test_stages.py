"""Laws of the stages: k-means, landmarks, transfer cut, frame."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.linalg import eigh

import oracles
from lsec.estimators.consensus import fit_bounds
from lsec.estimators.lsec import share_out
from lsec.execution.threads import Workers
from lsec.rows.frame import Frame, extremes
from lsec.sources import ArraySource
from lsec.sources.source import block_rows
from lsec.spectral.eigen import leading_eigenpairs
from lsec.spectral.generation import draw_sample
from lsec.spectral.kmeans import _fill_empty, kmeans
from lsec.spectral.landmarks import apportion, divide_and_conquer, nearest_landmarks, rows_of
from lsec.spectral.light_kmeans import light_kmeans
from lsec.spectral.threaded_rows import ThreadedRows
from lsec.spectral.transfer_cut import transfer_cut, transfer_cut_of_cells
from test_kernels import random_points, seeds


def points_of(rng, n, d):
    return rng.normal(size=(n, d)).astype(np.float32)


def test_a_cluster_that_is_emptied_by_filling_another_is_filled_in_turn():
    rows = rows_of(np.array([[-6], [-6], [-5], [5], [7.1], [100], [120], [123]], np.float32))
    centers = np.array([[-6], [0], [7.1], [110], [123]], np.float32)
    labels, squared = rows.nearest(centers)
    assert labels.tolist() == [0, 0, 0, 2, 2, 3, 4, 4]
    centers, labels, _ = _fill_empty(rows, centers, labels, squared)
    assert centers[:, 0].tolist() == pytest.approx([-6, 100, 7.1, 120, 123])
    assert labels.tolist() == [0, 0, 0, 2, 2, 1, 3, 4]


@given(seed=seeds, n=st.integers(1, 300), d=st.integers(1, 20), k=st.integers(1, 12))
def test_kmeans_leaves_no_cluster_empty_and_labels_by_the_nearest_center(seed, n, d, k):
    rng = np.random.default_rng(seed)
    points = random_points(rng, n, d)
    rows = rows_of(points)
    for init in ("random", "k-means++"):
        result = kmeans(rows, min(k, n), rng, init=init)
        distinct = len(np.unique(points, axis=0))
        assert len(result.centers) == min(k, distinct)
        assert set(result.labels) == set(range(len(result.centers)))
        np.testing.assert_array_equal(result.labels, rows.nearest(result.centers)[0])


@pytest.mark.parametrize("d", [2, 40])
@pytest.mark.parametrize("n_threads", [1, 3])
def test_kmeans_on_all_threads_equals_that_of_one(d, n_threads):
    points = points_of(np.random.default_rng(0), 10_000, d)
    plain = kmeans(rows_of(points), 30, np.random.default_rng(1))
    with Workers(n_threads) as workers:
        threaded = kmeans(ThreadedRows(points, workers), 30, np.random.default_rng(1))
    for name in ("centers", "labels", "squared"):
        np.testing.assert_array_equal(getattr(threaded, name), getattr(plain, name))


@given(seed=seeds, n=st.integers(5, 100), d=st.integers(1, 5))
def test_kmeans_weighted_equals_repeated(seed, n, d):
    rng = np.random.default_rng(seed)
    points = points_of(rng, n, d)
    times = rng.integers(1, 5, n)
    options = {"init": "k-means++", "max_iter": 50, "n_init": 2}
    weighted = kmeans(
        rows_of(points), 4, np.random.default_rng(seed), weights=times.astype(float), **options
    )
    repeated = kmeans(
        rows_of(np.repeat(points, times, axis=0)), 4, np.random.default_rng(seed), **options
    )
    np.testing.assert_array_equal(np.repeat(weighted.labels, times), repeated.labels)


def test_kmeans_finds_separated_groups():
    rng = np.random.default_rng(0)
    truth = np.repeat(np.arange(5), 100)
    points = (10 * np.eye(5)[truth] + rng.normal(size=(500, 5))).astype(np.float32)
    labels = kmeans(rows_of(points), 5, rng, init="k-means++", max_iter=50, n_init=5).labels
    pairs = set(zip(truth.tolist(), labels.tolist(), strict=True))
    assert len(pairs) == 5


def test_light_kmeans_lets_other_rows_join_the_nearest_center():
    rng = np.random.default_rng(1)
    rows = rows_of(points_of(rng, 5000, 3))
    result = light_kmeans(rows, 7, 200, rng)
    labels, squared = rows.nearest(result.centers)
    np.testing.assert_array_equal(result.labels, labels)
    np.testing.assert_array_equal(result.squared, squared)


@given(st.lists(st.floats(0, 100), min_size=1, max_size=40), st.integers(0, 200))
def test_apportion_gives_each_part_one_and_no_more_than_all(residuals, extra):
    residuals = np.array(residuals)
    n_landmarks = len(residuals) + extra
    shares = apportion(residuals, n_landmarks)
    assert (shares >= 1).all()
    assert shares.sum() <= n_landmarks
    assert (shares[residuals == 0] == 1).all()
    if (residuals > residuals.sum() / n_landmarks).all() and residuals.sum() > 0:
        assert shares.sum() == n_landmarks
        exact = residuals / residuals.sum() * n_landmarks
        assert np.abs(shares - exact).max() <= 1 + 1e-9


@pytest.mark.parametrize("d", [2, 30])
def test_landmarks_are_as_many_as_asked_and_leaves_of_the_tree(d):
    rng = np.random.default_rng(0)
    rows = rows_of(points_of(rng, 4000, d))
    tree = divide_and_conquer(rows, 5, rng, n_landmarks=200, alpha=10)
    assert tree.n_landmarks == 200
    assert tree.n_children.max() <= 10
    leaves = np.flatnonzero(tree.landmark_of >= 0)
    np.testing.assert_array_equal(tree.centers[leaves], tree.landmarks[tree.landmark_of[leaves]])
    parents = np.flatnonzero(tree.landmark_of < 0)
    children = np.concatenate(
        [tree.first_child[v] + np.arange(tree.n_children[v]) for v in parents]
    )
    assert sorted(children) == list(range(1, len(tree.centers)))


def test_landmarks_are_no_more_than_distinct_rows():
    points = np.repeat(np.arange(7, dtype=np.float32)[:, None], 50, axis=0)
    rng = np.random.default_rng(0)
    tree = divide_and_conquer(rows_of(points), 3, rng, n_landmarks=100, alpha=5)
    np.testing.assert_allclose(np.sort(tree.landmarks.ravel()), np.arange(7), atol=1e-6)


def test_landmarks_lie_closer_than_random_rows():
    rng = np.random.default_rng(0)
    points = points_of(rng, 5000, 2)
    tree = divide_and_conquer(rows_of(points), 5, rng, n_landmarks=100, alpha=10)
    ours = oracles.squared_distances(points, tree.landmarks).min(1).mean()
    random = oracles.squared_distances(points, points[:100]).min(1).mean()
    assert ours < 0.6 * random


@given(seed=seeds, p=st.integers(1, 80), d=st.integers(1, 6))
def test_nearest_landmarks_are_sorted_and_start_with_itself(seed, p, d):
    points = points_of(np.random.default_rng(seed), p, d)
    c = min(7, p)
    candidates, gaps = nearest_landmarks(points, c)
    np.testing.assert_array_equal(candidates[:, 0], np.arange(p))
    exact = np.sqrt(oracles.squared_distances(points, points))
    np.testing.assert_allclose(gaps, np.sort(exact, 1)[:, :c], atol=1e-5)


@given(seed=seeds, q=st.integers(2, 12))
def test_transfer_cut_solves_the_bipartite_normalized_cut(seed, q):
    rng = np.random.default_rng(seed)
    cross = rng.uniform(0.1, 1, (30, q))
    cut = transfer_cut(oracles.gram(cross), q)
    full = np.block([[np.zeros((30, 30)), cross], [cross.T, np.zeros((q, q))]])
    root = 1 / np.sqrt(full.sum(1))
    values = eigh(root[:, None] * full * root, eigvals_only=True)[::-1][:q]
    # The small side's eigenvalues are the squares of the bipartite graph's.
    np.testing.assert_allclose(cut.eigenvalues, values**2, atol=1e-9)
    assert cut.eigenvalues[0] == pytest.approx(1)


@given(seed=seeds, q=st.integers(2, 40))
def test_transfer_cut_of_cells_is_that_of_the_matrix_to_the_last_bit(seed, q):
    rng = np.random.default_rng(seed)
    matrix = rng.integers(0, 1000, (q, q)) * (rng.random((q, q)) < 0.3)
    matrix += matrix.T
    whole = transfer_cut(matrix.astype(float), q)
    unit = 2**30  # powers of four change no digit of a root
    triangle = matrix[np.tril_indices(q)] * unit
    cells = np.flatnonzero(triangle | (rng.random(len(triangle)) < 0.1))  # zeros do no harm
    cut = transfer_cut_of_cells(cells, triangle[cells], q, q, np.float64)
    np.testing.assert_array_equal(whole.eigenvalues, cut.eigenvalues)
    np.testing.assert_array_equal(whole.vectors, cut.vectors * np.sqrt(unit))


def test_transfer_cut_separates_unconnected_parts():
    cross = np.kron(np.eye(3), np.ones((5, 4)))
    cut = transfer_cut(oracles.gram(cross), 3)
    embedded = oracles.embedding(cross, cut.vectors)
    inner = embedded @ embedded.T
    np.testing.assert_allclose(inner, np.kron(np.eye(3), np.ones((5, 5))), atol=1e-9)


def test_transfer_cut_gives_unused_columns_a_zero_vector():
    cross = np.array([[1.0, 0.5, 0], [0.2, 1, 0]])
    cut = transfer_cut(oracles.gram(cross), 2)
    assert (cut.vectors[2] == 0).all()
    assert np.isfinite(cut.vectors).all()


@given(seed=seeds, n=st.integers(1, 3000), d=st.integers(1, 30), order=st.sampled_from("CF"))
def test_extremes_are_those_of_every_feature(seed, n, d, order):
    rows = np.asarray(np.random.default_rng(seed).normal(size=(n, d)), order=order)
    np.testing.assert_array_equal(extremes(rows), [rows.min(axis=0), rows.max(axis=0)])


def test_frame_keeps_the_digits_of_rows_far_away():
    rng = np.random.default_rng(0)
    near = rng.integers(0, 1024, (50, 3)) / 1024
    expected = Frame.of(near).rows(near).columns
    far = near + 2.0**40
    np.testing.assert_array_equal(Frame.of(far).rows(far).columns, expected)
    small = near * 2.0**-100
    np.testing.assert_array_equal(Frame.of(small).rows(small).columns, expected)


def test_frame_spends_no_digits_on_an_outlier():
    rows = np.random.default_rng(0).normal(size=(500, 2))
    rows[7] = 1e12
    frame = Frame.of(rows)
    back = frame.original(frame.rows(rows).points(np.arange(500)))
    others = np.arange(500) != 7
    np.testing.assert_allclose(back[others], rows[others], atol=1e-6)


def test_frame_of_sparse_rows_keeps_zeros():
    matrix = sparse.random(40, 30, 0.1, format="csr", random_state=0)
    rows = Frame.of(matrix).rows(matrix)
    assert rows.matrix.nnz == matrix.nnz


@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.float32, np.float64])
def test_frame_takes_points_back_to_the_units_of_the_data(dtype):
    raw = np.random.default_rng(0).integers(0, 200, (30, 4)).astype(dtype)
    frame = Frame.of(raw)
    points = frame.rows(raw).points(np.arange(30))
    np.testing.assert_allclose(frame.original(points), raw, atol=1e-4)


def test_blocks_cover_all_rows_once_and_depend_on_features_only():
    rows = np.zeros((150_000, 3), np.float32)
    source = ArraySource(rows)
    spans = [source.span(b) for b in range(source.n_blocks)]
    assert [s.start for s in spans[1:]] == [s.stop for s in spans[:-1]]
    assert spans[0].start == 0 and spans[-1].stop == 150_000
    assert block_rows(2) == 65536 and block_rows(784) == 32768 and block_rows(10**7) == 1024


def test_sample_is_all_rows_when_they_are_few():
    rng = np.random.default_rng(0)
    np.testing.assert_array_equal(draw_sample(1000, 2, 10, rng), np.arange(1000))


@pytest.mark.parametrize("n_rows", [10**5, 10**6])
def test_sample_is_a_choice_without_repetition_in_order(n_rows):
    some = draw_sample(n_rows, 2, 10, np.random.default_rng(3))
    chosen = np.random.default_rng(3).choice(n_rows, 5000, replace=False, shuffle=False)
    np.testing.assert_array_equal(some, np.sort(chosen))


def test_members_are_shared_out_over_landmark_sets():
    assert share_out(20, (2, 3, 4, 5, 6), True) == [[2, 3, 4, 5, 6]] * 4
    assert share_out(7, (2, 3, 4), True) == [[2, 3, 4], [2, 3, 4], [4]]
    assert share_out(3, (5,), False) == [[5], [5], [5]]


@given(n=st.integers(1, 10**7), k=st.integers(1, 100))
def test_bounds_never_exceed_the_rows_that_clusters_need(n, k):
    k = min(n, k)
    low, high = fit_bounds((20, 60), n, k)
    assert 1 <= low <= high
    assert high <= max(60, k)
    if n >= 3600:
        assert (low, high) == (20, 60)


@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float64, 1e-10), (np.float32, 1e-4)])
@given(seed=seeds, q=st.integers(1, 60))
def test_leading_eigenpairs_equal_those_of_scipy(dtype, tolerance, seed, q):
    rng = np.random.default_rng(seed)
    matrix = rng.normal(size=(q, q))
    matrix += matrix.T
    n_pairs = int(rng.integers(1, q + 1))
    read = np.where(np.tri(q, k=-1, dtype=bool), np.nan, matrix)
    values, vectors = leading_eigenpairs(read.astype(dtype), n_pairs)
    expected = eigh(matrix, eigvals_only=True)[::-1][:n_pairs]
    np.testing.assert_allclose(values, expected, atol=tolerance * q)
    np.testing.assert_allclose(matrix @ vectors, vectors * values, atol=tolerance * q)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(n_pairs), atol=tolerance * q)
