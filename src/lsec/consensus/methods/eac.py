"""EAC, evidence accumulation (Fred and Jain, 2005)."""

from __future__ import annotations

from dataclasses import dataclass

from lsec import checks
from lsec.consensus.co_association import CoAssociation, require_memory
from lsec.consensus.dendrogram import LINKAGES, agglomerate
from lsec.consensus.methods.method import Joined, Run
from lsec.consensus.micro_clusters import MicroClusters
from lsec.execution.memory import parse_bytes


@dataclass(frozen=True)
class EAC:
    """Agglomerative clustering of the co-association of rows.

    Parameters
    ----------
    linkage : {"average", "complete", "single"}, default="average"
    memory_limit : int or str, default="4GiB"
        For the distances of all pairs of micro-clusters.
    """

    linkage: str = "average"
    memory_limit: int | str = "4GiB"

    chooses_k = True

    def __post_init__(self):
        checks.choice("linkage", self.linkage, LINKAGES)
        parse_bytes(self.memory_limit)

    def join(self, micro: MicroClusters, n_clusters: int | None, run: Run) -> Joined:
        """Join base clusterings."""
        require_memory(len(micro), self.memory_limit, "eac")
        distance = CoAssociation(micro).distances(run.workers)
        tree = agglomerate(distance, micro.weights, self.linkage)
        return tree.join(n_clusters)
