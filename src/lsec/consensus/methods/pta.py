"""PTA, probability trajectory accumulation (Huang, Lai and Wang, 2016)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lsec import checks
from lsec.consensus.co_association import ROWS_AT_ONCE, require_memory
from lsec.consensus.dendrogram import LINKAGES, agglomerate
from lsec.consensus.methods.method import Joined, Run
from lsec.consensus.micro_clusters import MicroClusters
from lsec.consensus.trajectories import Walks
from lsec.execution.memory import parse_bytes


@dataclass(frozen=True)
class PTA:
    """Agglomerative clustering of micro-clusters by the similarity of their trajectories.

    Micro-clusters count alike, whatever their size.

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
        require_memory(len(micro), self.memory_limit, "pta")
        distance = Walks.on(micro, run.workers).similarities(run.workers)
        for low in range(0, len(distance), ROWS_AT_ONCE):
            # Both halves alike to the last bit, and in blocks: there is no room for a copy.
            part = slice(low, low + ROWS_AT_ONCE)
            similarity = (distance[part, low:] + distance[low:, part].T) / 2
            distance[part, low:] = np.maximum(1 - similarity, 0)
            distance[low:, part] = distance[part, low:].T
        tree = agglomerate(distance, np.ones(len(micro)), self.linkage)
        return tree.join(n_clusters)
