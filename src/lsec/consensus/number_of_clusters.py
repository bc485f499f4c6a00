"""Criteria for the number of clusters: the eigengap, the lifetime, the worth."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from lsec.typing import AnyArray, Float64, Int64

MAX_CLUSTERS = 64  # largest number that is considered
DAMPING = 0.05
TINY = 1e-12
DOUBT_DAMPING = 0.02
ENTROPY_WEIGHT, LIFETIME_WEIGHT = 0.5, 2.0
CEILING, FEW_CANDIDATES = 0.8, 20


@dataclass(frozen=True, eq=False, repr=False)
class Evidence:
    """Scores of candidate numbers of clusters; `n_clusters="auto"` takes the best.

    Attributes
    ----------
    criterion : {"eigengap", "lifetime", "worth"}
    candidates : int64 (c,)
        Numbers of clusters considered, ascending.
    scores : float64 (c,)
        Higher is better.
    values : float64
        The values that the scores are differences of: eigenvalues, descending, heights of
        mergers, ascending, or the doubt of every candidate.

    Examples
    --------
    >>> from lsec import consensus
    >>> ensemble = [[0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 2, 3]]
    >>> consensus(ensemble, "auto", "eac", full_output=True).evidence
    Evidence('lifetime', best=3, candidates=2..4)
    """

    criterion: str
    candidates: Int64
    scores: Float64
    values: AnyArray

    def __repr__(self) -> str:
        low, high = self.candidates[[0, -1]]
        return f"Evidence({self.criterion!r}, best={self.best}, candidates={low}..{high})"

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


def worth(doubts: Float64, entropies: Float64, lifetimes: Evidence) -> Evidence:
    """The number of clusters that are many and even, but told apart by base clusterings.

    Clusters that exist are told apart by base clusterings, parts of clusters are not, so that the
    doubt grows slowly up to the number of clusters and faster beyond. Entropy makes up for some
    doubt, as in the election (see `linkage`), and a long lifetime for more. `doubts` (c,), 1 - tau,
    and `entropies` (c,) are those of the best clusterings into 2, 3, ... clusters.
    """
    candidates = np.arange(2, len(doubts) + 2)
    scores = ENTROPY_WEIGHT * entropies - np.log(doubts + DOUBT_DAMPING)
    n_common = min(len(scores), len(lifetimes.scores))
    scores[:n_common] += LIFETIME_WEIGHT * lifetimes.scores[:n_common]
    return Evidence("worth", candidates, scores, doubts)


def warn_of_ceiling(n_clusters: int, most: int) -> None:
    """Warn if the chosen number of clusters is near the largest one considered."""
    if most >= FEW_CANDIDATES and n_clusters > CEILING * most:
        warnings.warn(
            f"n_clusters='auto' chose {n_clusters} and considered at most {most}: there may be "
            "more. Pass the number, or base clusterings with more clusters (base_clusters).",
            stacklevel=4,
        )
