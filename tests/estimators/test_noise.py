"""Noise and minimum sizes of clusters: what becomes of the labels, here and after `load`."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import lsec
from tests.conftest import builder, make_blobs

build = builder("LSEC")


@pytest.fixture(scope="module")
def touching():
    """2,000 rows whose five clusters touch."""
    return make_blobs(2000, 3, spread=1.5)[0]


def test_without_noise_labels_are_those_of_the_clusters(touching):
    plain, none = build(5).fit(touching), build(5, noise=0.0).fit(touching)
    assert_array_equal(none.labels_, plain.labels_)
    assert_array_equal(plain.probabilities_, plain.confidence_)


@pytest.mark.parametrize("share", [0.05, 0.3])
def test_a_share_of_the_rows_is_noise_the_least_sure_ones(touching, share):
    plain, model = build(5).fit(touching), build(5, noise=share).fit(touching)
    is_noise = model.labels_ == -1
    assert share - 0.02 < is_noise.mean() <= share
    assert_array_equal(model.labels_[~is_noise], plain.labels_[~is_noise])
    assert_array_equal(model.confidence_, plain.confidence_)
    assert plain.confidence_[is_noise].max() <= plain.confidence_[~is_noise].min()
    assert (model.probabilities_[is_noise] == 0).all()
    assert_array_equal(model.probabilities_[~is_noise], plain.confidence_[~is_noise])


def test_rows_below_a_confidence_are_noise_and_every_cluster_keeps_some(touching):
    plain = build(5).fit(touching)
    least = float(np.median(plain.confidence_))
    model = build(5, noise=("confidence", least)).fit(touching)
    sure = plain.confidence_ >= least
    assert_array_equal(model.labels_[sure], plain.labels_[sure])
    unsure = build(5, noise=("confidence", 0.9999)).fit(touching)
    assert_array_equal(np.unique(unsure.labels_), np.arange(-1, 5))


@pytest.mark.parametrize("consensus", ["linkage", "bipartite"])
def test_noise_is_noise_in_every_place(touching, tmp_path, consensus):
    model = build(5, noise=0.1, consensus=consensus, n_jobs=1).fit(touching)
    assert (model.labels_ == -1).any()
    assert_array_equal(model.predict(touching), model.labels_, strict=True)
    assert_array_equal(model.labels_at(5), model.labels_, strict=True)
    assert_array_equal(model.labels_at(3, touching), model.labels_at(3), strict=True)
    assert_array_equal(model.labels_at(3) == -1, model.labels_ == -1)
    assert_array_equal(model.consensus_.predict(model.base_labels_), model.labels_)
    model.save(tmp_path / "m.lsec")
    loaded = lsec.load(tmp_path / "m.lsec")
    assert_array_equal(loaded.predict(touching), model.labels_, strict=True)
    soft = model.transform(touching)
    known = model.labels_ >= 0
    assert_array_equal(soft.argmax(axis=1)[known], model.labels_[known])
    np.save(tmp_path / "x.npy", touching)
    threads = build(5, noise=0.1, consensus=consensus, n_jobs=2)
    threads.fit(tmp_path / "x.npy", labels_out=tmp_path / "labels.npy")
    assert_array_equal(threads.labels_, model.labels_)


def test_noise_falls_on_far_rows_and_new_ones():
    rng = np.random.default_rng(0)
    blobs = np.concatenate([rng.normal(c, 0.3, (1000, 2)) for c in (0, 5)])
    between = np.column_stack([np.linspace(2.3, 2.7, 20), np.linspace(2.3, 2.7, 20)])
    rows = np.concatenate([blobs, between])
    model = lsec.LSEC(2, noise=0.05, n_landmarks=150, random_state=0).fit(rows)
    assert (model.labels_[:2000] == -1).mean() <= 0.05
    assert (model.labels_[2000:] == -1).mean() > (model.labels_[:2000] == -1).mean()


@pytest.mark.parametrize("wrong", [1.0, -0.1, "0.1", ("share", 0.1), ("confidence", 1), True])
def test_a_wrong_noise_is_refused(wrong, face):
    with pytest.raises(ValueError, match=r"noise must be None, a share.*\('confidence', 0\.5\)"):
        build(3, noise=wrong).fit(face)


# Minimum size


@pytest.fixture(scope="module")
def unequal():
    """Three clusters of 1,000 rows and two of ten, all far apart."""
    rng = np.random.default_rng(0)
    sizes = (1000, 1000, 1000, 10, 10)
    centers = np.array([[0, 0], [20, 0], [0, 20], [40, 40], [-40, 30]])
    rows = np.repeat(centers, sizes, axis=0) + rng.normal(size=(sum(sizes), 2))
    return rows, np.repeat(np.arange(5), sizes)


@pytest.mark.parametrize("consensus", ["linkage", "bipartite", "eac"])
def test_small_clusters_join_others(unequal, consensus):
    rows, kinds = unequal
    settings = {"consensus": consensus, "n_landmarks": 300}
    model = build(3, min_cluster_size=50, **settings).fit(rows)
    assert np.bincount(model.labels_).min() >= 50
    assert model.n_clusters_ == len(np.unique(model.labels_)) <= 3
    assert_array_equal(model.predict(rows), model.labels_, strict=True)
    assert_array_equal(model.labels_at(model.n_clusters_), model.labels_)
    if model.n_clusters_ == 3:
        assert lsec.metrics.purity(kinds[:3000], model.labels_[:3000]) > 0.99


def test_clusters_that_are_large_enough_stay_as_they_are(face, tmp_path):
    plain = build(4).fit(face)
    least = int(np.bincount(plain.labels_).min())
    same = build(4, min_cluster_size=least).fit(face)
    assert_array_equal(same.labels_, plain.labels_)
    larger = build(4, min_cluster_size=least + 1).fit(face)
    assert np.bincount(larger.labels_).min() > least
    larger.save(tmp_path / "m.lsec")
    assert_array_equal(lsec.load(tmp_path / "m.lsec").predict(face), larger.labels_)
    chosen = build("auto", min_cluster_size=least + 1, noise=0.1).fit(face)
    chosen.save(tmp_path / "m.lsec")
    assert_array_equal(lsec.load(tmp_path / "m.lsec").predict(face), chosen.labels_)
    with pytest.raises(ValueError, match="noise=None is not that of the fit"):
        chosen.set_params(noise=None).save(tmp_path / "m.lsec")


def test_a_minimum_beyond_all_rows_leaves_one_cluster(face):
    model = build(4, min_cluster_size=10**6).fit(face)
    assert model.n_clusters_ == 1 and not model.labels_.any()
