"""How much base clusterings agree with each other."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from lsec.consensus.cooccurrence import rows_together
from lsec.consensus.micro_clusters import MicroClusters
from lsec.metrics import ari_of_table, nmi_of_table

SCORES = {"nmi": nmi_of_table, "ari": ari_of_table}


def agreement_of(micro: MicroClusters, score: str) -> np.ndarray:
    """Score of every two base clusterings, float64 (m, m), from the micro-clusters.

    A pair is compared on the rows that have a label in both.
    """
    together = rows_together(micro, micro.weights)
    out = np.ones((micro.n_base, micro.n_base))
    for i, first in enumerate(micro.spans):
        for j, second in enumerate(micro.spans[:i]):
            part = together[first, second]
            table = (part.toarray() if sparse.issparse(part) else part).astype(np.int64)
            out[i, j] = out[j, i] = 1.0 if _is_same(table) else SCORES[score](table)
    return out


def _is_same(table: np.ndarray) -> bool:
    """Whether both clusterings of a table of counts put the same rows together."""
    filled = table > 0
    return bool(filled.any()) and filled.sum(axis=0).max() == 1 and filled.sum(axis=1).max() == 1


def diversity_of(agreement: np.ndarray) -> float:
    """One less the mean agreement (m, m) of two different base clusterings; 0 for a single one."""
    m = len(agreement)
    if m == 1:
        return 0.0
    return float(1 - (agreement.sum() - np.trace(agreement)) / (m * (m - 1)))
