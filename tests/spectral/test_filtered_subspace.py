"""Eigenvectors by a filtered subspace span what a dense solver finds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from lsec.spectral import filtered_subspace, transfer_cut
from lsec.spectral.filtered_subspace import settled_eigenpairs
from lsec.spectral.gram import SparseGram
from lsec.spectral.transfer_cut import GraphOfCells, leading_eigenpairs
from tests.inputs import seeds


def graph(rng, q, n_parts=1, bridges=0.0):
    """The scaled Gram matrix of rows along circles of landmarks, float64 (q, q).

    Every row lies between two or three landmarks that follow each other on one of the circles;
    bridges, if any, tie circles together by rows of little weight.
    """
    n = 12 * q
    first = rng.integers(0, q, n)
    part = first % n_parts
    along = first // n_parts
    length = (q - np.arange(n_parts) + n_parts - 1) // n_parts
    rows, columns, weights = [], [], []
    for step in range(3):
        rows.append(np.arange(n))
        columns.append((along + step) % length[part] * n_parts + part)
        weights.append(rng.uniform(0.1, 1, n))
    if bridges:
        rows.append(np.arange(n))
        columns.append(rng.integers(0, q, n))
        weights.append(np.full(n, bridges))
    cross = sparse.coo_array(
        (np.concatenate(weights), (np.concatenate(rows), np.concatenate(columns))), shape=(n, q)
    ).tocsr()
    gram = cross.T @ sparse.diags_array(1 / cross.sum(axis=1)) @ cross
    root = sparse.diags_array(1 / np.sqrt(gram.sum(axis=1)))
    return (root @ gram @ root).tocsr()


def assert_leading(matrix, values, vectors, tolerance=1e-4):
    """Orthonormal vectors that keep the largest eigenvalues: by Ky Fan, no others do."""
    n_pairs, dense = len(values), matrix.toarray()
    expected = np.linalg.eigvalsh(dense)[::-1][:n_pairs]
    vectors = vectors.astype(np.float64)
    np.testing.assert_allclose(values, expected, atol=tolerance)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(n_pairs), atol=1e-5)
    kept = np.trace(vectors.T @ dense @ vectors)
    assert kept == pytest.approx(expected.sum(), abs=tolerance)


def leading(matrix, n_pairs, start=None):
    """The leading pairs of a settled block."""
    values, block = settled_eigenpairs(matrix.astype(np.float32), n_pairs, start)
    return values[:n_pairs], block[:, :n_pairs]


@settings(max_examples=10)
@given(seed=seeds, n_pairs=st.integers(1, 40), n_parts=st.integers(1, 4))
def test_they_are_those_of_a_dense_solver(seed, n_pairs, n_parts):
    matrix = graph(np.random.default_rng(seed), 300, n_parts)
    assert_leading(matrix, *leading(matrix, n_pairs))


@pytest.mark.parametrize("bridges", [0.0, 1e-8, 1e-5])
def test_none_of_many_equal_eigenvalues_is_missed(bridges):
    """Thirty clusters that are apart, or all but apart, have thirty eigenvalues of (nearly) 1."""
    matrix = graph(np.random.default_rng(0), 600, 30, bridges)
    values, vectors = leading(matrix, 35)
    assert (np.abs(values[:30] - 1) < 1e-3).all()
    assert values[30] < 0.999
    assert_leading(matrix, values, vectors)


def test_more_equal_eigenvalues_than_vectors_asked_for():
    matrix = graph(np.random.default_rng(0), 600, 60)
    values, vectors = leading(matrix, 20)
    np.testing.assert_allclose(values, 1, atol=1e-5)
    assert_leading(matrix, values, vectors)


def test_the_same_bits_for_any_number_of_tasks(monkeypatch):
    matrix = graph(np.random.default_rng(1), 300).astype(np.float32)
    values, block = settled_eigenpairs(matrix, 20)
    monkeypatch.setattr(filtered_subspace, "TASK_WORK", 1000)
    same_values, same_block = settled_eigenpairs(matrix, 20)
    np.testing.assert_array_equal(values, same_values)
    np.testing.assert_array_equal(block, same_block)


def test_the_same_bits_every_time():
    matrix = graph(np.random.default_rng(0), 300).astype(np.float32)
    first, again = (settled_eigenpairs(matrix, 20) for _ in range(2))
    np.testing.assert_array_equal(first[0], again[0])
    np.testing.assert_array_equal(first[1], again[1])


@settings(max_examples=10)
@given(seed=seeds, n_start=st.integers(1, 40), n_pairs=st.integers(1, 40))
def test_a_start_from_a_similar_matrix_leads_to_the_same_pairs(seed, n_start, n_pairs):
    rng = np.random.default_rng(seed)
    similar, matrix = graph(rng, 300, 2), graph(rng, 300, 3)
    _, start = settled_eigenpairs(similar.astype(np.float32), n_start)
    assert_leading(matrix, *leading(matrix, n_pairs, start))


def test_a_start_without_some_eigenvectors_misses_none():
    """Half of the thirty clusters have no part in the vectors that the search starts from."""
    matrix = graph(np.random.default_rng(0), 600, 30)
    _, block = settled_eigenpairs(matrix.astype(np.float32), 30)
    start = block.copy()
    start[300:] = 0
    values, vectors = leading(matrix, 30, start)
    assert_leading(matrix, values, vectors)
    assert (np.abs(values - 1) < 1e-3).all()


def test_too_many_vectors_are_left_to_a_dense_solver():
    assert settled_eigenpairs(graph(np.random.default_rng(0), 100).astype(np.float32), 30) is None


def test_eigenvalues_far_below_zero_are_left_to_a_dense_solver():
    matrix = graph(np.random.default_rng(0), 300).tolil()
    matrix[:100] = 0
    matrix[:, :100] = 0
    for i in range(0, 100, 2):
        matrix[i, i + 1] = matrix[i + 1, i] = 0.9
    assert settled_eigenpairs(matrix.tocsr().astype(np.float32), 20) is None


def test_landmarks_without_rows_have_no_part_in_any_vector():
    matrix = graph(np.random.default_rng(0), 300).tolil()
    matrix[::7] = 0
    matrix[:, ::7] = 0
    matrix = matrix.tocsr()
    values, vectors = leading(matrix, 10)
    assert_leading(matrix, values, vectors)
    np.testing.assert_allclose(vectors[::7], 0, atol=1e-5)


def gram_of(matrix):
    """The matrix by the whole-number sums of one triangle, as sweep A has them."""
    column, row = np.tril_indices(matrix.shape[0])
    sums = np.round(matrix.toarray()[row, column] * 2**40).astype(np.int64)
    cells = np.flatnonzero(sums)
    return SparseGram(matrix.shape[0], cells, sums[cells])


@pytest.mark.parametrize(("rounds", "n_dense"), [(filtered_subspace.MOST_ROUNDS, 1), (1, 2)])
def test_transfer_cut_spans_what_double_precision_spans(monkeypatch, rounds, n_dense):
    """Whether vectors settle in time or are left to the dense solver, as those of doubles are."""
    dense = []

    def noted(*arguments):
        dense.append(arguments)
        return leading_eigenpairs(*arguments)

    monkeypatch.setattr(filtered_subspace, "MOST_ROUNDS", rounds)
    monkeypatch.setattr(transfer_cut, "leading_eigenpairs", noted)
    matrix = graph(np.random.default_rng(1), 400, 3)
    gram = gram_of(matrix)
    single, double = (GraphOfCells.of(gram, dtype).cut(20) for dtype in (np.float32, np.float64))
    assert len(dense) == n_dense
    np.testing.assert_allclose(single.eigenvalues, double.eigenvalues, atol=1e-5)
    ours, theirs = (np.linalg.qr(cut.vectors.astype(np.float64))[0] for cut in (single, double))
    cosines = np.linalg.svd(ours.T @ theirs, compute_uv=False)
    np.testing.assert_allclose(cosines, 1, atol=1e-5)


@given(seed=seeds, degree=st.integers(1, 12), cut=st.floats(0.05, 0.95))
def test_the_filter_is_the_chebyshev_polynomial_that_is_one_at_one(seed, degree, cut):
    eigenvalues = np.random.default_rng(seed).uniform(0, 1, 30)
    places = np.arange(31, dtype=np.int32)
    products = filtered_subspace.Products(places, places[:-1], eigenvalues)
    filtered = products.apply(np.ones((30, 8)), filtered_subspace._filter_steps(cut, degree))
    polynomial = np.polynomial.Chebyshev.basis(degree, domain=[0, cut])
    np.testing.assert_allclose(
        filtered[:, 0], polynomial(eigenvalues) / polynomial(1), rtol=1e-8, atol=1e-12
    )


def test_a_basis_of_nearly_dependent_columns_is_orthonormal():
    block = np.random.default_rng(0).normal(size=(200, 8)).astype(np.float32)
    for noise in (1.0, 1e-3, 1e-6, 0.0):
        block[:, 7] = block[:, :7].sum(axis=1) + noise * block[:, 7]
        basis = filtered_subspace._orthonormal(block)
        np.testing.assert_allclose(basis.T @ basis, np.eye(8), atol=1e-5)
    basis = filtered_subspace._orthonormal(block * (np.arange(8) != 3))
    np.testing.assert_allclose(basis.T @ basis, np.eye(8), atol=1e-5)
