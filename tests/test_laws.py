"""The laws of the library: what may not change the labels, and what `fit` may not touch."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.base import clone

from lsec.datasets import make_smiling_face
from lsec.metrics import adjusted_rand_index

DENSE = {"2-D": ("face", 4), "7-D": ("blobs7", 5), "40-D": ("blobs40", 5)}


@pytest.fixture(params=DENSE)
def dense(request):
    """Rows and their number of clusters: two and seven features (columns), 40 (products)."""
    fixture, n_clusters = DENSE[request.param]
    return request.getfixturevalue(fixture), n_clusters


@pytest.fixture(params=["2-D", "7-D"])
def low(request):
    """Rows with few features: every row is computed by itself, in any company."""
    fixture, n_clusters = DENSE[request.param]
    return request.getfixturevalue(fixture), n_clusters


@pytest.fixture(scope="module")
def words():
    """Sparse counts, 2,000 x 60: five topics with their own words, a few words of all."""
    rng = np.random.default_rng(3)
    topic = rng.integers(0, 5, 2000)
    rates = np.full((5, 60), 0.02)
    for t in range(5):
        rates[t, 12 * t : 12 * t + 12] = 0.8
    return sparse.csr_matrix(rng.poisson(rates[topic]).astype(np.float64))


def arrays_of(model):
    """All fitted arrays, by name."""
    found = {}
    for name, value in vars(model).items():
        if name.endswith("_") and isinstance(value, (np.ndarray, list)):
            for i, array in enumerate(value if isinstance(value, list) else [value]):
                found[f"{name}[{i}]"] = array
    return found


def assert_same_fit(model, other):
    """Every fitted array is equal, bit for bit."""
    arrays, others = arrays_of(model), arrays_of(other)
    assert arrays.keys() == others.keys()
    assert "labels_[0]" in arrays
    for name, array in arrays.items():
        assert_array_equal(array, others[name], err_msg=name, strict=True)


def assert_same_labels(model, other):
    """Labels and base labels are equal, bit for bit."""
    assert_array_equal(model.labels_, other.labels_, strict=True)
    if hasattr(model, "base_labels_"):
        assert_array_equal(model.base_labels_, other.base_labels_, strict=True)


# Same seed, same labels


@pytest.mark.parametrize("n_jobs", [2, 3])
def test_same_seed_same_fit_for_any_number_of_threads(build, dense, n_jobs, block_rows):
    block_rows(1024)  # three to five blocks
    X, k = dense
    assert_same_fit(build(k, n_jobs=1).fit(X), build(k, n_jobs=n_jobs).fit(X))


def test_same_seed_same_fit_for_any_number_of_threads_in_full_blocks(build):
    X, _ = make_smiling_face(140_000, random_state=0)
    one = build(4, n_jobs=1).fit(X)
    for n_jobs in (2, 3):
        assert_same_fit(one, build(4, n_jobs=n_jobs).fit(X))


def test_same_seed_same_fit_for_any_number_of_threads_sparse(build, words, block_rows):
    block_rows(1024)
    one = build(5, n_jobs=1).fit(words)
    for n_jobs in (2, 3):
        assert_same_fit(one, build(5, n_jobs=n_jobs).fit(words))


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


# Prediction


def test_predict_of_training_rows_equals_labels(build, dense, block_rows):
    X, k = dense
    model = build(k).fit(X)
    assert_array_equal(model.predict(X), model.labels_, strict=True)
    block_rows(1024)
    model = build(k).fit(X)
    assert_array_equal(model.predict(X), model.labels_)


def test_predict_of_sparse_training_rows_equals_labels(build, words):
    model = build(5).fit(words)
    assert_array_equal(model.predict(words), model.labels_, strict=True)


def test_predict_of_some_rows_equals_their_labels(build, low):
    X, k = low
    model = build(k).fit(X)
    some = np.random.default_rng(0).permutation(len(X))[:700]
    assert_array_equal(model.predict(X[some]), model.labels_[some])
    assert_array_equal(model.predict(X[some[:1]]), model.labels_[some[:1]])


def test_predict_does_not_depend_on_storage(build, low):
    X, k = low
    model = build(k).fit(X)
    assert_array_equal(model.predict(np.asfortranarray(X)), model.labels_)
    assert_array_equal(model.predict(X.astype(np.float32)), model.labels_)
    assert_array_equal(model.set_params(n_jobs=1).predict(X), model.labels_)


def test_predict_of_sparse_rows_after_dense_fit(build, dense):
    X, k = dense
    model = build(k).fit(X + 1)
    assert adjusted_rand_index(model.predict(sparse.csr_matrix(X + 1)), model.labels_) >= 0.99


def test_predict_of_dense_rows_after_sparse_fit(build, words):
    model = build(5).fit(words)
    assert adjusted_rand_index(model.predict(words.toarray()), model.labels_) >= 0.99


def test_predict_of_new_rows_follows_the_clusters(build_spectral, blobs7):
    model = build_spectral(5).fit(blobs7[::2])
    whole = build_spectral(5).fit(blobs7)
    assert adjusted_rand_index(model.predict(blobs7[1::2]), whole.labels_[1::2]) >= 0.99


def test_fit_predict_equals_labels(build, face):
    model = build(4)
    assert_array_equal(model.fit_predict(face), model.labels_)
    assert_array_equal(build(4).fit(face).labels_, model.labels_)


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


# Geometry


@pytest.mark.parametrize("shift", [1e6, -1e6, 2.0**30])
def test_translation_changes_no_label(build, dense, shift):
    X, k = dense
    assert_array_equal((X + shift) - shift, X)  # on the grid: the translation is exact
    model = build(k).fit(X)
    moved = build(k).fit(X + shift)
    assert_same_labels(model, moved)
    assert_array_equal(moved.predict(X + shift), model.labels_)


@pytest.mark.parametrize("power", [-100, -20, 1, 20, 100])
def test_scaling_by_a_power_of_two_changes_no_label(build, dense, power):
    X, k = dense
    assert_same_labels(build(k).fit(X), build(k).fit(X * 2.0**power))


@pytest.mark.parametrize("factor", [1e-6, 1e6])
def test_scaling_changes_labels_up_to_ties(build, dense, factor):
    X, k = dense
    labels = build(k).fit(X * factor).labels_
    assert adjusted_rand_index(build(k).fit(X).labels_, labels) >= 0.999


def test_permuting_columns_changes_labels_up_to_ties(build, dense):
    X, k = dense
    permuted = np.ascontiguousarray(X[:, ::-1])
    assert adjusted_rand_index(build(k).fit(X).labels_, build(k).fit(permuted).labels_) >= 0.99


# What a fit may not touch, and what it gives


def test_fit_changes_neither_rows_nor_parameters(build, dense):
    X, k = dense
    for rows in (X.copy(), np.asfortranarray(X)):
        rows.flags.writeable = False  # a write would raise
        model = build(k)
        before = {name: (value, repr(value)) for name, value in model.get_params().items()}
        model.fit(rows).predict(rows)
        assert_array_equal(rows, X)
        for name, value in model.get_params().items():
            assert value is before[name][0]
            assert repr(value) == before[name][1]


def test_fit_does_not_change_a_sparse_matrix(build, words):
    # Unsorted indices and a value stored in two halves: legal CSR that SciPy may tidy in place.
    data = np.concatenate([words.data[:1] / 2, words.data[:1] / 2, words.data[1:]])
    indices = np.concatenate([words.indices[:1], words.indices])
    indptr = np.concatenate([[0], words.indptr[1:] + 1])
    first = slice(0, indptr[1])
    data[first], indices[first] = data[first][::-1].copy(), indices[first][::-1].copy()
    X = sparse.csr_matrix((data, indices, indptr), shape=words.shape)
    parts = [part.copy() for part in (X.data, X.indices, X.indptr)]
    model = build(5).fit(X)
    for part, before in zip((X.data, X.indices, X.indptr), parts, strict=True):
        assert_array_equal(part, before)
    assert_same_fit(model, build(5).fit(words))


def test_fit_leaves_the_global_random_state_alone(build, face):
    before = np.random.get_state(legacy=False)  # noqa: NPY002
    build(4).fit(face).predict(face)
    after = np.random.get_state(legacy=False)  # noqa: NPY002
    assert_array_equal(before["state"]["key"], after["state"]["key"])
    assert before["state"]["pos"] == after["state"]["pos"]


@pytest.mark.parametrize("n_clusters", [2, 3, 9, 20])
def test_labels_are_0_to_k_minus_1_and_none_is_missing(build, face, n_clusters):
    labels = build(n_clusters).fit(face).labels_
    assert labels.dtype == np.int32
    assert_array_equal(np.unique(labels), np.arange(n_clusters))


def test_base_labels_lie_within_the_clusters_of_their_member(build_ensemble, face):
    model = build_ensemble(4).fit(face)
    n_base = model.n_base
    assert model.base_labels_.shape == (len(face), n_base)
    assert model.n_base_clusters_.shape == (n_base,)
    low, high = model.base_clusters
    assert ((model.n_base_clusters_ >= low) & (model.n_base_clusters_ <= high)).all()
    assert (model.base_labels_.max(axis=0) < model.n_base_clusters_).all()
    assert (model.base_labels_.max(axis=0) > 0).all()


def test_base_labels_have_the_smallest_type(build_ensemble, face):
    assert build_ensemble(4).fit(face).base_labels_.dtype == np.uint8
    many = build_ensemble(300, n_landmarks=500, base_clusters=(20, 300)).fit(face[:1000])
    assert many.n_base_clusters_.max() > 256
    assert many.base_labels_.dtype == np.uint16


def test_micro_clusters_are_the_distinct_rows_of_base_labels(build_ensemble, face):
    model = build_ensemble(4).fit(face)
    assert model.n_micro_clusters_ == len(np.unique(model.base_labels_, axis=0))
    assert model.n_micro_clusters_ > 15


def test_rows_with_equal_base_labels_have_equal_labels(build_ensemble, face):
    model = build_ensemble(4).fit(face)
    _, first, micro = np.unique(model.base_labels_, axis=0, return_index=True, return_inverse=True)
    assert_array_equal(model.labels_, model.labels_[first][micro.ravel()])


def test_members_that_agree_too_much_keep_the_promises_of_base_labels(build_ensemble, face):
    # One member of two clusters cannot tell eight apart: landmarks must help.
    model = build_ensemble(8, n_base=1, base_clusters=(2, 2), n_landmarks=300).fit(face)
    assert_array_equal(np.unique(model.labels_), np.arange(8))
    assert_array_equal(model.predict(face), model.labels_)
    assert model.base_labels_.shape == (len(face), 1)
    assert model.base_labels_.dtype == np.uint8
    assert model.n_micro_clusters_ == len(np.unique(model.base_labels_, axis=0))


def test_eigenvalues_descend_within_0_and_1(build_spectral, face):
    model = build_spectral(4).fit(face)
    single = isinstance(model.eigenvalues_, np.ndarray)
    for values in [model.eigenvalues_] if single else model.eigenvalues_:
        assert (np.diff(values) <= 0).all()
        assert values[0] == pytest.approx(1, abs=1e-6)  # the trivial one
        assert values[-1] >= 0


def test_landmarks_lie_among_the_rows(build_spectral, blobs7):
    shifted = blobs7 + 1e6
    model = build_spectral(5).fit(shifted)
    single = isinstance(model.landmarks_, np.ndarray)
    for landmarks in [model.landmarks_] if single else model.landmarks_:
        assert landmarks.shape == (100, 7)
        slack = 1e-3
        assert (landmarks >= shifted.min(axis=0) - slack).all()
        assert (landmarks <= shifted.max(axis=0) + slack).all()
        assert len(np.unique(landmarks, axis=0)) == 100
