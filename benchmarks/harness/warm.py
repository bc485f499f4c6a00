"""Importing this module loads and compiles all that the tasks need of lsec.

The server behind warm processes imports it once; every task then runs in a copy of that process.
Other libraries are left to the tasks.
"""

from __future__ import annotations

import gc
from functools import partial

import numpy as np

import lsec
from benchmarks.harness.tasks import FEW_LABELS, FEW_ROWS, warm_up
from lsec import datasets

MANY_FEATURES = 32
METHODS = ("bipartite", "linkage", "lwgp", "lwea", "eac", "ptgp", "pta", "kcc", "sec")


def prepare() -> None:
    """Fit every estimator and join members by every consensus function, on few rows."""
    narrow, _ = datasets.make_flower(FEW_ROWS, random_state=0)
    for X in (narrow, np.tile(narrow, MANY_FEATURES // 2)):
        for kind in (lsec.LSEC, lsec.USENC, lsec.DnCSC):
            warm_up(partial(kind, random_state=0), X)
    kmeans = partial(lsec.EnsembleClustering, generator="kmeans", random_state=0)
    labels = warm_up(kmeans, narrow).base_labels_
    for method in METHODS:
        lsec.consensus(labels[:FEW_LABELS], 2, method, random_state=0)
    distinct = np.arange(3 * FEW_ROWS) % FEW_ROWS  # more rows than the table of distinct ones has
    lsec.MicroClusters.from_labels(np.stack([distinct, distinct[::-1]], axis=1))


prepare()
gc.collect()
gc.freeze()  # a copy that searched all that is loaded for garbage would pay for it
