"""PTGP: probability trajectory based graph partitioning."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lsec.consensus.bipartite_graph import discretize, leading_cut
from lsec.consensus.memory import GRAPH_COPIES, labels_bytes
from lsec.consensus.methods import Joined, Tasks
from lsec.consensus.micro_clusters import MicroClusters
from lsec.consensus.trajectories import Walks, walks_bytes
from lsec.spectral.transfer_cut import unit_rows
from lsec.typing import Float32, Float64

ROWS_AT_ONCE = 16384  # of the edge weights, in float64


@dataclass(frozen=True)
class PTGP:
    """Transfer cut of the bipartite graph whose edges are weighted by trajectories.

    The weight of an edge is the mean similarity of the micro-cluster to those inside the base
    cluster. Micro-clusters have equal weights, whatever their size.

    References
    ----------
    D. Huang, J.-H. Lai, C.-D. Wang. "Robust ensemble clustering using probability trajectories."
    IEEE Transactions on Knowledge and Data Engineering 28(5), 2016.
    """

    chooses_k = True

    def n_bytes(self, micro: MicroClusters, n_clusters: int, n_threads: int) -> int:
        """Dense edge weights, walks, and the transfer cut."""
        edges = 24 * len(micro) * micro.n_base_clusters
        cut = 8 * GRAPH_COPIES * micro.n_base_clusters**2
        return labels_bytes(micro) + edges + cut + walks_bytes(len(micro), n_threads)

    def join(self, micro: MicroClusters, n_clusters: int | None, tasks: Tasks) -> Joined:
        """Cut the graph of micro-clusters and base clusters."""
        inside = micro.indicator.astype(np.float32).toarray()
        inside = inside[:, inside.any(axis=0)]
        inside /= inside.sum(axis=0)
        edges = Walks.on(micro, tasks).similarity_times(inside)
        parts = [edges[low : low + ROWS_AT_ONCE] for low in range(0, len(edges), ROWS_AT_ONCE)]
        affinity = sum(tasks.map(affinity_of_edges, parts))
        vectors, n_clusters, evidence = leading_cut(affinity, len(micro), n_clusters)
        embedded = np.concatenate(tasks.map(lambda part: unit_rows(part @ vectors), parts))
        return Joined(discretize(embedded, n_clusters, tasks.rng).labels, evidence)


def affinity_of_edges(edges: Float32) -> Float64:
    """Affinity B' D^-1 B (C, C) for edge weights B (n, C) of some rows, with D their sums."""
    half = edges.astype(np.float64)
    half /= np.sqrt(half.sum(axis=1, keepdims=True))
    return half.T @ half  # a symmetric product takes half the operations
