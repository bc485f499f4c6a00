"""The working frame: rows centered and scaled without losing digits."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from lsec.rows import frame as frame_module
from lsec.rows.dense import ColumnRows, DenseRows
from lsec.rows.frame import (
    Frame,
    Projection,
    _leading_directions,
    extremes,
    rows_of,
    unit_length,
    warn_of_islands,
)
from tests.inputs import seeds


@given(seed=seeds, n=st.integers(1, 3000), d=st.integers(1, 30), order=st.sampled_from("CF"))
def test_extremes_are_those_of_every_feature(seed, n, d, order):
    rows = np.asarray(np.random.default_rng(seed).normal(size=(n, d)), order=order)
    np.testing.assert_array_equal(extremes(rows), [rows.min(axis=0), rows.max(axis=0)])


def test_digits_of_rows_far_away_are_preserved():
    rng = np.random.default_rng(0)
    near = rng.integers(0, 1024, (50, 3)) / 1024
    expected = Frame.of(near).rows(near).columns
    far = near + 2.0**40
    np.testing.assert_array_equal(Frame.of(far).rows(far).columns, expected)
    small = near * 2.0**-100
    np.testing.assert_array_equal(Frame.of(small).rows(small).columns, expected)


def test_an_outlier_costs_the_other_rows_no_digits():
    rows = np.random.default_rng(0).normal(size=(500, 2))
    rows[7] = 1e12
    frame = Frame.of(rows)
    back = frame.original(frame.rows(rows).points(np.arange(500)))
    others = np.arange(500) != 7
    np.testing.assert_allclose(back[others], rows[others], atol=1e-6)


@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.float32, np.float64])
def test_points_go_back_to_the_units_of_the_data(dtype):
    raw = np.random.default_rng(0).integers(0, 200, (30, 4)).astype(dtype)
    frame = Frame.of(raw)
    points = frame.rows(raw).points(np.arange(30))
    np.testing.assert_allclose(frame.original(points), raw, atol=1e-4)


def test_the_kind_of_rows_follows_from_their_width():
    assert isinstance(rows_of(np.zeros((3, 4), np.float32)), ColumnRows)
    assert isinstance(rows_of(np.zeros((3, 5), np.float32)), DenseRows)


@pytest.mark.parametrize("scale", [0.1, 10.0])
def test_columns_of_two_values_are_warned_of_where_they_dominate(scale):
    rng = np.random.default_rng(0)
    one_hot = np.eye(6)[rng.integers(0, 6, 500)]
    rows = np.concatenate([rng.normal(size=(500, 2)), scale * one_hot], axis=1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_of_islands(rows)
    assert [("6 columns of two values" in str(one.message)) for one in caught] == [True] * (
        scale > 1
    )


@pytest.mark.parametrize("size", [1e-310, 1e-303, 1e303, 1.7e308])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
def test_values_at_the_ends_of_float64_are_refused(size, kind):
    rows = kind(np.random.default_rng(0).uniform(-1, 1, (50, 3)) * size)
    with pytest.raises(ValueError, match=r"not between 1e-300 and 1e300. Multiply X"):
        Frame.of(rows)


def test_rows_far_beyond_the_sample_keep_their_side():
    frame = Frame.of(np.array([[0.0, 0.0], [1.0, 2.0]]))
    far = np.array([[1.7e308, -1.7e308], [1e40, 0.0]])
    columns = frame.rows(far).columns
    np.testing.assert_array_equal(columns[:, 0], [2.0**50, -(2.0**50)])
    assert np.isfinite(np.square(columns)).all()
    scaled = (far[1] - [0.5, 1.0]) * frame.scale
    np.testing.assert_array_equal(columns[:, 1], np.minimum(scaled, 2.0**50).astype(np.float32))


@pytest.mark.parametrize("size", [1e-310, 1e-20, 1e300])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
def test_rows_of_any_length_have_unit_length(size, kind):
    rows = np.random.default_rng(0).uniform(0.1, 1, (20, 5))
    rows[3] = 0
    expected = rows / np.maximum(np.linalg.norm(rows, axis=1), 1e-9)[:, None]
    found = unit_length(kind(rows * size))
    found = found if isinstance(found, np.ndarray) else found.toarray()
    np.testing.assert_allclose(found, expected, atol=1e-12 if size > 1e-300 else 1e-2)


def test_principal_directions_are_those_of_the_whole_matrix(monkeypatch):
    rows = np.random.default_rng(0).normal(size=(500, 250)) * np.geomspace(1, 0.05, 250)
    empty = np.empty
    monkeypatch.setattr(np, "empty", lambda *shape, **kw: empty(*shape, **kw) * np.nan)
    variances, directions, total = _leading_directions(rows, 70, map)
    values, vectors = np.linalg.eigh(np.cov(rows.T, bias=True) * len(rows))
    np.testing.assert_allclose(variances, values[:-71:-1], rtol=1e-9)
    np.testing.assert_allclose(np.abs((directions * vectors[:, :-71:-1]).sum(axis=0)), 1, rtol=1e-6)
    assert total == pytest.approx(values.sum())


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
def test_lengths_of_the_largest_rows(kind):
    rows = np.array([[1.0, -1.0], [1.0, 0.0], [-0.5, 0.5]]) * np.finfo(np.float64).max
    found = unit_length(kind(rows))
    found = found.toarray() if sparse.issparse(found) else found
    root = np.sqrt(0.5)
    np.testing.assert_allclose(found, [[root, -root], [1, 0], [-root, root]])


def test_half_precision_in_a_frame_of_sparse_rows():
    rows = np.eye(3, dtype=np.float16) + np.float16(0.5)
    frame = Frame.of(sparse.csr_matrix(rows.astype(np.float32)))
    frame = replace(frame, basis=np.eye(3, dtype=np.float32))
    expected = frame.rows(rows.astype(np.float64)).points(np.arange(3))
    np.testing.assert_array_equal(frame.rows(rows).points(np.arange(3)), expected)


def sparse_rows(n, d, seed=0):
    """Random rows with a tenth of their values."""
    return sparse.random(n, d, 0.1, "csr", np.float64, np.random.default_rng(seed))


def test_projected_sparse_rows_keep_their_length_where_all_have_the_same():
    some = sparse_rows(300, 100)
    some.data[some.indptr[7] : some.indptr[8]] = 0
    rows = 3 * unit_length(some)
    frame = Frame.of(rows, Projection(8, 8))
    points = frame.rows(rows).points(slice(None))
    products = rows @ frame.basis.astype(np.float64) * frame.scale
    norms = np.linalg.norm(products, axis=1, keepdims=True)
    expected = 3 * frame.scale * products / np.where(norms > 0, norms, 1)
    np.testing.assert_allclose(points, expected, rtol=1e-5, atol=1e-7)
    far = 2 * rows[:5].toarray()  # other lengths are kept, too
    np.testing.assert_allclose(frame.rows(far).points(slice(None)), 2 * points[:5], rtol=1e-5)


def test_projected_sparse_rows_of_any_length_are_products():
    rows = sparse_rows(300, 100)
    frame = Frame.of(rows, Projection(8, 8))
    expected = rows @ frame.basis.astype(np.float64) * frame.scale
    np.testing.assert_allclose(frame.rows(rows).points(slice(None)), expected, atol=1e-6)


def test_rows_that_the_directions_do_not_hold_stay_zero():
    rows = unit_length(sparse_rows(300, 100))
    frame = Frame.of(rows, Projection(8, 8))
    basis = frame.basis.copy()
    basis[:50] = 0
    other = np.zeros((1, 100))
    other[0, :50] = 1
    points = replace(frame, basis=basis).rows(other).points(slice(None))
    np.testing.assert_array_equal(points, np.zeros((1, 8)))


def test_directions_are_those_of_two_rows_for_each_feature(monkeypatch):
    monkeypatch.setattr(frame_module, "SAMPLE_ROWS", 10)
    rows = sparse_rows(400, 100)
    basis = Frame.of(rows, Projection(8, 8)).basis
    for step, equal in ((1, False), (2, True), (4, False)):
        some = Frame.of(rows).rows(rows[::step])
        assert np.array_equal(Projection(8, 8).basis(some), basis) == equal


@pytest.mark.parametrize("n_signals", [70, 100])
def test_directions_as_weak_as_noise_are_left_out(n_signals):
    """Noise is the same in all directions, so that three quarters of the variance take most."""
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((4000, 300))
    rows[:, :n_signals] *= 2
    kept = Frame.of(rows, Projection(64, 128)).basis
    assert kept.shape[1] == n_signals
    assert np.square(kept[:n_signals]).sum() > 0.95 * n_signals
    assert Frame.of(rows[:, n_signals:], Projection(64, 128)).basis.shape[1] == 64
