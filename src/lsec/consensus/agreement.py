"""Agreement within an ensemble: between base clusterings, and of the ensemble on a base cluster.

Both follow from the co-occurrence of rows in base clusters.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from lsec.consensus.micro_clusters import MicroClusters, cooccurrence
from lsec.contingency import ari_of_table, nmi_of_table
from lsec.typing import Float64, Int64

SCORES = {"nmi": nmi_of_table, "ari": ari_of_table}


def agreement_of(micro: MicroClusters, score: str) -> Float64:
    """Score of every two base clusterings, float64 (m, m), on the rows that both label."""
    shared = cooccurrence(micro, micro.weights)
    out = np.ones((micro.n_base, micro.n_base))
    for i, first in enumerate(micro.spans):
        for j, second in enumerate(micro.spans[:i]):
            part = shared[first, second]
            table = (part.toarray() if sparse.issparse(part) else part).astype(np.int64)
            out[i, j] = out[j, i] = 1.0 if _is_bijection(table) else SCORES[score](table)
    return out


def _is_bijection(table: Int64) -> bool:
    """Whether both clusterings of a contingency table are the same partition of the rows."""
    filled = table > 0
    return bool(filled.any() and filled.sum(axis=0).max() == 1 and filled.sum(axis=1).max() == 1)


def diversity_of(agreement: Float64) -> float:
    """1 − mean pairwise agreement (m, m); 0 for a single base clustering."""
    m = len(agreement)
    if m == 1:
        return 0.0
    return float(1 - (agreement.sum() - np.trace(agreement)) / (m * (m - 1)))


def ensemble_driven_index(micro: MicroClusters, theta: float) -> Float64:
    """Ensemble-driven cluster index exp(-H / (theta m)) of every base cluster, float64 (C,).

    H is the entropy (base 2) of the labels that another base clustering gives to the rows of
    the cluster, summed over the base clusterings; rows without a label there are left out.
    The index lies in (0, 1]; it is 1 for clusters that no base clustering divides. See `LWEA`
    for the paper.
    """
    shared = sparse.coo_matrix(cooccurrence(micro, micro.weights))
    # Rows of each base cluster that have a label in each base clustering.
    cells = shared.row.astype(np.int64) * micro.n_base + micro.clustering_of[shared.col]
    present = np.bincount(cells, shared.data, micro.n_base_clusters * micro.n_base)
    share = shared.data / present[cells]
    entropy = np.bincount(shared.row, -share * np.log2(share), micro.n_base_clusters)
    return np.exp(-np.maximum(entropy, 0) / (theta * micro.n_base))
