"""Spherical k-means, leads and groups of unit vectors, against plain counterparts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from lsec.consensus.methods.linkage import mean_lead
from lsec.spectral import kmeans as module
from lsec.spectral.kmeans import MappedRows, group_rows, kmeans, mean_vectors, spherical_kmeans
from lsec.spectral.landmarks import rows_of
from tests.consensus.ensembles import seeds


def unit_vectors(rng, n, d):
    rows = rng.normal(size=(n, d))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


@given(seed=seeds, n=st.integers(6, 60), k=st.integers(2, 5))
def test_mean_lead_is_that_of_mean_cosines(seed, n, k):
    rng = np.random.default_rng(seed)
    rows, weights = unit_vectors(rng, n, 4), rng.integers(1, 5, n).astype(float)
    labels = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
    cosine = rows.astype(float) @ rows.T
    leads = np.zeros(n)
    for i in range(n):
        mean = [np.average(cosine[i, labels == c], weights=weights[labels == c]) for c in range(k)]
        own = mean.pop(labels[i])
        leads[i] = own - max(mean)
    of_clusters = [np.average(leads[labels == c], weights=weights[labels == c]) for c in range(k)]
    assert mean_lead(rows, weights, labels, k) == pytest.approx(np.mean(of_clusters), abs=1e-5)


@given(seed=seeds, n=st.integers(10, 200), k=st.integers(1, 6))
def test_steps_of_k_means_never_empty_a_cluster_nor_lower_the_cosine(seed, n, k):
    rng = np.random.default_rng(seed)
    rows, weights = unit_vectors(rng, n, 5), rng.integers(1, 5, n).astype(float)
    before = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
    after = spherical_kmeans(rows, weights, before, k, 20)
    assert set(np.unique(after)) == set(range(k))
    total = [
        (sizes * np.linalg.norm(means, axis=1)).sum()
        for means, sizes in (mean_vectors(rows, weights, x, k) for x in (before, after))
    ]
    assert total[1] >= total[0] - 1e-4


def test_groups_hold_near_rows(tasks):
    rng = np.random.default_rng(0)
    centers = unit_vectors(rng, 30, 8)
    truth = rng.integers(0, 30, 3000)
    rows = centers[truth] + rng.normal(scale=0.01, size=(3000, 8)).astype(np.float32)
    groups = group_rows(rows, np.ones(3000), 300, np.random.default_rng(1))
    threaded = group_rows(rows, np.ones(3000), 300, np.random.default_rng(1), tasks.points)
    assert_array_equal(threaded, groups)
    alone = group_rows(rows, np.ones(3000), 5000, np.random.default_rng(1))
    assert groups.max() < 300
    mixed = sum(len(np.unique(truth[groups == g])) > 1 for g in np.unique(groups))
    assert mixed < 15
    assert alone.tolist() == list(range(3000))


def test_more_groups_than_a_small_sample_has_rows():
    rows = unit_vectors(np.random.default_rng(0), 300, 3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MIN_GROUPING_SAMPLE", 20)
        groups = group_rows(rows, np.ones(300), 40, np.random.default_rng(0))
    assert len(np.unique(groups)) == 40


@pytest.mark.parametrize("heavy", [30, 300])
def test_a_heavy_row_far_from_all_others_is_a_group_of_its_own(heavy):
    """A small cluster whose rows have equal labels is a single row with a large weight."""
    rng = np.random.default_rng(heavy)
    far = np.eye(5, 8, dtype=np.float32)
    near = unit_vectors(rng, 30_000, 8) * np.float32(0.05) - np.eye(8, dtype=np.float32)[7]
    rows = np.concatenate([near, far])
    weights = np.append(np.ones(30_000), np.full(5, float(heavy)))
    groups = group_rows(rows, weights, 1500, np.random.default_rng(0))
    assert (np.bincount(groups)[groups[-5:]] == 1).all()


@pytest.mark.parametrize("d", [2, 40])
def test_kmeans_of_mapped_rows_equals_that_of_plain_rows(tasks, d):
    points = np.random.default_rng(0).normal(size=(10_000, d)).astype(np.float32)
    expected = kmeans(rows_of(points), 30, np.random.default_rng(1))
    found = kmeans(MappedRows(points, tasks.map), 30, np.random.default_rng(1))
    for name in ("centers", "labels", "squared"):
        assert_array_equal(getattr(found, name), getattr(expected, name))
