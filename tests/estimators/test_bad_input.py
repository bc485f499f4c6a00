"""Bad input gets one clear message: what was wrong, the value seen, what to do."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from lsec import LSEC, USENC, USPEC, DnCSC, EnsembleClustering, LightKMeans

ALL = (LSEC, DnCSC, USPEC, USENC, EnsembleClustering, LightKMeans)
SPECTRAL = (LSEC, DnCSC, USPEC, USENC)
ENSEMBLES = (LSEC, USENC, EnsembleClustering)
JOINED = (LSEC, EnsembleClustering)


@pytest.fixture(scope="module")
def X():
    return np.random.default_rng(0).normal(size=(300, 3))


def complaint(model, X):
    """The message of the error that `fit` raises."""
    with pytest.raises((ValueError, TypeError, FileNotFoundError)) as caught:
        model.fit(X)
    return str(caught.value)


# Messages


LONG = "x" * 5000


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (np.arange(900.0), "Reshape your data"),
        (np.ones((400, 2)) + 1j, "Complex data not supported: X has the type complex128"),
        (sparse.csr_matrix(np.ones((400, 2)) + 1j), "Complex data not supported: X has the type"),
        (np.array([[LONG, 1]] * 9, dtype=object), "could not convert string to float"),
        (pd.DataFrame({LONG: [LONG] * 9}), "Convert it to numbers, or leave it out"),
        (set(range(5000)), "Expected 2D array"),
    ],
)
def test_messages_do_not_quote_all_rows(bad, words):
    message = complaint(LightKMeans(3), bad)
    assert words in message
    assert len(message) <= 300


@pytest.mark.parametrize(
    "parameters",
    [
        {"n_clusters": np.arange(900)},
        {"n_landmarks": LONG},
        {"base_clusters": range(5000)},
        {"n_neighbors": list(range(5000))},
        {"random_state": LONG},
        {"memory_limit": LONG},
        {"consensus": LONG},
        {"consensus_options": {LONG: 1}},
        {"categorical_features": [LONG]},
    ],
)
def test_messages_do_not_quote_long_parameters(parameters, X):
    message = complaint(LSEC(**{"n_clusters": 3, **parameters}), X)
    assert next(iter(parameters)) in message or LONG[:9] in message
    assert len(message) <= 300


# Parameters: name, value seen, allowed values

A_WHOLE_NUMBER = [0, -3, 2.0, 2.5, "3", None, True, np.nan, (2,)]
WRONG = [
    # estimators, parameter, bad values, what the message must say is allowed
    (ALL, "n_clusters", A_WHOLE_NUMBER, "integer at least 1"),
    (
        (*SPECTRAL, EnsembleClustering),
        "n_landmarks",
        [*A_WHOLE_NUMBER, 1, 16385],
        "integer between 2 and 16384",
    ),
    (
        (*SPECTRAL, EnsembleClustering),
        "projection",
        [*[value for value in A_WHOLE_NUMBER if value is not None], "pca"],
        "an integer at least 1 or 'auto' or None",
    ),
    (
        (*SPECTRAL, EnsembleClustering),
        "metric",
        ["manhattan", "Cosine", None, 1],
        "'euclidean', 'cosine'",
    ),
    (ENSEMBLES, "n_base", A_WHOLE_NUMBER, "integer at least 1"),
    (
        (DnCSC, USPEC, USENC, EnsembleClustering),
        "n_neighbors",
        [*A_WHOLE_NUMBER, 101],
        "integer between 1 and 100",
    ),
    ((LSEC, DnCSC), "alpha", [*A_WHOLE_NUMBER, 1], "integer at least 2"),
    (SPECTRAL, "kernel", ["Gaussian", "rbf", "", None, 1, ["gaussian"]], "'gaussian', 'quartic'"),
    ((LSEC,), "discretization", ["lite", None, True], "'light', 'kmeans'"),
    ((LSEC,), "reuse_neighbors", ["yes", None, 0, 1.0], "True or False"),
    (JOINED, "consensus", ["majority", None, 3], "'bipartite'"),
    (JOINED, "consensus_options", ["theta", 3, [("theta", 1)]], "None or a dictionary"),
    (JOINED, "min_cluster_size", A_WHOLE_NUMBER, "integer at least 1"),
    (JOINED, "noise", [-0.1, 1, 1.5, "0.1", np.nan, True, ("share", 0.1), ("confidence", 2)], ""),
    ((LSEC,), "categorical_features", [0, 2.5, "dtype", True], "None, 'from_dtype' or a list"),
    (
        (LSEC,),
        "categorical_weight",
        [*A_WHOLE_NUMBER, 101],
        "integer between 1 and 100 or 'auto'",
    ),
    ((LSEC,), "scale_numeric", ["yes", None, 0, 1.0], "True or False"),
    ((EnsembleClustering,), "generator", ["lsec", None, 3], "'kmeans', 'dncsc', 'uspec'"),
    (
        (*SPECTRAL, EnsembleClustering),
        "device",
        ["tpu", None, 0, "cuda:", "cuda:-1", "CUDA"],
        "'cpu', 'cuda', 'auto'",
    ),
    (
        ENSEMBLES,
        "base_clusters",
        [30, None, "20-60", (20,), (20, 30, 60), (60, 20), (1, 5), (2.5, 5), (5, "9"), ()],
        "base_clusters",
    ),
    ((LSEC,), "n_neighbors", [0, -1, 2.5, None, (), (2, 2), (3, 2), (0, 1), (2, 2.5)], ""),
    ((LSEC,), "n_neighbors", ["25", (2, "3"), 101, (5, 101)], "integer between 1 and 100"),
    (ALL, "n_jobs", [0, 1.5, "all", True, (2,)], "None (all cores), a positive number"),
    (ALL, "verbose", ["loud", None, -1, 1.5], "verbose must be"),
    (
        (*SPECTRAL, EnsembleClustering),
        "memory_limit",
        ["much", "", "1 elephant", "1.2.3GiB", "-1GiB", 0, -5, np.nan, np.inf, True, [1]],
        "a positive number of bytes or a string such as '512MiB'",
    ),
    ((LightKMeans,), "init", ["kmeans++", None, "first"], "'k-means++', 'random'"),
    ((LightKMeans,), "sample_size", [*A_WHOLE_NUMBER, 7], "integer at least 8"),
    ((LightKMeans,), "n_init", [*A_WHOLE_NUMBER, "auto"], "integer at least 1"),
    ((LightKMeans,), "max_iter", A_WHOLE_NUMBER, "integer at least 1"),
    (ALL, "random_state", ["seed", 1.5, -1, (1, "a")], "None, an integer from 0"),
]


@pytest.mark.parametrize(
    ("estimator", "name", "value", "allowed"),
    [
        pytest.param(estimator, name, value, allowed, id=f"{estimator.__name__}-{name}-{value!r}")
        for estimators, name, values, allowed in WRONG
        for estimator in estimators
        for value in values
    ],
)
def test_wrong_parameter(X, estimator, name, value, allowed):
    parameters = {name: value}
    message = complaint(estimator(**parameters), X)
    assert name in message
    assert allowed in message
    # The value itself, or the part of the tuple that is wrong.
    parts = [value, *value] if isinstance(value, (tuple, list, str)) else [value]
    assert any(repr(part) in message for part in parts)


def test_every_parameter_is_tested():
    tested = {(estimator, name) for estimators, name, _, _ in WRONG for estimator in estimators}
    for estimator in ALL:
        for name in estimator().get_params():
            assert (estimator, name) in tested, f"{estimator.__name__}: {name}"


def test_unknown_parameter():
    for estimator in ALL:
        with pytest.raises(TypeError, match="landmark_count"):
            estimator(landmark_count=3)
        with pytest.raises(ValueError, match="landmark_count"):
            estimator().set_params(landmark_count=3)


def test_parameters_are_checked_before_rows(build_spectral):
    # One message, the first cause: an estimator that cannot work says so for any rows.
    for name, value in [("kernel", "rbf"), ("n_jobs", 0)]:
        message = complaint(build_spectral(2, **{name: value}), np.zeros((0, 2)))
        assert name in message


# Rows

NOT_FINITE = [(np.nan, "NaN"), (np.inf, "inf"), (-np.inf, "inf")]


@pytest.mark.parametrize(("value", "word"), NOT_FINITE)
def test_nan_and_infinity(build, X, value, word):
    bad = X.copy()
    bad[123, 1] = value
    assert re.search(word, complaint(build(2), bad), re.IGNORECASE)
    model = build(2).fit(X)
    with pytest.raises(ValueError, match="(?i)" + word):
        model.predict(bad)
    rows = sparse.csr_matrix(bad)
    assert re.search(word, complaint(build(2), rows), re.IGNORECASE)


def mapped(path, rows):
    """The rows as a memory map of a file."""
    np.save(path, rows)
    return np.load(path, mmap_mode="r")


@pytest.mark.parametrize(("value", "word"), NOT_FINITE)
def test_nan_in_a_late_block_of_a_memory_map_is_named(build, tmp_path, value, word, block_rows):
    block_rows(1024)
    rows = np.random.default_rng(0).normal(size=(9000, 3))
    good = mapped(tmp_path / "good.npy", rows)
    rows[8765, 2] = value
    bad = mapped(tmp_path / "bad.npy", rows)
    named = r"row 8765, column 2 is .*" + word
    assert re.search(named, complaint(build(2), bad), re.IGNORECASE)
    model = build(2).fit(good)
    with pytest.raises(ValueError, match="(?i)" + named):
        model.predict(bad)


def test_nan_in_a_memory_map_larger_than_the_sample_is_named(build_spectral, tmp_path, block_rows):
    # Landmarks come from a sample of 500 rows each; a row that happens to be in the sample
    # must still be named by its place in X.
    block_rows(1024)
    rows = np.random.default_rng(0).normal(size=(9000, 2))
    rows[8000:8500, 1] = np.nan
    bad = mapped(tmp_path / "bad.npy", rows)
    message = complaint(build_spectral(2, n_landmarks=10), bad)
    row = int(re.search(r"row (\d+), column 1 is nan", message)[1])
    assert np.isnan(rows[row, 1])


def test_nan_in_a_sampled_row_is_named_by_light_k_means(tmp_path):
    rows = np.random.default_rng(0).normal(size=(3000, 2))
    rows[2000:, 0] = np.nan
    bad = mapped(tmp_path / "bad.npy", rows)
    message = complaint(LightKMeans(2, sample_size=1000, random_state=0), bad)
    row = int(re.search(r"row (\d+), column 0 is nan", message)[1])
    assert row >= 2000


def test_no_rows(build):
    message = complaint(build(2), np.empty((0, 3)))
    assert "0 sample(s)" in message
    assert "minimum of 1" in message


def test_no_features(build):
    message = complaint(build(2), np.empty((30, 0)))
    assert "0 feature(s)" in message
    assert "minimum of 1" in message


def test_one_dimensional_rows(build, X):
    message = complaint(build(2), X[:, 0])
    assert "1D array" in message
    assert "reshape" in message
    model = build(2).fit(X)
    with pytest.raises(ValueError, match="reshape"):
        model.predict(X[0])


def test_three_dimensional_rows(build, X):
    assert "dim 3" in complaint(build(2), X[None])


@pytest.mark.parametrize(("n_rows", "n_clusters"), [(1, 2), (5, 6), (30, 300)])
def test_more_clusters_than_rows(build, X, n_rows, n_clusters):
    message = complaint(build(n_clusters), X[:n_rows])
    assert f"n_samples={n_rows}" in message
    assert f"n_clusters={n_clusters}" in message
    assert "at most" in message


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("n_features", [2, 30])
def test_more_clusters_than_distinct_rows(build, container, n_features):
    distinct = np.random.default_rng(1).normal(size=(4, n_features)) * 10
    model, rows = build(5), container(np.repeat(distinct, 50, axis=0))
    if isinstance(model, (LightKMeans, *ENSEMBLES)):  # as KMeans of scikit-learn, they go on
        with pytest.warns(ConvergenceWarning) as warned:
            labels = model.fit(rows).labels_
        assert np.array_equal(pd.factorize(labels)[0], np.repeat(np.arange(4), 50))
        message = str(warned[0].message)
    else:
        message = complaint(model, rows)
    assert "only 4" in message
    assert "n_clusters=5" in message
    assert "Lower n_clusters" in message


@pytest.mark.parametrize("estimator", [DnCSC, USPEC])
def test_fewer_landmarks_than_clusters(X, estimator):
    # Landmarks, not rows, are too few: that is what must be changed.
    message = complaint(estimator(60, n_landmarks=20, random_state=0), X)
    assert "n_clusters=60" in message
    assert re.search(r"n_landmarks\b.*\b20\b", message)


def test_wrong_number_of_features_in_predict(build, X):
    model = build(2).fit(X)
    for rows in (X[:, :2], sparse.csr_matrix(X[:, :2])):
        with pytest.raises(ValueError, match=r"2 features.*expecting 3 features"):
            model.predict(rows)


def test_no_rows_in_predict(build, X):
    with pytest.raises(ValueError, match="minimum of 1"):
        build(2).fit(X).predict(X[:0])


def test_wrong_column_names_in_predict(build, X):
    pandas = pytest.importorskip("pandas")
    model = build(2).fit(pandas.DataFrame(X, columns=["a", "b", "c"]))
    with pytest.raises(ValueError, match="feature names"):
        model.predict(pandas.DataFrame(X, columns=["a", "b", "d"]))


@pytest.mark.parametrize("kind", ["words", "complex", "objects", "nothing", "a number", "a name"])
def test_rows_that_are_no_numbers(build, X, kind):
    rows, said = {
        "words": (np.full(X.shape, "high"), "high|string|numeric"),
        "complex": (X + 1j, "Complex"),
        "objects": (np.full(X.shape, {}, dtype=object), "dict"),
        "nothing": (None, "NoneType|None"),
        "a number": (3.5, "scalar"),
        "a name": ("no-such-file.npy", "No such file or folder.*no-such-file"),
    }[kind]
    assert re.search(said, complaint(build(2), rows))


def test_predict_before_fit(build, X):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        build(2).predict(X)


def test_a_failed_fit_fits_nothing(build, X):
    model = build(400)
    complaint(model, X)
    with pytest.raises(NotFittedError):
        model.predict(X)
    model = build(5)
    complaint(model, np.where(np.arange(300) == 299, np.nan, 1.0)[:, None] * X)
    with pytest.raises(NotFittedError):
        model.predict(X)
