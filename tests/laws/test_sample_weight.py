"""A row of weight w is w equal rows in its place, to the last bit."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from lsec import LSEC, EnsembleClustering
from tests.conftest import builder


@pytest.fixture(params=["LSEC", "EnsembleClustering"])
def build_weighted(request):
    """Makes each of the ensembles that take weights."""
    return builder(request.param)


def weights_of(X, most=3, seed=0):
    """Whole weights from 0 to `most`."""
    return np.random.default_rng(seed).integers(0, most + 1, X.shape[0])


def repeat(X, weights):
    """Every row as many times as its weight."""
    return X[np.repeat(np.arange(X.shape[0]), weights)]


def assert_equal_to_copies(weighted, copies, X, weights):
    """Both fits are equal to the last bit, and label all rows in the same way."""
    for name in ("labels_", "confidence_", "base_labels_", "probabilities_"):
        of_rows = np.repeat(getattr(weighted, name), weights, axis=0)
        assert_array_equal(of_rows, getattr(copies, name), err_msg=name, strict=True)
    micro, other = weighted.micro_clusters_, copies.micro_clusters_
    assert_array_equal(micro.labels, other.labels)
    assert_array_equal(micro.weights, other.weights)
    assert weighted.n_micro_clusters_ == copies.n_micro_clusters_
    for one, two in zip(
        getattr(weighted, "eigenvalues_", []), getattr(copies, "eigenvalues_", []), strict=True
    ):
        assert_array_equal(one, two)
    assert_array_equal(weighted.predict(X), copies.predict(X))


@pytest.mark.parametrize("seed", range(2))
def test_a_weight_equals_copies(build_weighted, dense, seed):
    X, k = dense
    weights = weights_of(X, seed=seed)
    assert (weights == 0).any()
    weighted = build_weighted(k, random_state=seed).fit(X, sample_weight=weights)
    copies = build_weighted(k, random_state=seed).fit(repeat(X, weights))
    assert_equal_to_copies(weighted, copies, X, weights)


def test_a_weight_equals_copies_of_sparse_rows(build_weighted, words):
    weights = weights_of(words)
    weighted = build_weighted(5).fit(words, sample_weight=weights)
    assert_equal_to_copies(weighted, build_weighted(5).fit(repeat(words, weights)), words, weights)


def test_a_weight_equals_copies_that_are_sampled(build_weighted, face, block_rows):
    """Landmarks and centers come from a sample of a twentieth of the copies."""
    block_rows(1024)
    weights = weights_of(face, most=200)
    small = {"n_landmarks": 50} if build_weighted(4).__class__ is LSEC else {}
    weighted = build_weighted(4, **small).fit(face, sample_weight=weights)
    copies = build_weighted(4, **small).fit(repeat(face, weights))
    assert_equal_to_copies(weighted, copies, face, weights)


def test_answers_of_the_consensus_count_weights(face):
    weights = weights_of(face, seed=4)
    settings = {"noise": 0.1, "min_cluster_size": 100, "consensus": "bipartite"}
    build = builder("LSEC")
    weighted = build(4, **settings).fit(face, sample_weight=weights)
    copies = build(4, **settings).fit(repeat(face, weights))
    assert_equal_to_copies(weighted, copies, face, weights)
    assert (copies.labels_ == -1).any()
    assert_array_equal(weighted.transform(face), copies.transform(face))


@pytest.mark.parametrize("weight", [1, 1.0])
def test_weights_of_one_change_nothing(build_weighted, dense, weight):
    X, k = dense
    weighted = build_weighted(k).fit(X, sample_weight=np.full(len(X), weight))
    assert_equal_to_copies(weighted, build_weighted(k).fit(X), X, np.ones(len(X), int))


def test_rows_without_weight_change_nothing_and_get_the_label_of_predict(build_weighted, face):
    far = np.vstack([face, face[:500] + np.array([3.0, 0.0])])
    weights = np.repeat([1, 0], [len(face), 500])
    weighted, without = build_weighted(4).fit(far, sample_weight=weights), build_weighted(4)
    assert_array_equal(weighted.labels_[: len(face)], without.fit(face).labels_)
    assert_array_equal(weighted.labels_, weighted.predict(far))
    assert_array_equal(weighted.labels_[len(face) :], without.predict(far[len(face) :]))
    assert len(weighted.confidence_) == len(far)
    k = weighted.n_clusters_
    assert_array_equal(weighted.labels_at(k), weighted.labels_)
    assert_array_equal(weighted.labels_at(k + 2), weighted.labels_at(k + 2, far))


def test_threads_memory_and_storage_change_nothing(build_weighted, face, block_rows, tmp_path):
    block_rows(1024)
    weights = weights_of(face, most=5)
    one = build_weighted(4, n_jobs=1).fit(face, sample_weight=weights)
    np.save(tmp_path / "rows.npy", face)
    shards = tmp_path / "shards"
    shards.mkdir()
    for low in range(0, len(face), 1700):
        np.save(shards / f"{low:05}.npy", face[low : low + 1700])
    for X in (face, tmp_path / "rows.npy", shards):
        model = build_weighted(4, n_jobs=3, memory_limit="200MiB").fit(X, sample_weight=weights)
        assert_array_equal(model.labels_, one.labels_)
        assert_array_equal(model.confidence_, one.confidence_)


def test_labels_go_to_files_and_interrupted_fits_go_on(face, tmp_path):
    weights, build = weights_of(face), builder("LSEC")
    labels = build(4).fit(face, sample_weight=weights).labels_
    for _ in range(2):
        model = build(4).fit(
            face,
            sample_weight=weights,
            labels_out=tmp_path / "labels.npy",
            checkpoint=tmp_path / "stages",
        )
        assert_array_equal(model.labels_, labels)
        assert_array_equal(np.load(tmp_path / "labels.npy"), labels)
    with pytest.raises(ValueError, match="keeps the stages of another fit"):
        build(4).fit(face, sample_weight=weights + 1, checkpoint=tmp_path / "stages")


def test_the_rows_of_the_user_stay_as_they_are(face):
    from lsec.sources import ArraySource

    source, weights = ArraySource(face), weights_of(face)
    before = weights.copy()
    LSEC(4, n_landmarks=100, random_state=0).fit(source, sample_weight=weights)
    assert source.weights is None
    assert_array_equal(weights, before)


@pytest.mark.parametrize(
    ("weights", "problem"),
    [
        (np.full(5000, 0.5), "whole numbers.*0.5 for row 0.*Multiply"),
        (np.full(5000, 2.0**31), r"less than 2\*\*33"),
        (np.zeros(5000), "must not be zero for all"),
        (np.ones(4), "shape"),
        (-np.ones(5000), "not negative"),
        (np.arange(5000) < 3, "n_samples=3 should be >= n_clusters=4"),
    ],
)
def test_weights_that_cannot_be_counted_are_refused(build_weighted, face, weights, problem):
    with pytest.raises(ValueError, match=problem):
        build_weighted(4).fit(face, sample_weight=weights)


def test_weights_are_refused_where_sums_are_not_exact(face):
    with pytest.raises(ValueError, match=r"sample_weight needs discretization='light'"):
        LSEC(4, discretization="kmeans").fit(face, sample_weight=np.ones(len(face)))
    with pytest.raises(ValueError, match=r"sample_weight needs generator='kmeans'.*'uspec'"):
        EnsembleClustering(4, generator="uspec").fit(face, sample_weight=np.ones(len(face)))


def test_weights_are_refused_on_dask(face):
    array = pytest.importorskip("dask.array")
    with pytest.raises(ValueError, match="not supported on Dask"):
        LSEC(4).fit(array.from_array(face), sample_weight=np.ones(len(face)))


def test_sparse_formats_take_weights(words):
    weights = weights_of(words)
    build = builder("LSEC")
    one = build(5).fit(words, sample_weight=weights)
    other = build(5).fit(sparse.coo_array(words), sample_weight=list(weights))
    assert_array_equal(one.labels_, other.labels_)
