"""SEC, spectral ensemble clustering as weighted k-means (Liu et al., 2015)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lsec import checks
from lsec.consensus.label_kmeans import Distances, best_labeling
from lsec.consensus.methods.method import Joined, Run
from lsec.consensus.micro_clusters import MicroClusters


@dataclass(frozen=True)
class SEC:
    """The normalized cut of the co-association matrix, sought by weighted k-means.

    Parameters
    ----------
    n_init : int, default=5
        Random starts; the best is kept.
    max_iter : int, default=100
    """

    n_init: int = 5
    max_iter: int = 100

    chooses_k = False

    def __post_init__(self):
        checks.integer("n_init", self.n_init, 1)
        checks.integer("max_iter", self.max_iter, 1)

    def join(self, micro: MicroClusters, n_clusters: int | None, run: Run) -> Joined:
        """Join base clusterings."""
        assert n_clusters is not None
        points = _ScaledRows(micro)
        return Joined(best_labeling(micro, n_clusters, run, points, self.n_init, self.max_iter))


class _ScaledRows:
    """Indicator rows divided by their degree in the co-association graph, weighted by it."""

    def __init__(self, micro: MicroClusters):
        self._micro = micro
        degree = micro.indicator @ micro.sizes
        self._squared = micro.takes_part.sum(axis=1) / degree**2
        self._minus_half_degree = -degree / 2

    def distances(self, counts: np.ndarray) -> Distances:
        """Squared distances to the weighted means that follow from counts (C, k)."""
        means = counts / self._volumes(counts)
        squared = np.square(means).sum(axis=0)
        return Distances(means, squared, shift=self._squared, scale=self._minus_half_degree)

    def loss(self, counts: np.ndarray) -> float:
        """Weighted sum of squared distances, less what does not depend on the clusters."""
        return -float((np.square(counts).sum(axis=0) / self._volumes(counts)).sum())

    def _volumes(self, counts: np.ndarray) -> np.ndarray:
        """Sum of the degrees of the rows of each cluster (k,)."""
        return np.maximum(self._micro.sizes @ counts, 1e-300)
