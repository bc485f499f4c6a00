"""SEC: distances and loss are those of weighted k-means, and the loss is the normalized cut."""

import numpy as np
from hypothesis import assume, given
from numpy.testing import assert_allclose

from lsec.consensus.methods.sec import ScaledRows
from lsec.consensus.micro_clusters import cluster_counts
from tests.consensus import oracles as plain
from tests.consensus.ensembles import labeled_ensemble, seeds, some_missing


@given(seed=seeds, missing=some_missing)
def test_sec_distances_and_loss_are_those_of_weighted_k_means(seed, missing):
    labels, micro, k, clusters = labeled_ensemble(seed, missing)
    assume(len(np.unique(clusters)) == k)
    of_row = micro.of_row
    scaled = ScaledRows(micro)
    counts = cluster_counts(micro, clusters, k)
    points, degree = plain.sec_points(labels)
    centers = np.array(
        [np.average(points[of], axis=0, weights=degree[of]) for of in clusters[of_row] == np.c_[:k]]
    )
    expected = ((points[:, None] - centers) ** 2).sum(axis=2)
    assert_allclose(scaled.distances(counts).matrix(micro)[of_row], expected, rtol=1e-9, atol=1e-12)
    constant = (degree * (points**2).sum(axis=1)).sum()
    loss = scaled.loss(counts)
    assert_allclose(constant + loss, plain.sec_loss(labels, clusters[of_row]), atol=1e-9)
    assert_allclose(k + loss, plain.normalized_cut(labels, clusters[of_row]), atol=1e-9)
