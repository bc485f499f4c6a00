"""LWEA: locally weighted evidence accumulation."""

from __future__ import annotations

from dataclasses import dataclass

from lsec import checks
from lsec.consensus.co_association import CoAssociation
from lsec.consensus.dendrogram import agglomerate
from lsec.consensus.memory import graph_bytes, labels_bytes, pairs_bytes, require_pairs
from lsec.consensus.methods import Joined, Tasks
from lsec.consensus.micro_clusters import MicroClusters, ensemble_driven_index


@dataclass(frozen=True)
class LWEA:
    """Average linkage of the co-association in which base clusters are weighted by their index.

    Parameters
    ----------
    theta : float, default=0.4
        As for `LWGP`.
    memory_limit : int or str, default="4GiB"
        For the distances of all pairs of micro-clusters.

    References
    ----------
    D. Huang, C.-D. Wang, J.-H. Lai. "Locally weighted ensemble clustering." IEEE Transactions on
    Cybernetics 48(5), 2018.
    """

    theta: float = 0.4
    memory_limit: int | float | str = "4GiB"

    chooses_k = True

    def __post_init__(self) -> None:
        checks.positive("theta", self.theta)
        checks.memory_size(self.memory_limit)

    def n_bytes(self, micro: MicroClusters, n_clusters: int, n_threads: int) -> int:
        """The distances of all pairs, or what the index takes before."""
        return labels_bytes(micro) + max(pairs_bytes(len(micro)), graph_bytes(micro, 0))

    def join(self, micro: MicroClusters, n_clusters: int | None, tasks: Tasks) -> Joined:
        """Cut the dendrogram of 1 − Z diag(index) Z' / m, with Z the indicator."""
        require_pairs(len(micro), self.memory_limit, "lwea")
        index = ensemble_driven_index(micro, self.theta)
        distance = CoAssociation(micro, index).distances(tasks.map)
        return Joined(*agglomerate(distance, micro.weights, "average").best_cut(n_clusters))
