"""Ensemble-driven cluster index: how much the other clusterings agree with a base cluster."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from lsec.consensus.cooccurrence import rows_together
from lsec.consensus.micro_clusters import MicroClusters


def ensemble_driven_index(micro: MicroClusters, theta: float) -> np.ndarray:
    """exp(-H / (theta m)) of every base cluster, float64 (C,), in (0, 1].

    H is the entropy (base 2) with which the other base clusterings scatter the rows of
    the cluster, summed over the clusterings. A row without a label in one of them does
    not count there.
    """
    together = sparse.coo_matrix(rows_together(micro, micro.weights))
    clustering = np.repeat(np.arange(micro.n_base), micro.n_labels)
    # Rows of each base cluster that have a label in each base clustering.
    cells = together.row.astype(np.int64) * micro.n_base + clustering[together.col]
    n_cells = micro.n_base_clusters * micro.n_base
    present = np.bincount(cells, together.data, n_cells)
    share = together.data / present[cells]
    disorder = np.bincount(together.row, -share * np.log2(share), micro.n_base_clusters)
    return np.exp(-np.maximum(disorder, 0) / (theta * micro.n_base))
