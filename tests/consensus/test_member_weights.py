"""A base clustering of weight w counts as w equal ones."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from lsec import MicroClusters, consensus
from lsec.consensus.consensus import METHODS
from lsec.metrics import adjusted_rand_index, coassociation
from tests.consensus.ensembles import random_ensemble

TRUTH, LABELS = random_ensemble(np.random.default_rng(3), 300, 5, noise=0.2, missing=0.05)
WEIGHTS = np.array([1, 3, 1, 2, 1])


@pytest.mark.parametrize("method", METHODS)
def test_weights_equal_copies(method):
    arguments = (4, method)
    found = consensus(LABELS, *arguments, member_weights=WEIGHTS, random_state=0, full_output=True)
    copies = np.repeat(LABELS, WEIGHTS, axis=1)
    expected = consensus(copies, *arguments, random_state=0, full_output=True)
    assert_array_equal(found.labels, expected.labels)
    assert_array_equal(found.confidence, expected.confidence)
    new = np.random.default_rng(1).permuted(LABELS[:100], axis=0)
    new[:, 0] = LABELS[:100, 0]
    assert_array_equal(found.predict(new), expected.predict(np.repeat(new, WEIGHTS, axis=1)))
    assert_array_equal(found.predict(LABELS), found.labels)


def test_weights_of_one_change_nothing():
    found = consensus(LABELS, 4, member_weights=[1] * 5, random_state=0)
    assert_array_equal(found, consensus(LABELS, 4, random_state=0))


def test_the_heavier_side_wins():
    rng = np.random.default_rng(0)
    one, other = rng.integers(0, 3, (2, 600))
    for weights, winner in (([9, 1], one), ([1, 9], other)):
        found = consensus([one, other], 3, "kcc", member_weights=weights, random_state=0)
        assert adjusted_rand_index(found, winner) == 1


@pytest.mark.parametrize("weights", [[1, 2], [1, 1, 1, 1, 0], [0.5] * 5, [1, 1, 1, 1, -1], "abcde"])
def test_other_weights_are_refused(weights):
    with pytest.raises(ValueError, match="member_weights must be positive integers, one for each"):
        consensus(LABELS, 4, member_weights=weights)


def test_new_rows_have_a_label_of_every_base_clustering():
    result = consensus(LABELS, 4, member_weights=WEIGHTS, random_state=0, full_output=True)
    with pytest.raises(ValueError, match="has 8 columns, the consensus was made from 5"):
        result.predict(np.repeat(LABELS, WEIGHTS, axis=1))


# Co-association of chosen rows


@pytest.mark.parametrize("known", [False, True])
def test_coassociation_is_the_share_of_clusterings_that_put_rows_together(known):
    rows = [7, 0, 299, 7, 120]
    both = (LABELS[rows][:, None] >= 0) & (LABELS[rows][None] >= 0)
    same = (LABELS[rows][:, None] == LABELS[rows][None]) & both
    given = MicroClusters.from_labels(LABELS) if known else LABELS
    found = coassociation(given, rows)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, same.sum(axis=2) / both.sum(axis=2), rtol=1e-6)


@pytest.mark.parametrize("rows", [[300], [-1], [], [[0, 1]], [0.5], np.ones(300, bool)])
def test_positions_must_be_those_of_rows(rows):
    with pytest.raises(ValueError, match="rows must be positions from 0 to 299"):
        coassociation(LABELS, rows)
