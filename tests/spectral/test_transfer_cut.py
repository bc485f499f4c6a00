"""Transfer cut: eigenvectors of a bipartite graph from its small side (equation 5)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.linalg import eigh

from lsec.spectral.gram import SparseGram
from lsec.spectral.transfer_cut import (
    GraphOfCells,
    leading_eigenpairs,
    leading_eigenpairs_sparse,
    transfer_cut,
)
from tests import oracles
from tests.inputs import seeds


@given(seed=seeds, q=st.integers(2, 12))
def test_it_solves_the_normalized_cut_of_the_bipartite_graph(seed, q):
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
def test_cells_give_the_bits_of_the_matrix(seed, q):
    rng = np.random.default_rng(seed)
    matrix = rng.integers(0, 1000, (q, q)) * (rng.random((q, q)) < 0.3)
    matrix += matrix.T
    whole = transfer_cut(matrix.astype(float), q)
    unit = 2**30  # powers of four change no digit of a root
    triangle = matrix[np.tril_indices(q)] * unit
    cells = np.flatnonzero(triangle | (rng.random(len(triangle)) < 0.1))  # zeros do no harm
    cut = GraphOfCells.of(SparseGram(q, cells, triangle[cells]), np.float64).cut(q)
    np.testing.assert_array_equal(whole.eigenvalues, cut.eigenvalues)
    np.testing.assert_array_equal(whole.vectors, cut.vectors * np.sqrt(unit))


def test_unconnected_parts_are_separated():
    cross = np.kron(np.eye(3), np.ones((5, 4)))
    cut = transfer_cut(oracles.gram(cross), 3)
    embedded = oracles.embedding(cross, cut.vectors)
    inner = embedded @ embedded.T
    np.testing.assert_allclose(inner, np.kron(np.eye(3), np.ones((5, 5))), atol=1e-9)


def test_unused_columns_have_a_zero_vector():
    cross = np.array([[1.0, 0.5, 0], [0.2, 1, 0]])
    cut = transfer_cut(oracles.gram(cross), 2)
    assert (cut.vectors[2] == 0).all()
    assert np.isfinite(cut.vectors).all()


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


@pytest.mark.parametrize("n_pairs", [1, 7, 40])  # Lanczos, and more than half of all: dense
def test_leading_eigenpairs_of_a_sparse_matrix_equal_those_of_scipy(n_pairs):
    rng = np.random.default_rng(0)
    matrix = sparse.random(60, 60, 0.2, random_state=rng).toarray()
    matrix += matrix.T
    values, vectors = leading_eigenpairs_sparse(sparse.csr_matrix(matrix), n_pairs)
    expected = eigh(matrix, eigvals_only=True)[::-1][:n_pairs]
    np.testing.assert_allclose(values, expected, atol=1e-9)
    np.testing.assert_allclose(matrix @ vectors, vectors * values, atol=1e-9)
