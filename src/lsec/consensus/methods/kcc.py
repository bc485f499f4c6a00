"""KCC: k-means-based consensus clustering."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lsec import checks
from lsec.consensus.label_kmeans import Distances, LabelKMeans
from lsec.consensus.micro_clusters import MicroClusters
from lsec.typing import Float64

UTILITIES = ("category", "entropy", "cosine", "power")
EPSILON = np.finfo(np.float64).eps


@dataclass(frozen=True)
class KCC(LabelKMeans):
    """k-means on label rows that maximizes the utility of the consensus for the base clusterings.

    The centroid of a consensus cluster holds, for every base clustering, the distribution P of
    its labels inside the cluster. A utility is given by a convex function mu(P), from which the
    distance of a row with label x to the centroid follows:

    ==========  =====  ==========  =====================================
    utility     paper  mu(P)       distance, summed over base clusterings
    ==========  =====  ==========  =====================================
    category    U_c    ‖P‖²        1 + ‖P‖² − 2 P[x]
    entropy     U_H    −H(P)       −log2 P[x]
    cosine      U_cos  ‖P‖         1 − P[x] / ‖P‖
    power       U_Lp   ‖P‖_p       1 − (P[x] / ‖P‖_p)^(p − 1)
    ==========  =====  ==========  =====================================

    Parameters
    ----------
    utility : {"category", "entropy", "cosine", "power"}, default="category"
    normalized : bool, default=False
        Divide the utility of a base clustering by abs(mu) of its own label distribution.
    power : int, default=5
        p of U_Lp.
    n_init, max_iter : int
        As for `LabelKMeans`.

    References
    ----------
    J. Wu, H. Liu, H. Xiong, J. Cao, J. Chen. "K-means-based consensus clustering: a unified
    view." IEEE Transactions on Knowledge and Data Engineering 27(1), 2015.
    """

    utility: str = "category"
    normalized: bool = False
    power: int = 5

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.choice("utility", self.utility, UTILITIES)
        checks.boolean("normalized", self.normalized)
        checks.integer("power", self.power, 2)

    def prototypes(self, micro: MicroClusters) -> Centroids:
        """Centroids with the distance of the utility."""
        power = self.power if self.utility == "power" else 2
        return Centroids(micro, self.utility, power, self.normalized)


class Centroids:
    """Prototypes of KCC: distributions of labels inside each consensus cluster."""

    def __init__(self, micro: MicroClusters, utility: str, power: int, normalized: bool):
        self._micro = micro
        self._utility = utility
        self._power = power
        self._importance = np.ones(micro.n_base)
        if normalized:
            own = self._abs_mu(micro.sizes[:, None])[:, 0]
            self._importance = 1 / np.where(own > 0, own, 1)

    def distances(self, counts: Float64) -> Distances:
        """Distances to the centroids for counts (C, k)."""
        clustering, shares = self._micro.clustering_of, self._shares(counts)
        if self._utility == "category":
            table = 1 + self._per_clustering(shares**2)[clustering] - 2 * shares
        elif self._utility == "entropy":
            table = -np.log2(shares + EPSILON)
        else:
            norm = self._norms(shares)[clustering]
            table = 1 - (shares / np.where(norm > 0, norm, 1)) ** (self._power - 1)
        table *= self._importance[clustering, None]
        n, k = len(self._micro), table.shape[1]
        return Distances(table, np.zeros(k), shift=np.zeros(n), scale=np.ones(n))

    def loss(self, counts: Float64) -> float:
        """Sum of distances, from the counts alone."""
        present = self._per_clustering(counts)
        mu = self._abs_mu(counts)
        lost = present * (mu if self._utility == "entropy" else 1 - mu)
        return float(self._importance @ lost.sum(axis=1))

    def _abs_mu(self, counts: Float64) -> Float64:
        """abs(mu(P)) per base clustering and consensus cluster, (m, k)."""
        shares = self._shares(counts)
        if self._utility == "category":
            return self._per_clustering(shares**2)
        if self._utility == "entropy":
            return -self._per_clustering(shares * np.log2(np.where(shares > 0, shares, 1)))
        return self._norms(shares)

    def _norms(self, shares: Float64) -> Float64:
        return np.power(self._per_clustering(shares**self._power), 1 / self._power)

    def _shares(self, counts: Float64) -> Float64:
        present = self._per_clustering(counts)[self._micro.clustering_of]
        return counts / np.where(present > 0, present, 1)

    def _per_clustering(self, values: Float64) -> Float64:
        """Sums over the base clusters of each base clustering, (m, k) from (C, k)."""
        sums = np.zeros((self._micro.n_base, values.shape[1]))
        np.add.at(sums, self._micro.clustering_of, values)
        return sums
