"""Noise: the rows that the members agree least on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lsec.typing import Float32, Float64

if TYPE_CHECKING:
    from lsec.consensus.consensus import Consensus


@dataclass(frozen=True)
class Noise:
    """Rows that have no cluster: a share of them, or those with less confidence than a minimum."""

    kind: str  # "share" or "confidence"
    amount: float

    def thresholds(self, consensus: Consensus) -> Float64:
        """Confidence float64 (k,) below which the rows of a cluster are noise.

        The surest rows of a cluster stay in it: no cluster becomes empty.
        """
        sure, weights = consensus.micro_confidence, consensus.micro.weights
        least = self.amount
        if self.kind == "share":
            least = _quantile(sure, weights, self.amount)
        surest = np.zeros(consensus.n_clusters, np.float32)
        np.maximum.at(surest, consensus.micro_labels, sure)
        return np.minimum(least, surest.astype(np.float64))


def _quantile(values: Float32, weights: Float64, share: float) -> float:
    """The largest threshold with at most a share of the weight below it.

    It lies between two values, which rounding on another machine does not bring to its other side.
    """
    distinct, place = np.unique(values, return_inverse=True)
    below = np.cumsum(np.bincount(place, weights))
    n_below = int(np.searchsorted(below, share * below[-1], side="right"))
    if n_below in (0, len(distinct)):
        return 0.0 if n_below == 0 else float(distinct[-1])
    return (float(distinct[n_below - 1]) + float(distinct[n_below])) / 2
