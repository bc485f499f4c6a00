"""k-means on label rows: the nearest prototypes and the counts equal their plain counterparts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from lsec import MicroClusters
from lsec.consensus import label_kmeans
from lsec.consensus.label_kmeans import Distances
from lsec.consensus.methods import Tasks
from lsec.consensus.methods.kcc import KCC, Centroids
from lsec.consensus.methods.sec import SEC, ScaledRows
from lsec.consensus.micro_clusters import cluster_counts
from lsec.execution.threads import Lent, Workers
from lsec.kernels.prototypes import LANES, count_moves
from tests.consensus.ensembles import random_ensemble, seeds, serial, small_ensemble, some_missing

UTILITIES = [("category", 2), ("entropy", 2), ("cosine", 2), ("power", 5), ("power", 8)]


def random_micro_clusters(rng, m, missing=0.2):
    return MicroClusters.from_labels(random_ensemble(rng, 150, m, noise=0.5, missing=missing)[1])


@pytest.mark.parametrize("whole", [False, True], ids=["any numbers", "many ties"])
@given(seed=seeds, m=st.integers(1, 11), k=st.integers(1, 2 * LANES + 1))
def test_nearest_prototype_is_the_first_with_the_least_distance(tasks, whole, seed, m, k):
    rng = np.random.default_rng(seed)
    micro = random_micro_clusters(rng, m)
    n = len(micro)
    parts = rng.normal(size=(micro.n_base_clusters, k)), rng.normal(size=k), rng.normal(size=n)
    if whole:
        parts = tuple(np.rint(part) for part in parts)
    scale = rng.choice([-2.0, -1.0, 0.5, 1.0], n)
    distances = Distances(*parts, scale)
    assert_array_equal(distances.nearest(micro, tasks.map), distances.matrix(micro).argmin(axis=1))


def test_distances_are_added_up_from_the_table():
    micro = MicroClusters.from_labels([[0, 0, 1], [0, 1, -1]])
    table = np.array([[1.0, 2], [10, 20], [100, 200], [1000, 2000]])
    offsets, shift, scale = np.array([0.5, 0]), np.array([7.0, 8, 9]), np.array([1.0, 2, -1])
    found = Distances(table, offsets, shift, scale).matrix(micro)
    assert_array_equal(found, [[108.5, 209], [509, 1009], [-0.5, -11]])


@given(seed=seeds, m=st.integers(1, 9), k=st.integers(1, 5))
def test_moves_change_counts_into_those_of_the_new_labels(seed, m, k):
    rng = np.random.default_rng(seed)
    micro = random_micro_clusters(rng, m)
    before, after = rng.integers(-1, k, (2, len(micro))).astype(np.int32)
    counts = np.zeros((micro.n_base_clusters + 1, k))
    counts[:-1] = cluster_counts(micro, before, k)
    count_moves(micro.base_clusters, micro.weights, before, after, counts)
    inside = (after[:, None] == np.arange(k)) * micro.weights[:, None]
    assert_array_equal(counts[:-1], micro.indicator.toarray().T @ inside)


@pytest.mark.parametrize("method", [KCC(), KCC("entropy"), SEC()], ids=["kcc", "ecc", "sec"])
def test_labels_do_not_depend_on_threads_or_on_the_rows_at_once(monkeypatch, method):
    micro = MicroClusters.from_labels(random_ensemble(np.random.default_rng(0), 3000, 6)[1])

    def labels(n_threads):
        with Workers(n_threads) as workers:
            tasks = Tasks(np.random.default_rng(0), workers.map, Lent)
            return method.join(micro, 4, tasks).labels

    plain = labels(1)
    assert len(np.unique(plain)) == 4
    monkeypatch.setattr(label_kmeans, "ROWS_AT_ONCE", 70)
    assert len(micro) > 10 * 70
    for n_threads in (1, 3):
        assert_array_equal(labels(n_threads), plain)


@pytest.mark.parametrize("kind", [*UTILITIES, "sec"], ids=str)
@given(seed=seeds, missing=some_missing)
def test_no_iteration_raises_the_loss(kind, seed, missing):
    rng = np.random.default_rng(seed)
    micro = MicroClusters.from_labels(small_ensemble(rng, missing))
    k = int(rng.integers(1, min(6, len(micro)) + 1))
    profiles = ScaledRows(micro) if kind == "sec" else Centroids(micro, *kind, False)
    losses = []
    for max_iter in range(1, 8):
        options = {"n_init": 1, "max_iter": max_iter}
        method = SEC(**options) if kind == "sec" else KCC(*kind[:1], power=kind[1], **options)
        labels = method.join(micro, k, serial(np.random.default_rng(seed))).labels
        assert_array_equal(np.unique(labels), np.arange(k))
        losses.append(profiles.loss(cluster_counts(micro, labels, k)))
    assert (np.diff(losses) <= 1e-9 * max(1, abs(losses[0]))).all()


@pytest.mark.parametrize("kind", ["kcc", "sec"])
@given(seed=seeds)
def test_of_several_starts_the_best_is_kept(kind, seed):
    rng = np.random.default_rng(seed)
    micro = MicroClusters.from_labels(small_ensemble(rng))
    k = min(4, len(micro))
    method, profiles = {
        "kcc": (KCC, Centroids(micro, "category", 2, False)),
        "sec": (SEC, ScaledRows(micro)),
    }[kind]
    rng = np.random.default_rng(seed)  # runs follow each other in one stream of numbers
    runs = [method(n_init=1).join(micro, k, serial(rng)).labels for _ in range(4)]
    best = method(n_init=4).join(micro, k, serial(np.random.default_rng(seed))).labels
    losses = [profiles.loss(cluster_counts(micro, labels, k)) for labels in runs]
    assert_array_equal(best, runs[int(np.argmin(losses))])
