"""Every kernel equals its plain counterpart on random input."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import oracles
from lsec.kernels.affinity import exp_negative
from lsec.kernels.assign import nearest_center, sums_by_label
from lsec.kernels.distinct import hash_row
from lsec.kernels.gram import UNIT
from lsec.kernels.labels import first_largest
from lsec.kernels.smallest import smallest_of_rows
from lsec.rows.dense import ColumnRows
from lsec.rows.dense import DenseRows
from lsec.rows.rows import Neighbors
from lsec.rows.sparse import SparseRows
from lsec.spectral.gram_table import GramTable
from lsec.spectral.landmarks import divide_and_conquer, hybrid_representatives, rows_of

settings.register_profile("kernels", deadline=None, max_examples=20)
settings.load_profile("kernels")

seeds = st.integers(0, 2**32 - 1)
KINDS = ["columns", "dense", "sparse"]


def rows_of_kind(kind, points):
    from scipy import sparse

    if kind == "columns":
        return ColumnRows(np.ascontiguousarray(points.T))
    if kind == "dense":
        return DenseRows(points)
    return SparseRows(sparse.csr_matrix(points.astype(np.float64)))


def random_points(rng, n, d):
    """Points on a coarse grid now and then, so that ties and duplicates occur."""
    points = rng.normal(size=(n, d))
    return (points.round(1) if rng.random() < 0.3 else points).astype(np.float32)


@given(seed=seeds, n=st.integers(1, 1200), d=st.integers(1, 6), k=st.integers(1, 9))
def test_nearest_center_is_the_argmin_of_the_distances(seed, n, d, k):
    rng = np.random.default_rng(seed)
    points, centers = random_points(rng, n, d), random_points(rng, k, d)
    labels, best = np.empty(n, np.int32), np.empty(n, np.float32)
    nearest_center(np.ascontiguousarray(points.T), 0, n, centers, labels, best)
    exact = oracles.squared_distances(points, centers)
    np.testing.assert_allclose(best, exact.min(1), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(exact[np.arange(n), labels], exact.min(1), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("signs", [(1, -1), (1, -1, 1), (3, 1, -1), (3, 3, 1, -1, 1), (3, 1, 2, 1)])
def test_nearest_center_gives_ties_to_the_first_center(d, signs):
    points = np.zeros((d, 3), np.float32)
    centers = np.repeat(np.array(signs, np.float32)[:, None], d, axis=1)
    labels, best = np.empty(3, np.int32), np.empty(3, np.float32)
    nearest_center(points, 0, 3, centers, labels, best)
    assert labels.tolist() == [signs.index(1)] * 3


@pytest.mark.parametrize("kind", KINDS)
@given(seed=seeds, n=st.integers(1, 300), d=st.integers(1, 20), k=st.integers(1, 9))
def test_all_kinds_of_rows_agree_on_nearest_and_means(kind, seed, n, d, k):
    rng = np.random.default_rng(seed)
    points, centers = random_points(rng, n, d), random_points(rng, k, d)
    rows = rows_of_kind(kind, points)
    labels, squared = rows.nearest(centers)
    exact = oracles.squared_distances(points, centers)
    np.testing.assert_allclose(squared, exact.min(1), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(exact[np.arange(n), labels], exact.min(1), rtol=1e-4, atol=1e-4)
    weights = rng.uniform(0.5, 3, n)
    means, counts = rows.means(labels, weights, k)
    for c in np.unique(labels):
        mine = labels == c
        np.testing.assert_allclose(counts[c], weights[mine].sum())
        expected = np.average(points[mine], axis=0, weights=weights[mine])
        np.testing.assert_allclose(means[c], expected, rtol=1e-5, atol=1e-5)


@given(seed=seeds, n=st.integers(1, 200), d=st.integers(1, 5), k=st.integers(1, 5))
def test_weighted_sums_equal_repeated_sums(seed, n, d, k):
    rng = np.random.default_rng(seed)
    points = random_points(rng, n, d)
    labels = rng.integers(0, k, n).astype(np.int32)
    times = rng.integers(1, 4, n)
    sums, counts = np.empty((2, k, d)), np.empty((2, k))
    sums_by_label(points, labels, times.astype(float), sums[0], counts[0])
    repeated = np.repeat(np.arange(n), times)
    ones = np.ones(len(repeated))
    sums_by_label(points[repeated], labels[repeated], ones, sums[1], counts[1])
    np.testing.assert_allclose(sums[0], sums[1], atol=1e-9)
    np.testing.assert_array_equal(counts[0], counts[1])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("landmarks", ["divide", "hybrid"])
@given(seed=seeds, n=st.integers(30, 600), d=st.integers(1, 18), k=st.integers(1, 6))
@settings(max_examples=10)
def test_neighbors_equal_a_plain_search_among_the_candidates(kind, landmarks, seed, n, d, k):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n, d)).astype(np.float32)
    rows = rows_of_kind(kind, points)
    if landmarks == "divide":
        tree = divide_and_conquer(rows, k, rng, n_landmarks=25, alpha=4)
    else:
        tree = hybrid_representatives(rows, k, rng, n_landmarks=25)
    k = min(k, tree.n_landmarks)
    near = rows.neighbors(tree, k)
    assert sorted(near.order) == list(range(n))
    landmark = oracles.route(points, tree)
    expected = oracles.nearest_candidates(points, landmark, tree, k)[near.order]
    np.testing.assert_allclose(near.squared, expected, rtol=1e-3, atol=1e-4)
    exact = oracles.squared_distances(points[near.order], tree.landmarks)
    listed = np.take_along_axis(exact, near.index.astype(int), 1)
    np.testing.assert_allclose(near.squared, listed, rtol=1e-3, atol=1e-4)
    assert all(len(set(row)) == k for row in near.index.tolist())
    assert (np.diff(near.squared, axis=1) >= 0).all()


def test_few_candidates_and_early_exit_lose_no_neighbor_in_the_plane():
    rng = np.random.default_rng(0)
    points = rng.uniform(size=(20_000, 2)).astype(np.float32)
    rows = ColumnRows(np.ascontiguousarray(points.T))
    tree = divide_and_conquer(rows, 6, rng, n_landmarks=300, alpha=20)
    near = rows.neighbors(tree, 6)
    exact = np.sort(oracles.squared_distances(points[near.order], tree.landmarks), axis=1)[:, :6]
    np.testing.assert_allclose(near.squared, exact, rtol=1e-5, atol=1e-12)


@given(hnp.arrays(np.float32, st.integers(1, 200), elements=st.floats(0, 100, width=32)))
def test_exp_negative_is_the_exponential_down_to_its_floor(t):
    out, bits = np.empty_like(t), np.empty(len(t), np.int32)
    exp_negative(t, out, bits, len(t))
    np.testing.assert_allclose(out, np.maximum(np.exp(-t.astype(float)), 2.0**-52), rtol=5e-6)


def random_neighbors(rng, n, p, k):
    index = np.array([rng.choice(p, k, replace=False) for _ in range(n)], np.uint16)
    squared = np.sort(rng.exponential(size=(n, k)), axis=1).astype(np.float32)
    return index, squared


def summed_gram(index, squared, first, rates, quartic, p):
    n_cells = p * (p + 1) // 2
    table = GramTable(n_cells, first, rates, quartic)
    table.add(Neighbors(np.arange(len(index), dtype=np.int32), index, squared))
    sums = table.take()
    cells = np.zeros((n_cells, len(rates)), np.int64)
    cells[sums.where] = sums.values
    return cells


@given(
    seed=seeds,
    n=st.integers(1, 200),
    ks=st.sets(st.integers(1, 6), min_size=1).map(sorted),
    quartic=st.booleans(),
)
def test_gram_is_the_weighted_product_for_every_member(seed, n, ks, quartic):
    rng = np.random.default_rng(seed)
    p = 12
    index, squared = random_neighbors(rng, n, p, ks[-1])
    rates = rng.uniform(0.1, 3, len(ks)).astype(np.float32)
    first = np.array([next(j for j, k in enumerate(ks) if k > s) for s in range(ks[-1])], np.int32)
    cells = summed_gram(index, squared, first, rates, quartic, p)
    for j, k in enumerate(ks):
        half = np.zeros((p, p))
        half[np.tril_indices(p)] = cells[:, j] / UNIT
        full = half + half.T - np.diag(np.diag(half))
        dense = oracles.affinities(index, squared, k, rates[j], quartic, p)
        np.testing.assert_allclose(full, oracles.gram(dense), atol=1e-6 * n)


@given(seed=seeds, n=st.integers(2, 300))
def test_gram_does_not_depend_on_the_order_of_the_rows(seed, n):
    rng = np.random.default_rng(seed)
    index, squared = random_neighbors(rng, n, 9, 4)
    first, rates = np.array([0, 0, 1, 1], np.int32), np.array([0.5, 1.5], np.float32)
    whole = summed_gram(index, squared, first, rates, False, 9)
    order, cut = rng.permutation(n), rng.integers(1, n)
    parts = [
        summed_gram(index[some], squared[some], first, rates, False, 9)
        for some in (order[:cut], order[cut:])
    ]
    np.testing.assert_array_equal(whole, parts[0] + parts[1])


@given(hnp.arrays(np.float32, st.integers(1, 70), elements=st.floats(-9, 9, width=32)))
def test_first_largest_is_argmax(values):
    values = values + np.float32(0)  # argmax does not tell -0 from 0, bits do
    assert first_largest(values.view(np.int32)) == values.argmax()


def test_rows_of_picks_the_kind_by_width():
    assert isinstance(rows_of(np.zeros((3, 16), np.float32)), ColumnRows)
    assert isinstance(rows_of(np.zeros((3, 17), np.float32)), DenseRows)


def test_hash_spreads_label_rows_that_differ_in_one_place():
    rows = np.arange(4096, dtype=np.uint64)[:, None]
    slots = {int(hash_row(row)) & 0xFFFF for row in rows}
    assert len(slots) > 3900


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
