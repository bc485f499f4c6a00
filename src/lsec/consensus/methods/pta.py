"""PTA: probability trajectory accumulation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lsec.consensus.co_association import ROWS_AT_ONCE
from lsec.consensus.dendrogram import Agglomerative, agglomerate
from lsec.consensus.memory import pairs_bytes, require_pairs
from lsec.consensus.methods import Joined, Tasks
from lsec.consensus.micro_clusters import MicroClusters
from lsec.consensus.trajectories import Walks, walks_bytes


@dataclass(frozen=True)
class PTA(Agglomerative):
    """Agglomerative clustering of micro-clusters by the similarity of their trajectories.

    Micro-clusters have equal weights, whatever their size. Parameters are those of
    `Agglomerative`.

    References
    ----------
    D. Huang, J.-H. Lai, C.-D. Wang. "Robust ensemble clustering using probability trajectories."
    IEEE Transactions on Knowledge and Data Engineering 28(5), 2016.
    """

    def n_bytes(self, micro: MicroClusters, n_clusters: int, n_threads: int) -> int:
        """The distances of all pairs, and walks."""
        return pairs_bytes(len(micro)) + walks_bytes(len(micro), n_threads)

    def join(self, micro: MicroClusters, n_clusters: int | None, tasks: Tasks) -> Joined:
        """Cut the dendrogram of 1 − cosine of trajectories."""
        require_pairs(len(micro), self.memory_limit, "pta")
        distance = Walks.on(micro, tasks).similarities()
        for low in range(0, len(distance), ROWS_AT_ONCE):
            # Made symmetric to the last bit, in blocks: there is no memory for a copy.
            part = slice(low, low + ROWS_AT_ONCE)
            similarity = (distance[part, low:] + distance[low:, part].T) / 2
            distance[part, low:] = np.maximum(1 - similarity, 0)
            distance[low:, part] = distance[part, low:].T
        tree = agglomerate(distance, np.ones(len(micro)), self.linkage)
        return Joined(*tree.best_cut(n_clusters))
