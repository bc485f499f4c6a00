"""LWGP: locally weighted graph partitioning."""

from __future__ import annotations

from dataclasses import dataclass

from lsec import checks
from lsec.consensus.bipartite_graph import cut_indicator
from lsec.consensus.memory import graph_bytes, labels_bytes
from lsec.consensus.methods import Joined, Tasks
from lsec.consensus.micro_clusters import MicroClusters, ensemble_driven_index


@dataclass(frozen=True)
class LWGP:
    """Transfer cut of the bipartite graph whose edges are weighted by the cluster index.

    Parameters
    ----------
    theta : float, default=0.4
        The smaller, the less do base clusters count that other base clusterings divide.

    References
    ----------
    D. Huang, C.-D. Wang, J.-H. Lai. "Locally weighted ensemble clustering." IEEE Transactions on
    Cybernetics 48(5), 2018.
    """

    theta: float = 0.4

    chooses_k = True

    def __post_init__(self) -> None:
        checks.positive("theta", self.theta)

    def n_bytes(self, micro: MicroClusters, n_clusters: int, n_threads: int) -> int:
        """The transfer cut."""
        return labels_bytes(micro) + graph_bytes(micro, n_clusters)

    def join(self, micro: MicroClusters, n_clusters: int | None, tasks: Tasks) -> Joined:
        """Cut the graph B = Z diag(index), with Z the indicator of base clusters."""
        index = ensemble_driven_index(micro, self.theta)
        return cut_indicator(micro, index, n_clusters, tasks.rng)
