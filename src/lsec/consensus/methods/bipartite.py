"""Bipartite consensus (LSEC's Algorithm 2, U-SENC): cut the graph of rows and base clusters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lsec.consensus.bipartite_graph import cut_indicator
from lsec.consensus.methods.method import Joined, Run
from lsec.consensus.micro_clusters import MicroClusters


@dataclass(frozen=True)
class Bipartite:
    """Transfer cut of the graph that ties every row to its base clusters."""

    chooses_k = True

    def join(self, micro: MicroClusters, n_clusters: int | None, run: Run) -> Joined:
        """Join base clusterings."""
        equal = np.ones(micro.n_base_clusters)
        return cut_indicator(micro, equal, n_clusters, run.rng)
