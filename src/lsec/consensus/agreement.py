"""Agreement of the base clusterings of an ensemble with each other, and its diversity."""

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
