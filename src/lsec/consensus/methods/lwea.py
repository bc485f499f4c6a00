"""LWEA, locally weighted evidence accumulation (Huang, Wang and Lai, 2018)."""

from __future__ import annotations

from dataclasses import dataclass

from lsec import checks
from lsec.consensus.cluster_index import ensemble_driven_index
from lsec.consensus.co_association import CoAssociation, require_memory
from lsec.consensus.dendrogram import agglomerate
from lsec.consensus.methods.method import Joined, Run
from lsec.consensus.micro_clusters import MicroClusters
from lsec.execution.memory import parse_bytes


@dataclass(frozen=True)
class LWEA:
    """Average linkage of a co-association that trusts base clusters by their index.

    Parameters
    ----------
    theta : float, default=0.4
        Small values let only the steadiest base clusters count.
    memory_limit : int or str, default="4GiB"
        For the distances of all pairs of micro-clusters.
    """

    theta: float = 0.4
    memory_limit: int | str = "4GiB"

    chooses_k = True

    def __post_init__(self):
        checks.positive("theta", self.theta)
        parse_bytes(self.memory_limit)

    def join(self, micro: MicroClusters, n_clusters: int | None, run: Run) -> Joined:
        """Join base clusterings."""
        require_memory(len(micro), self.memory_limit, "lwea")
        index = ensemble_driven_index(micro, self.theta)
        distance = CoAssociation(micro, index).distances(run.workers)
        tree = agglomerate(distance, micro.weights, "average")
        return tree.join(n_clusters)
