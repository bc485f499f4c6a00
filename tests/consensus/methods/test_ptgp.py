"""PTGP: its affinity adds up over parts of the rows."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from lsec import consensus
from lsec.consensus.methods import ptgp
from lsec.consensus.methods.ptgp import affinity_of_edges
from lsec.metrics import clustering_accuracy
from tests.consensus.ensembles import random_ensemble, seeds


@given(seed=seeds, n=st.integers(1, 60), c=st.integers(1, 20), at_once=st.integers(1, 60))
def test_affinity_by_ties_adds_up_over_parts_of_the_rows(seed, n, c, at_once):
    ties = np.random.default_rng(seed).uniform(0.01, 1, (n, c)).astype(np.float32)
    found = sum(affinity_of_edges(ties[low : low + at_once]) for low in range(0, n, at_once))
    ties = ties.astype(float)
    assert_allclose(found, ties.T @ (ties / ties.sum(axis=1, keepdims=True)), rtol=1e-12)


def test_ptgp_does_not_depend_on_the_parts_in_which_rows_are_taken(monkeypatch):
    truth, labels = random_ensemble(np.random.default_rng(0), 600, 8, noise=0.2)
    whole = consensus(labels, 4, "ptgp", random_state=0)
    monkeypatch.setattr(ptgp, "ROWS_AT_ONCE", 64)
    assert_array_equal(consensus(labels, 4, "ptgp", random_state=0), whole)
    assert clustering_accuracy(truth, whole) > 0.9
