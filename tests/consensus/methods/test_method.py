"""Consensus functions are pure: the same labels with threads and without, as from `consensus`."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from lsec import MicroClusters, consensus
from lsec.consensus.consensus import ConsensusPlan, join, make_method
from lsec.consensus.methods import Tasks
from lsec.execution.threads import Lent, Workers
from lsec.metrics import adjusted_rand_index
from tests.consensus.ensembles import every_method, random_ensemble, serial


@every_method
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_a_serial_run_gives_the_labels_of_a_threaded_one(method, missing):
    truth, labels = random_ensemble(np.random.default_rng(2), 2500, 8, missing=missing)
    micro = MicroClusters.from_labels(labels)
    assert len(micro) > 1500  # linkage groups them by k-means
    function = make_method(method, {})
    alone = join(micro, ConsensusPlan(function, 4), serial(np.random.default_rng(0)))
    with Workers(3) as workers:
        tasks = Tasks(np.random.default_rng(0), workers.map, Lent)
        threaded = join(micro, ConsensusPlan(function, 4), tasks)
    assert_array_equal(alone.labels, threaded.labels, strict=True)
    assert adjusted_rand_index(truth, alone.labels) > 0.95


@every_method
def test_consensus_runs_the_function_of_that_name(method):
    labels = random_ensemble(np.random.default_rng(3), 600, 6, noise=0.4)[1]
    micro = MicroClusters.from_labels(labels)
    state = np.random.RandomState(0)
    words = np.random.RandomState(0).randint(0, 2**32, size=4, dtype=np.uint64)
    rng = np.random.default_rng(np.random.SeedSequence([int(word) for word in words]))
    expected = join(micro, ConsensusPlan(make_method(method, {}), 4), serial(rng))
    assert_array_equal(consensus(labels, 4, method, random_state=state), expected.labels)
