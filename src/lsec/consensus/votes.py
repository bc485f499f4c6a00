"""Votes: how the base clusters of a row are spread over the consensus clusters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lsec.consensus.micro_clusters import (
    MicroClusters,
    cluster_counts,
    number_base_clusters,
    sum_over_labels,
    with_missing,
)
from lsec.typing import AnyArray, Float32, Float64, Int32, Int64

MIN_LEAD = 1e-6  # of the assigned cluster in soft memberships: above the rounding of float32


@dataclass(frozen=True)
class Votes:
    """Share of the rows of every base cluster that lies in each consensus cluster."""

    shares: Float64  # (C + 1, k); zero for a missing label
    n_labels: Int64  # (m,)

    @classmethod
    def of(cls, micro: MicroClusters, micro_labels: Int32, n_clusters: int) -> Votes:
        """Votes of the base clusters in a consensus with the given micro-cluster labels."""
        counts = cluster_counts(micro, micro_labels, n_clusters)
        sizes = counts.sum(axis=1, keepdims=True)
        return cls(with_missing(counts / np.where(sizes > 0, sizes, 1)), micro.n_labels)

    def mean(self, labels: AnyArray) -> Float64:
        """Mean share in each cluster over the base clusters of label rows (n, m), (n, k).

        Uniform for rows without a known base cluster.
        """
        total = sum_over_labels(self.shares, number_base_clusters(labels, self.n_labels))
        votes = total.sum(axis=1, keepdims=True)
        return np.where(votes > 0, total / np.where(votes > 0, votes, 1), 1 / total.shape[1])

    def clusters(self, labels: AnyArray, seen: Int32, micro_labels: Int32) -> Int32:
        """Clusters (n,) of label rows (n, m): those of known micro-clusters, else by votes.

        `seen` int32 (n,) are micro-clusters, -1 for label rows that are none.
        """
        clusters = micro_labels[seen]
        unseen = np.flatnonzero(seen < 0)
        clusters[unseen] = self.mean(labels[unseen]).argmax(axis=1)
        return clusters

    def confidence(self, labels: AnyArray, clusters: Int32) -> Float32:
        """Mean share in the assigned clusters (n,) of label rows (n, m), float32 (n,)."""
        own = np.take_along_axis(self.mean(labels), clusters[:, None], 1)[:, 0]
        return np.minimum(own, 1).astype(np.float32)

    def membership(self, labels: AnyArray, clusters: Int32) -> Float32:
        """Soft membership float32 (n, k) of label rows (n, m) with assigned clusters (n,).

        The mean shares v if the assigned cluster leads; otherwise mass is shifted to it until
        it leads: (1 − x) v, plus x for the assigned cluster, with the smallest such x.
        """
        votes = self.mean(labels)
        rows = np.arange(len(votes))
        own = votes[rows, clusters]
        votes[rows, clusters] = -1
        rival = votes.max(axis=1)
        votes[rows, clusters] = own
        behind = np.maximum(rival + MIN_LEAD - own, 0)
        shift = behind / (1 + np.maximum(rival - own, -0.5))  # zero if the cluster leads
        votes *= (1 - shift)[:, None]
        votes[rows, clusters] += shift
        return votes.astype(np.float32)
