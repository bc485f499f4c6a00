"""EAC: evidence accumulation clustering."""

from __future__ import annotations

from dataclasses import dataclass

from lsec.consensus.co_association import CoAssociation
from lsec.consensus.dendrogram import Agglomerative, agglomerate
from lsec.consensus.memory import labels_bytes, pairs_bytes, require_pairs
from lsec.consensus.methods import Joined, Tasks
from lsec.consensus.micro_clusters import MicroClusters


@dataclass(frozen=True)
class EAC(Agglomerative):
    """Agglomerative clustering by the co-association of rows.

    Parameters are those of `Agglomerative`.

    References
    ----------
    A. L. N. Fred, A. K. Jain. "Combining multiple clusterings using evidence accumulation." IEEE
    Transactions on Pattern Analysis and Machine Intelligence 27(6), 2005.
    """

    def n_bytes(self, micro: MicroClusters, n_clusters: int, n_threads: int) -> int:
        """The distances of all pairs."""
        return labels_bytes(micro) + pairs_bytes(len(micro))

    def join(self, micro: MicroClusters, n_clusters: int | None, tasks: Tasks) -> Joined:
        """Cut the dendrogram of 1 − Z Z' / m, with Z the indicator of base clusters."""
        require_pairs(len(micro), self.memory_limit, "eac")
        distance = CoAssociation(micro).distances(tasks.map)
        return Joined(*agglomerate(distance, micro.weights, self.linkage).best_cut(n_clusters))
