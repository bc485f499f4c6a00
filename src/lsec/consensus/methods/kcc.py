"""KCC, k-means-based consensus clustering (Wu, Liu, Xiong, Cao and Chen, 2015)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lsec import checks
from lsec.consensus.label_kmeans import Distances, best_labeling
from lsec.consensus.methods.method import Joined, Run
from lsec.consensus.micro_clusters import MicroClusters

UTILITIES = ("category", "entropy", "cosine", "power")
TINY = np.finfo(np.float64).eps


@dataclass(frozen=True)
class KCC:
    """k-means on the label rows, for a utility that measures the agreement with each clustering.

    Parameters
    ----------
    utility : {"category", "entropy", "cosine", "power"}, default="category"
        U_c, U_H, U_cos and U_Lp of the paper.
    normalized : bool, default=False
        Divide the utility of a base clustering by what it has by itself.
    power : int, default=5
        p of U_Lp.
    n_init : int, default=5
        Random starts; the best is kept.
    max_iter : int, default=100
    """

    utility: str = "category"
    normalized: bool = False
    power: int = 5
    n_init: int = 5
    max_iter: int = 100

    chooses_k = False

    def __post_init__(self):
        checks.choice("utility", self.utility, UTILITIES)
        checks.boolean("normalized", self.normalized)
        checks.integer("power", self.power, 2)
        checks.integer("n_init", self.n_init, 1)
        checks.integer("max_iter", self.max_iter, 1)

    def join(self, micro: MicroClusters, n_clusters: int | None, run: Run) -> Joined:
        """Join base clusterings."""
        assert n_clusters is not None
        power = self.power if self.utility == "power" else 2
        profiles = _Profiles(micro, self.utility, power, self.normalized)
        return Joined(best_labeling(micro, n_clusters, run, profiles, self.n_init, self.max_iter))


class _Profiles:
    """Prototypes of KCC: the shares of the base clusters inside each consensus cluster."""

    def __init__(self, micro: MicroClusters, utility: str, power: int, normalized: bool):
        self._micro = micro
        self._utility = utility
        self._power = power
        self._clustering = np.repeat(np.arange(micro.n_base), micro.n_labels)
        self._importance = np.ones(micro.n_base)
        if normalized:
            own = self._worth(micro.sizes[:, None])[:, 0]
            self._importance = 1 / np.where(own > 0, own, 1)

    def distances(self, counts: np.ndarray) -> Distances:
        """Distances to the profiles that follow from counts (C, k)."""
        shares = self._shares(counts)
        if self._utility == "category":
            table = 1 + self._per_clustering(shares**2)[self._clustering] - 2 * shares
        elif self._utility == "entropy":
            table = -np.log2(shares + TINY)
        else:
            length = self._lengths(shares)[self._clustering]
            table = 1 - (shares / np.where(length > 0, length, 1)) ** (self._power - 1)
        table *= self._importance[self._clustering, None]
        n, k = len(self._micro), table.shape[1]
        return Distances(table, np.zeros(k), shift=np.zeros(n), scale=np.ones(n))

    def loss(self, counts: np.ndarray) -> float:
        """Sum of distances, from the counts alone."""
        present = self._per_clustering(counts)
        worth = self._worth(counts)
        lost = present * (worth if self._utility == "entropy" else 1 - worth)
        return float(self._importance @ lost.sum(axis=1))

    def _worth(self, counts: np.ndarray) -> np.ndarray:
        """The convex function of the paper, per clustering and cluster (m, k); entropy as such."""
        shares = self._shares(counts)
        if self._utility == "category":
            return self._per_clustering(shares**2)
        if self._utility == "entropy":
            return -self._per_clustering(shares * np.log2(np.where(shares > 0, shares, 1)))
        return self._lengths(shares)

    def _lengths(self, shares: np.ndarray) -> np.ndarray:
        return self._per_clustering(shares**self._power) ** (1 / self._power)

    def _shares(self, counts: np.ndarray) -> np.ndarray:
        present = self._per_clustering(counts)[self._clustering]
        return counts / np.where(present > 0, present, 1)

    def _per_clustering(self, values: np.ndarray) -> np.ndarray:
        """Sums over the base clusters of each base clustering, (m, k) from (C, k)."""
        sums = np.zeros((self._micro.n_base, values.shape[1]))
        np.add.at(sums, self._clustering, values)
        return sums
