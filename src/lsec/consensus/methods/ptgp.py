"""PTGP, probability trajectory based graph partitioning (Huang, Lai and Wang, 2016)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lsec.consensus.bipartite_graph import MAX_ITER, N_INIT, leading_cut, unit_rows
from lsec.consensus.methods.method import Joined, Run
from lsec.consensus.micro_clusters import MicroClusters
from lsec.consensus.trajectories import Walks
from lsec.rows.frame import rows_of
from lsec.spectral.kmeans import kmeans

ROWS_AT_ONCE = 16384  # of the ties, in float64


@dataclass(frozen=True)
class PTGP:
    """Transfer cut of the graph that ties micro-clusters to base clusters by trajectories.

    A tie is the mean similarity to the micro-clusters inside the base cluster.
    Micro-clusters count alike, whatever their size.
    """

    chooses_k = True

    def join(self, micro: MicroClusters, n_clusters: int | None, run: Run) -> Joined:
        """Join base clusterings."""
        inside = micro.indicator.astype(np.float32).toarray()
        inside = inside[:, inside.any(axis=0)]
        inside /= inside.sum(axis=0)
        ties = Walks.on(micro, run.workers).similarity_times(inside, run.workers)
        parts = [ties[low : low + ROWS_AT_ONCE] for low in range(0, len(ties), ROWS_AT_ONCE)]
        affinity = sum(run.workers.map(affinity_by_ties, parts))
        vectors, n_clusters, evidence = leading_cut(affinity, len(micro), n_clusters)
        places = run.workers.map(lambda part: unit_rows(part @ vectors), parts)
        result = kmeans(
            rows_of(np.concatenate(places)),
            n_clusters,
            run.rng,
            init="k-means++",
            max_iter=MAX_ITER,
            n_init=N_INIT,
        )
        return Joined(result.labels, evidence)


def affinity_by_ties(ties: np.ndarray) -> np.ndarray:
    """B' D^-1 B float64 (C, C) of the ties B (n, C) of some rows, with D their sums."""
    half = ties.astype(np.float64)
    half /= np.sqrt(half.sum(axis=1, keepdims=True))
    return half.T @ half  # half as many operations as of two different matrices
