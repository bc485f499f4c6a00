"""The same seed gives the same labels, for every block layout, storage and memory limit."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.base import clone

from lsec.datasets import make_smiling_face
from lsec.metrics import adjusted_rand_index
from tests.laws.same_fit import assert_same_fit, assert_same_labels


@pytest.mark.parametrize("rows", [1024, 2048])
def test_same_seed_same_labels_for_any_block_layout(build, low, rows, block_rows):
    X, k = low
    whole = build(k).fit(X)
    block_rows(rows)
    assert_same_labels(whole, build(k).fit(X))


@pytest.mark.parametrize("seed", range(3))
def test_same_seed_same_labels_for_any_block_layout_many_blocks(build, seed, block_rows):
    # More rows than the sample of 10p: DnCSC, USPEC and USENC refine their centers by
    # sums over the blocks, which must not depend on where the borders are.
    X, _ = make_smiling_face(30_000, random_state=seed, dtype=np.float64)
    whole = build(4, random_state=seed).fit(X)
    block_rows(1024)
    assert_same_labels(whole, build(4, random_state=seed).fit(X))


def test_same_seed_same_fit_from_memory_map(build, dense, tmp_path):
    X, k = dense
    model = build(k).fit(X)
    np.save(tmp_path / "rows.npy", X)
    assert_same_fit(model, build(k).fit(np.load(tmp_path / "rows.npy", mmap_mode="r")))
    raw = np.memmap(tmp_path / "rows.raw", X.dtype, "w+", shape=X.shape)
    raw[:] = X
    assert_same_fit(model, build(k).fit(raw))
    assert_array_equal(model.predict(raw), model.labels_)


def test_same_seed_same_fit_for_any_memory_order(build, dense):
    X = dense[0] + np.random.default_rng(0).random(dense[0].shape)  # off the grid: sums round
    model = build(dense[1]).fit(X)
    assert_same_fit(model, build(dense[1]).fit(np.asfortranarray(X)))
    assert_same_fit(model, build(dense[1]).fit(np.repeat(X, 2, axis=1)[:, ::2]))
    assert_same_fit(model, build(dense[1]).fit(X[::-1].copy()[::-1]))


def test_same_seed_same_fit_for_float32_and_float64_of_the_same_values(build, dense):
    X, k = dense  # multiples of 2**-10 below 2**13: exact in float32
    assert_array_equal(X.astype(np.float32), X)
    assert_same_fit(build(k).fit(X), build(k).fit(X.astype(np.float32)))


def test_sparse_and_dense_rows_give_the_same_partition(build, dense):
    X, k = dense
    rows = sparse.csr_matrix(X)  # not centered, hence only nearly the same numbers
    expected = build(k).fit(X).labels_
    assert adjusted_rand_index(expected, build(k).fit(rows).labels_) >= 0.99


@pytest.mark.parametrize("convert", [sparse.csc_matrix, sparse.coo_matrix, sparse.csr_array])
def test_sparse_formats_give_the_same_fit(build, words, convert):
    assert_same_fit(build(5).fit(words), build(5).fit(convert(words)))


@pytest.mark.parametrize("seed", range(2))
def test_memory_limit_changes_nothing(build_spectral, dense, seed):
    # 1 MiB: tables of neighbors do not fit (they need up to 2 MB) and are recomputed, and
    # with 400 kB of sums per set of LSEC, 80 kB of USENC, not all sets are swept at once.
    X, k = dense
    model = build_spectral(k, random_state=seed, n_jobs=2).fit(X)
    tight = build_spectral(k, random_state=seed, n_jobs=2, memory_limit="1MiB").fit(X)
    assert_same_fit(model, tight)
    tightest = build_spectral(k, random_state=seed, n_jobs=2, memory_limit=1).fit(X)
    assert_same_fit(model, tightest)
    assert_array_equal(tight.predict(X), model.labels_)


def test_seed_as_number_or_random_state_gives_the_same_fit(build, face):
    model = build(4, random_state=11).fit(face)
    assert_same_fit(model, build(4, random_state=np.random.RandomState(11)).fit(face))


def test_different_seeds_differ(build):
    noise = np.random.default_rng(0).random((3000, 2))  # no clusters: the seed decides
    labels = [build(8, random_state=seed).fit(noise).labels_ for seed in (0, 1)]
    assert adjusted_rand_index(*labels) < 0.95
    total = np.square(noise - noise.mean(axis=0)).sum()
    for found in labels:  # but both cut the square into eight pieces
        clusters = [noise[found == c] for c in range(8)]
        within = sum(np.square(rows - rows.mean(axis=0)).sum() for rows in clusters)
        assert within < 0.25 * total


def test_clone_and_pickle_keep_what_a_model_does(build, face):
    model = build(4).fit(face)
    copy = pickle.loads(pickle.dumps(model))
    assert_same_fit(model, copy)
    assert_array_equal(copy.predict(face), model.labels_)
    again = clone(model)
    assert again.get_params() == model.get_params()
    assert not hasattr(again, "labels_")
    assert_same_fit(model, again.fit(face))


def test_refit_forgets_the_past(build, face, blobs7):
    fresh = build(4).fit(face)
    model = build(4).fit(face)
    assert_same_fit(fresh, model.fit(face))
    assert_same_fit(fresh, model.fit(blobs7).fit(face))
    assert_array_equal(model.predict(face), fresh.labels_)
