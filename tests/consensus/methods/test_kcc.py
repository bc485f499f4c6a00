"""KCC: distances and losses are the formulas of each utility."""

import numpy as np
import pytest
from hypothesis import given, settings
from numpy.testing import assert_allclose

from lsec import consensus
from lsec.consensus.methods.kcc import Centroids
from lsec.consensus.micro_clusters import cluster_counts
from lsec.metrics import adjusted_rand_index
from tests.consensus import oracles as plain
from tests.consensus.ensembles import labeled_ensemble, random_ensemble, seeds, some_missing

UTILITIES = [("category", 2), ("entropy", 2), ("cosine", 2), ("power", 5), ("power", 8)]


@pytest.mark.parametrize("utility", ["category", "entropy", "cosine", "power"])
@pytest.mark.parametrize("normalized", [False, True])
def test_every_utility_finds_the_clustering_behind_a_noisy_ensemble(utility, normalized):
    truth, labels = random_ensemble(np.random.default_rng(0), 1000, 15, noise=0.3, split=2)
    options = {"utility": utility, "normalized": normalized}
    assert adjusted_rand_index(truth, consensus(labels, 4, "kcc", random_state=0, **options)) > 0.95


@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize(("utility", "power"), UTILITIES)
@given(seed=seeds, missing=some_missing)
@settings(max_examples=10)
def test_kcc_distances_and_loss_are_the_formulas(utility, power, normalized, seed, missing):
    labels, micro, k, clusters = labeled_ensemble(seed, missing)
    of_row = micro.of_row
    profiles = Centroids(micro, utility, power, normalized)
    counts = cluster_counts(micro, clusters, k)
    expected = plain.kcc_distances(labels, clusters[of_row], k, utility, power, normalized)
    found = profiles.distances(counts).matrix(micro)[of_row]
    assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
    own = expected[np.arange(len(labels)), clusters[of_row]]
    assert_allclose(profiles.loss(counts), own.sum(), rtol=1e-9, atol=1e-9)
