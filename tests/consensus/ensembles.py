"""Ensembles to try consensus functions on, and parameters that many tests share."""

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st

from lsec import MicroClusters
from lsec.consensus.methods import Tasks
from lsec.execution.threads import Lent

# Kernels are compiled during the first example.
settings.register_profile("consensus", deadline=None, max_examples=20)
settings.load_profile("consensus")

METHODS = ("bipartite", "linkage", "eac", "lwea", "lwgp", "kcc", "sec", "pta", "ptgp")
every_method = pytest.mark.parametrize("method", METHODS)
seeds = st.integers(0, 2**32 - 1)
some_missing = st.sampled_from([0.0, 0.3])


def random_ensemble(rng, n, m, k=4, noise=0.1, missing=0.0, split=3):
    """Noisy, differently named copies of one clustering, split finer in each member."""
    truth = rng.integers(0, k, n)
    labels = truth[:, None] * split + rng.integers(0, split, (n, m))
    wrong = rng.random((n, m)) < noise
    labels[wrong] = rng.integers(0, split * k, wrong.sum())
    names = np.array([rng.permutation(split * k) for _ in range(m)])
    labels = np.take_along_axis(names.T, labels, 0)
    gone = rng.random((n, m)) < missing
    gone[gone.all(axis=1), 0] = False  # every row has a label somewhere
    labels[gone] = -1
    return truth, labels


def small_ensemble(rng, missing=0.0):
    """Few rows, few members, many rows that are equal."""
    n, m, k = rng.integers(8, 60), rng.integers(2, 7), rng.integers(2, 4)
    return random_ensemble(rng, n, m, k, noise=0.3, missing=missing, split=2)[1]


def labeled_ensemble(seed, missing):
    """An ensemble with its micro-clusters, and a clustering of these."""
    rng = np.random.default_rng(seed)
    labels = small_ensemble(rng, missing)
    micro = MicroClusters.from_labels(labels)
    k = int(rng.integers(1, 4))
    return labels, micro, k, rng.integers(0, k, len(micro)).astype(np.int32)


def is_numbered_by_occurrence(labels):
    """Labels start at 0 and a new number is always the next one."""
    top = np.maximum.accumulate(labels)
    return labels[0] == 0 and set(np.diff(top).tolist()) <= {0, 1}


def serial_map(function, tasks):
    """Results of independent tasks, run one after the other."""
    return [function(task) for task in tasks]


def serial(rng):
    """Tasks that run one after the other."""
    return Tasks(rng, serial_map, Lent)
