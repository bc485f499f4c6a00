"""Members by k-means on the rows, each on a sample of its own."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from lsec.execution.threads import Workers
from lsec.metrics import diversity
from lsec.spectral.kmeans_ensemble import KMeansPlan, fit_kmeans_ensemble
from tests.conftest import make_blobs


def fit(rows, n_clusters, map_tasks=map):
    plan, seed = KMeansPlan(n_clusters), np.random.SeedSequence(0)
    return fit_kmeans_ensemble(len(rows), rows.__getitem__, plan, seed, map_tasks)


def test_members_give_rows_their_nearest_center():
    rows = make_blobs(1000, 7)[0]
    ensemble = fit(rows, [5, 9, 15])
    assert ensemble.n_clusters == [5, 9, 15]
    for labels in ensemble.label(rows).T:
        present = np.unique(labels)
        means = np.array([rows[labels == label].mean(axis=0) for label in present])
        nearest = ((rows[:, None] - means) ** 2).sum(axis=2).argmin(axis=1)
        assert (present[nearest] == labels).mean() > 0.99  # converged, up to the last step


def test_members_see_different_samples():
    rows = make_blobs(30_000, 3)[0]  # more than the 500 per cluster that each member looks at
    labels = fit(rows, [8] * 4).label(rows)
    assert len(np.unique(labels, axis=1).T) == 4
    assert diversity(labels) > 0.01


def test_members_do_not_depend_on_the_pool_that_fits_them():
    rows = make_blobs(2000, 20)[0]
    with Workers(3) as workers:
        pooled, plain = fit(rows, [5, 9, 15], workers.map), fit(rows, [5, 9, 15])
    for centers, other in zip(pooled.centers, plain.centers, strict=True):
        assert_array_equal(centers, other)


@pytest.mark.parametrize(("n_clusters", "dtype"), [(256, np.uint8), (257, np.uint16)])
def test_labels_have_the_smallest_type(n_clusters, dtype):
    rows = np.random.default_rng(0).normal(size=(600, 2))
    labels = fit(rows, [2, n_clusters]).label(rows)
    assert labels.dtype == dtype
    assert labels.max() == n_clusters - 1


def test_the_finer_ensemble_tells_few_rows_all_apart():
    rows = np.random.default_rng(0).normal(size=(300, 2))
    ensemble = fit(rows, [3])
    finer = ensemble.finer(300, rows.__getitem__)
    labels = finer.label(rows)
    assert_array_equal(labels[:, :1], ensemble.label(rows))
    assert_array_equal(labels[:, 1], np.arange(300))
