"""Data at the edge of what can be clustered, and every kind of container."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning, NotFittedError

import lsec
from lsec import USPEC, DnCSC
from lsec.metrics import adjusted_rand_index, purity
from tests.conftest import builder, make_blobs


def two_groups(n_rows, n_features, gap=50.0):
    """Rows of two groups, evenly filled and far apart, and the group of each."""
    rng = np.random.default_rng(n_features)
    group = np.arange(n_rows) % 2
    X = rng.uniform(-2, 2, size=(n_rows, n_features))
    X[:, 0] += gap * group
    return X, group


def assert_finds(labels, group):
    """The labels are the groups, up to names."""
    assert adjusted_rand_index(group, labels) == 1.0
    assert_array_equal(np.unique(labels), np.arange(len(np.unique(group))))


def scatter(X, labels):
    """Sum of the squared distances of rows to the mean of their cluster."""
    return sum(np.square(X[labels == c] - X[labels == c].mean(axis=0)).sum() for c in set(labels))


# As many clusters as rows, or one


@pytest.mark.parametrize("n_features", [1, 2, 20])
@pytest.mark.parametrize("n_rows", [2, 5, 30])
def test_every_row_its_own_cluster(build, n_rows, n_features):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = rng.permutation(n_rows)[:, None] + 0.3 * rng.random((n_rows, n_features))
        model = build(n_rows, random_state=seed).fit(X)
        assert_array_equal(np.sort(model.labels_), np.arange(n_rows))
        assert_array_equal(model.predict(X), model.labels_)


@pytest.mark.parametrize(("n_rows", "n_clusters"), [(3, 2), (6, 5), (40, 39), (40, 30), (200, 100)])
def test_nearly_every_row_its_own_cluster(build, n_rows, n_clusters):
    rng = np.random.default_rng(n_rows)
    X = rng.normal(size=(n_rows, 2))
    labels = build(n_clusters).fit(X).labels_
    assert_array_equal(np.unique(labels), np.arange(n_clusters))
    shuffled = np.mean([scatter(X, rng.permutation(labels)) for _ in range(20)])
    assert scatter(X, labels) < 0.2 * shuffled  # rows that share a cluster are close


def test_one_cluster_holds_every_row(build):
    X, _ = two_groups(500, 2)
    model = build(1).fit(X)
    assert_array_equal(model.labels_, np.zeros(500))
    assert_array_equal(model.predict(X), np.zeros(500))


def test_one_row_is_one_cluster(build):
    model = build(1).fit(np.array([[3.0, 4.0]]))
    assert_array_equal(model.labels_, [0])
    assert_array_equal(model.predict(np.array([[5.0, 6.0]])), [0])


# Rows that are equal


def test_equal_rows_get_equal_labels(build):
    distinct = np.random.default_rng(0).normal(size=(300, 3))
    X = np.repeat(distinct, 5, axis=0)
    labels = build(6).fit(X).labels_.reshape(300, 5)
    assert_array_equal(np.unique(labels), np.arange(6))
    assert_array_equal(labels, np.repeat(labels[:, :1], 5, axis=1))


@pytest.mark.parametrize("n_features", [2, 30])
def test_more_landmarks_than_distinct_rows(build_spectral, n_features):
    corners = np.random.default_rng(1).normal(size=(6, n_features)) * 20
    X = np.repeat(corners, 50, axis=0)
    model = build_spectral(6, n_landmarks=100).fit(X)
    assert_finds(model.labels_, np.repeat(np.arange(6), 50))
    assert_array_equal(model.predict(corners), model.labels_[::50])
    landmarks = model.landmarks_ if isinstance(model.landmarks_, list) else [model.landmarks_]
    for found in landmarks:
        assert len(found) == 6
        order, expected = np.lexsort(found.T), np.lexsort(corners.T)
        np.testing.assert_allclose(found[order], corners[expected], atol=1e-4)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_fewer_distinct_rows_than_clusters_are_saved_and_predicted(
    build_ensemble, metric, tmp_path
):
    corners = np.array([[1.0, 5], [9, 1], [5, 5]])
    X = np.repeat(corners, 30, axis=0) * (np.tile([1, 2], 45)[:, None] if metric == "cosine" else 1)
    with pytest.warns(ConvergenceWarning, match=r"only 3 distinct rows.* not n_clusters=5"):
        model = build_ensemble(5, metric=metric).fit(X)
    assert model.n_clusters_ == 3
    assert_array_equal(model.labels_, np.repeat([0, 1, 2], 30))
    model.save(tmp_path / "model.lsec")
    assert_array_equal(lsec.load(tmp_path / "model.lsec").predict(corners), [0, 1, 2])
    assert model.labels_at(1).max() == 0


def test_more_landmarks_than_rows(build_spectral):
    X, group = two_groups(60, 2)
    assert_finds(build_spectral(2, n_landmarks=5000).fit(X).labels_, group)


def test_all_rows_equal_are_one_cluster(build):
    X = np.full((200, 3), 7.5)
    assert_array_equal(build(1).fit(X).labels_, np.zeros(200))


def test_all_rows_equal_are_not_two_clusters(build):
    assert_does_not_find_two_clusters(build(2), np.full((200, 3), 7.5))


def assert_does_not_find_two_clusters(model, X):
    """Single spectral clusterings refuse; others warn and go on, as KMeans of scikit-learn."""
    if not isinstance(model, (DnCSC, USPEC)):
        with pytest.warns(ConvergenceWarning, match="n_clusters=2"):
            assert_array_equal(model.fit(X).labels_, np.zeros(X.shape[0]))
    else:
        with pytest.raises(ValueError, match="n_clusters=2"):
            model.fit(X)


def test_constant_columns_change_nothing(build):
    X, group = two_groups(1000, 3)
    expected = build(2).fit(X).labels_
    assert_finds(expected, group)
    wider = np.column_stack([X, np.full(1000, 3.0), np.zeros(1000)])
    assert_array_equal(build(2).fit(wider).labels_, expected)


# Values and types


@pytest.mark.parametrize("scale", [1e-200, 1e-30, 1e30, 1e200])
def test_huge_and_tiny_values(build, scale):
    X, group = two_groups(1000, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        model = build(2).fit(X * scale)
    assert_finds(model.labels_, group)
    assert_array_equal(model.predict(X * scale), model.labels_)
    points = getattr(model, "landmarks_", getattr(model, "cluster_centers_", []))
    for found in points if isinstance(points, list) else [points]:
        assert np.isfinite(found).all()
        assert 10 * scale < found[:, 0].max() <= X[:, 0].max() * scale * 1.001


def test_huge_values_in_float32(build):
    X, group = two_groups(1000, 2)
    assert_finds(build(2).fit((X * 1e36).astype(np.float32)).labels_, group)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int16, np.uint32, np.int64, np.float16])
def test_real_types_equal_float64(build, dtype):
    X, group = two_groups(1000, 3)
    X = np.clip(np.round(X) + 20, 0, 100).astype(dtype)
    model = build(2).fit(X)
    assert_finds(model.labels_, group)
    assert_array_equal(model.labels_, build(2).fit(X.astype(np.float64)).labels_)
    assert_array_equal(model.predict(X), model.labels_)


def test_bool_equals_float64(build):
    rng = np.random.default_rng(0)
    group = np.arange(1000) % 2
    X = rng.random((1000, 30)) < np.where(group[:, None] == np.arange(30) % 2, 0.95, 0.05)
    model = build(2).fit(X)
    assert adjusted_rand_index(group, model.labels_) > 0.98  # a few rows are all noise
    assert_array_equal(model.labels_, build(2).fit(X.astype(np.float64)).labels_)


def test_lists_equal_arrays(build):
    X, _ = two_groups(200, 2)
    assert_array_equal(build(2).fit(X.tolist()).labels_, build(2).fit(X).labels_)


@pytest.mark.parametrize("n_features", [1, 2, 15, 16, 17, 64, 65, 66, 200])
def test_any_number_of_features(build, n_features):
    X, group = two_groups(1000, n_features)
    model = build(2).fit(X)
    assert_finds(model.labels_, group)
    assert_array_equal(model.predict(X), model.labels_)


@pytest.mark.parametrize("n_features", [2, 30])
@pytest.mark.parametrize("far", [1e4, 1e6, 1e9, 1e12])
def test_a_single_far_outlier_does_not_blur_the_rest(build, n_features, far):
    X, group = two_groups(1000, n_features)
    X[17] = far
    rest = np.arange(1000) != 17
    labels = build(3).fit(X).labels_
    # Whatever becomes of the outlier, no cluster mixes the two groups.
    assert purity(group[rest], labels[rest]) == 1.0


# Containers


def test_sparse_with_empty_rows(build):
    rng = np.random.default_rng(0)
    X = np.zeros((900, 40))
    X[300:600, :10] = 9 + rng.integers(0, 2, (300, 10))
    X[600:, 20:30] = 9 + rng.integers(0, 2, (300, 10))
    rows = sparse.csr_matrix(X)
    group = np.repeat([0, 1, 2], 300)
    model = build(3).fit(rows)
    assert_finds(model.labels_, group)
    assert_array_equal(model.predict(rows), model.labels_)
    empty = sparse.csr_matrix((5, 40))
    assert_array_equal(model.predict(empty), np.repeat(model.labels_[0], 5))


def test_sparse_without_any_value_is_one_cluster(build):
    assert_array_equal(build(1).fit(sparse.csr_matrix((50, 4))).labels_, np.zeros(50))
    assert_does_not_find_two_clusters(build(2), sparse.csr_matrix((50, 4)))


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_equal_arrays(build, library):
    module = pytest.importorskip(library)
    X, group = two_groups(1000, 3)
    columns = {f"column {j}": X[:, j] for j in range(3)}
    frame = module.table(columns) if library == "pyarrow" else module.DataFrame(columns)
    model = build(2).fit(frame)
    assert_finds(model.labels_, group)
    assert_array_equal(model.labels_, build(2).fit(X).labels_)
    assert_array_equal(model.predict(frame), model.labels_)
    assert list(model.feature_names_in_) == list(columns)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_of_mixed_types_equal_arrays(build, library):
    module = pytest.importorskip(library)
    X, _ = two_groups(1000, 2)
    X[:, 1] = np.round(X[:, 1])
    columns = {"real": X[:, 0].astype(np.float32), "whole": X[:, 1].astype(np.int16)}
    frame = module.table(columns) if library == "pyarrow" else module.DataFrame(columns)
    expected = build(2).fit(X.astype(np.float32)).labels_
    assert_array_equal(build(2).fit(frame).labels_, expected)


@pytest.mark.parametrize("name", ["LSEC", "DnCSC", "LightKMeans"])
def test_a_fit_that_fails_leaves_no_model_behind(name, face):
    model = builder(name)(4).fit(face[:, :1])
    broken = face.copy()
    broken[-1, 0] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        model.fit(broken)
    with pytest.raises(NotFittedError):
        model.predict(face)
    assert not hasattr(model, "labels_")
    again = model.fit(face)
    assert_array_equal(again.labels_, builder(name)(4).fit(face).labels_)


def test_a_fit_with_another_generator_keeps_nothing_of_the_first(face):
    model = builder("EnsembleClustering")(4, generator="uspec").fit(face)
    assert len(model.landmarks_) == model.n_base
    model.set_params(generator="kmeans").fit(face)
    assert not hasattr(model, "landmarks_")
    assert not hasattr(model, "eigenvalues_")


def test_too_many_clusters_for_k_means_members_name_what_to_raise(face):
    model = builder("EnsembleClustering")(2000, n_base=1, base_clusters=(2, 3))
    advice = r"raise n_base \(now 1\) or base_clusters \(now \(2, 3\)\)"
    with pytest.raises(ValueError, match=advice):
        model.fit(face)


@pytest.mark.parametrize("size", [1e-310, 1e303])
def test_rows_of_extreme_size_are_refused(build, size):
    rows = make_blobs(300, 3)[0] * size
    with pytest.raises(ValueError, match="between 1e-300 and 1e300"):
        build(3).fit(rows)


@pytest.mark.parametrize("size", [1e-290, 1e290])
def test_rows_of_large_and_small_size_have_the_usual_labels_and_can_be_saved(build, size, tmp_path):
    rows = make_blobs(300, 3)[0]
    exact = 2.0 ** np.rint(np.log2(size))
    model = build(3).fit(rows * exact)
    assert_array_equal(model.labels_, build(3).fit(rows).labels_)
    model.save(tmp_path / "m.lsec")
    assert_array_equal(lsec.load(tmp_path / "m.lsec").predict(rows * exact), model.labels_)


def test_rows_far_beyond_those_of_the_fit_get_labels(build):
    rows = make_blobs(300, 3)[0]
    model = build(3).fit(rows)
    far = np.array([[1e30, 0, 0], [-1e300, 1e300, 0], [1.7e308, 1.7e308, -1.7e308]])
    labels = model.predict(np.concatenate([rows, far]))
    assert_array_equal(labels[:300], model.labels_)
    assert_array_equal(model.predict(far), labels[300:])
    assert labels.min() >= 0 and labels.max() < 3


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_largest_numbers_are_refused_or_work_without_warnings(dtype):
    rows = np.random.default_rng(0).choice([-1, 1, 0.5], (60, 3)).astype(dtype)
    rows *= np.finfo(dtype).max
    if dtype == np.float64:
        with pytest.raises(ValueError, match=r"differ by inf, .* Multiply X by a number"):
            lsec.LightKMeans(2, random_state=0).fit(rows)
    else:
        assert len(np.unique(lsec.LightKMeans(2, random_state=0).fit(rows).labels_)) == 2
