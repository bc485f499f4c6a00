"""How the base clusters of a row vote on the consensus clusters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lsec.consensus.bipartite_graph import add_up
from lsec.consensus.label_kmeans import count
from lsec.consensus.micro_clusters import MicroClusters, number_base_clusters

LEAD = 1e-6  # by which a row's own cluster leads: more than float32 rounds off


@dataclass(frozen=True)
class Votes:
    """Where the rows of every base cluster went.

    Attributes
    ----------
    shares : float64 (C + 1, k)
        Share of each base cluster's rows in each consensus cluster; zero for a missing
        label.
    n_labels : int64 (m,)
    """

    shares: np.ndarray
    n_labels: np.ndarray

    @classmethod
    def of(cls, micro: MicroClusters, micro_labels: np.ndarray, n_clusters: int) -> Votes:
        """Votes of the base clusters of a consensus."""
        counts = count(micro, micro_labels, n_clusters)
        sizes = counts.sum(axis=1, keepdims=True)
        shares = counts / np.where(sizes > 0, sizes, 1)
        return cls(np.concatenate([shares, np.zeros((1, n_clusters))]), micro.n_labels)

    def tally(self, labels: np.ndarray) -> np.ndarray:
        """Mean share in each cluster over the base clusters of label rows, float64 (n, k).

        Rows none of whose base clusters is known vote for all clusters alike.
        """
        total = add_up(self.shares, number_base_clusters(labels, self.n_labels))
        votes = total.sum(axis=1, keepdims=True)
        return np.where(votes > 0, total / np.where(votes > 0, votes, 1), 1 / total.shape[1])

    def confidence(self, labels: np.ndarray, clusters: np.ndarray) -> np.ndarray:
        """Mean share in the row's own cluster, float32 (n,)."""
        own = np.take_along_axis(self.tally(labels), clusters[:, None], 1)[:, 0]
        return np.minimum(own, 1).astype(np.float32)

    def membership(self, labels: np.ndarray, clusters: np.ndarray) -> np.ndarray:
        """Soft membership of label rows (n, m) with clusters (n,), float32 (n, k).

        The tally v where the row's own cluster leads. Elsewhere (1 - x) v plus x for the
        own cluster, with the smallest x that lets it lead.
        """
        votes = self.tally(labels)
        rows = np.arange(len(votes))
        own = votes[rows, clusters]
        votes[rows, clusters] = -1
        rival = votes.max(axis=1)
        votes[rows, clusters] = own
        behind = np.maximum(rival + LEAD - own, 0)
        moved = behind / (1 + np.maximum(rival - own, -0.5))  # what leads does not move
        votes *= (1 - moved)[:, None]
        votes[rows, clusters] += moved
        return votes.astype(np.float32)
