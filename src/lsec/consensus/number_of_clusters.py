"""What speaks for a number of clusters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

MOST_CLUSTERS = 64  # that are considered
DAMPING = 0.05
TINY = 1e-12


@dataclass(frozen=True)
class Evidence:
    """Scores of candidate numbers of clusters; the best is chosen by `n_clusters="auto"`.

    Attributes
    ----------
    criterion : {"eigengap", "lifetime"}
    candidates : int64 (c,)
        Numbers of clusters considered, ascending.
    scores : float64 (c,)
        Higher speaks for the candidate.
    values : float64
        What the scores are differences of: eigenvalues, descending, or heights of
        mergers, ascending.
    """

    criterion: str
    candidates: np.ndarray
    scores: np.ndarray
    values: np.ndarray

    @property
    def best(self) -> int:
        """The candidate with the highest score, the smallest among equals."""
        return int(self.candidates[np.argmax(self.scores)])


def eigengap(eigenvalues: np.ndarray) -> Evidence:
    """Gaps between consecutive eigenvalues, descending: k clusters end in a gap after the k-th.

    Gaps widen towards the end of the list for any data, so each is divided by what has
    been cut before it, 1 - eigenvalue (and a little more, since that may be zero).
    """
    candidates = np.arange(2, min(MOST_CLUSTERS, len(eigenvalues)) + 1)
    following = np.append(eigenvalues, 0.0)[candidates]
    gaps = eigenvalues[candidates - 1] - following
    scores = gaps / (1 - eigenvalues[candidates - 1] + DAMPING)
    return Evidence("eigengap", candidates, scores, eigenvalues)


def lifetime(heights: np.ndarray) -> Evidence:
    """How long each number of clusters lasts while the allowed distance grows.

    Fred and Jain's criterion, on the logarithm of the similarity (1 - distance): mergers
    of clusters that have little in common are close to each other in distance, but not
    in proportion.
    """
    n = len(heights) + 1
    candidates = np.arange(2, min(MOST_CLUSTERS, n) + 1)
    similarity = np.maximum(1 - np.append(0.0, heights), 0)
    # Proportions of what is next to nothing mean nothing either.
    similarity += DAMPING * similarity[n - candidates[-1]] + TINY
    scores = np.log(similarity[n - candidates] / similarity[n - candidates + 1])
    return Evidence("lifetime", candidates, scores, heights)
