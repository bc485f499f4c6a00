"""SEC: spectral ensemble clustering as weighted k-means."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lsec.consensus.label_kmeans import Distances, LabelKMeans
from lsec.consensus.micro_clusters import MicroClusters
from lsec.typing import Float64


@dataclass(frozen=True)
class SEC(LabelKMeans):
    """Normalized cut of the co-association matrix Z Z', by an equivalent weighted k-means.

    With Z the indicator of base clusters and w = Z Z' 1 the degrees of the rows, k-means runs on
    the points Z_i / w_i with weights w_i. Parameters are those of `LabelKMeans`.

    References
    ----------
    H. Liu, T. Liu, J. Wu, D. Tao, Y. Fu. "Spectral ensemble clustering." KDD 2015.
    """

    def prototypes(self, micro: MicroClusters) -> ScaledRows:
        """Weighted means of the scaled rows of the indicator."""
        return ScaledRows(micro)


class ScaledRows:
    """Prototypes of SEC: weighted means of indicator rows divided by their degree."""

    def __init__(self, micro: MicroClusters):
        self._micro = micro
        degree = micro.indicator @ micro.sizes
        self._squared = micro.takes_part.sum(axis=1) / degree**2
        self._minus_half_degree = -degree / 2

    def distances(self, counts: Float64) -> Distances:
        """Squared distances to the weighted means for counts (C, k)."""
        means = counts / self._volumes(counts)
        squared = np.square(means).sum(axis=0)
        return Distances(means, squared, shift=self._squared, scale=self._minus_half_degree)

    def loss(self, counts: Float64) -> float:
        """Weighted sum of squared distances, up to a constant."""
        return -float((np.square(counts).sum(axis=0) / self._volumes(counts)).sum())

    def _volumes(self, counts: Float64) -> Float64:
        """Total degree of the rows of each cluster, (k,)."""
        return np.maximum(self._micro.sizes @ counts, 1e-300)
