"""Criteria for the number of clusters: the largest eigengap and the longest lifetime."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lsec.typing import AnyArray, Float64, Int64

MAX_CLUSTERS = 64  # largest number that is considered
DAMPING = 0.05
TINY = 1e-12


@dataclass(frozen=True)
class Evidence:
    """Scores of candidate numbers of clusters; `n_clusters="auto"` takes the best.

    Attributes
    ----------
    criterion : {"eigengap", "lifetime"}
    candidates : int64 (c,)
        Numbers of clusters considered, ascending.
    scores : float64 (c,)
        Higher is better.
    values : float64
        The values that the scores are differences of: eigenvalues, descending, or heights
        of mergers, ascending.
    """

    criterion: str
    candidates: Int64
    scores: Float64
    values: AnyArray

    @property
    def best(self) -> int:
        """The candidate with the highest score, the smallest of those that tie."""
        return int(self.candidates[np.argmax(self.scores)])


def eigengap(eigenvalues: Float64) -> Evidence:
    """Gaps between consecutive eigenvalues, descending: k clusters leave a gap after the k-th.

    Gaps widen towards the end of the spectrum for any data, so each is divided by
    1 − eigenvalue, damped since that may be zero.
    """
    candidates = np.arange(2, min(MAX_CLUSTERS, len(eigenvalues)) + 1)
    following = np.append(eigenvalues, 0.0)[candidates]
    gaps = eigenvalues[candidates - 1] - following
    scores = gaps / (1 - eigenvalues[candidates - 1] + DAMPING)
    return Evidence("eigengap", candidates, scores, eigenvalues)


def lifetime(heights: AnyArray) -> Evidence:
    """Range of merging heights over which a dendrogram has each number of clusters.

    Fred and Jain's criterion (see `EAC`) on the logarithm of the similarity, 1 − height: mergers of
    dissimilar clusters differ little in height, but clearly in proportion.
    """
    n = len(heights) + 1
    candidates = np.arange(2, min(MAX_CLUSTERS, n) + 1)
    similarity = np.maximum(1 - np.append(0.0, heights), 0)
    # Ratios of near-zero similarities are meaningless.
    similarity += DAMPING * similarity[n - candidates[-1]] + TINY
    scores = np.log(similarity[n - candidates] / similarity[n - candidates + 1])
    return Evidence("lifetime", candidates, scores, heights)
