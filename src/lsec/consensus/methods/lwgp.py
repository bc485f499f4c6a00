"""LWGP, locally weighted graph partitioning (Huang, Wang and Lai, 2018)."""

from __future__ import annotations

from dataclasses import dataclass

from lsec import checks
from lsec.consensus.bipartite_graph import cut_indicator
from lsec.consensus.cluster_index import ensemble_driven_index
from lsec.consensus.methods.method import Joined, Run
from lsec.consensus.micro_clusters import MicroClusters


@dataclass(frozen=True)
class LWGP:
    """Transfer cut of the bipartite graph with ties weighted by the index of the base cluster.

    Parameters
    ----------
    theta : float, default=0.4
        Small values let only the steadiest base clusters count.
    """

    theta: float = 0.4

    chooses_k = True

    def __post_init__(self):
        checks.positive("theta", self.theta)

    def join(self, micro: MicroClusters, n_clusters: int | None, run: Run) -> Joined:
        """Join base clusterings."""
        index = ensemble_driven_index(micro, self.theta)
        return cut_indicator(micro, index, n_clusters, run.rng)
