"""Co-association equals its definition, with and without values of base clusters."""

import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_allclose, assert_array_equal

from lsec import MicroClusters
from lsec.consensus.co_association import CoAssociation
from lsec.consensus.micro_clusters import ensemble_driven_index
from lsec.kernels.co_association import CHUNK
from tests.consensus import oracles as plain
from tests.consensus.ensembles import seeds, small_ensemble, some_missing


@given(seed=seeds, missing=some_missing)
def test_co_association_is_the_share_of_clusterings_that_agree(tasks, seed, missing):
    labels = small_ensemble(np.random.default_rng(seed), missing)
    micro = MicroClusters.from_labels(labels)
    rows = plain.micro_clusters(labels)[0]
    expected = plain.co_association(rows)
    association = CoAssociation(micro)
    assert_allclose(association.similarities(micro.labels), expected, atol=1e-7)
    np.fill_diagonal(expected, 1)
    assert_allclose(association.distances(tasks.map), 1 - expected, atol=1e-7)


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("n", [CHUNK - 1, CHUNK, 2 * CHUNK + 1])
def test_co_association_does_not_depend_on_how_micro_clusters_are_divided(n, missing):
    rng = np.random.default_rng(n)
    labels = rng.integers(0, 5, (n, 12))
    labels[rng.random(labels.shape) < missing] = -1
    labels[:, 0] = rng.integers(0, 5, n)  # a row without labels is no micro-cluster
    micro = MicroClusters.from_labels(labels)
    assert len(micro) == n
    similarity = CoAssociation(micro).similarities(micro.labels[-7:])
    some, present = labels[-7:, None], (labels >= 0) & (labels[-7:, None] >= 0)
    expected = ((some == labels) & present).sum(axis=2) / present.sum(axis=2)
    assert_allclose(similarity, expected, rtol=1e-6)


@pytest.mark.parametrize("n_base", [255, 256, 300])
def test_clusterings_are_counted_however_many_there_are(n_base):
    labels = np.zeros((3, n_base), int)
    labels[2, 0] = 1
    similarity = CoAssociation(MicroClusters.from_labels(labels)).similarities(
        labels[:1].astype(np.uint8)
    )
    assert_array_equal(similarity, np.float32([[1, 1 - 1 / n_base]]))


@given(seed=seeds, missing=some_missing)
def test_weighted_co_association_is_the_formula(tasks, seed, missing):
    labels = small_ensemble(np.random.default_rng(seed), missing)
    micro = MicroClusters.from_labels(labels)
    index = ensemble_driven_index(micro, 0.4)
    rows = plain.micro_clusters(labels)[0]
    expected = 1 - plain.co_association(rows, plain.cluster_index(labels, 0.4))
    np.fill_diagonal(expected, 0)
    distance = CoAssociation(micro, index).distances(tasks.map)
    assert_allclose(distance, expected, atol=1e-6)  # values are kept to 27 bits or more
    assert_array_equal(distance, distance.T)
