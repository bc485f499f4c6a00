"""Bipartite consensus, the consensus of U-SENC and LSEC (Algorithm 2 of the LSEC paper)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lsec.consensus.bipartite_graph import cut_indicator
from lsec.consensus.memory import graph_bytes, labels_bytes
from lsec.consensus.methods import Joined, Tasks
from lsec.consensus.micro_clusters import MicroClusters


@dataclass(frozen=True)
class Bipartite:
    """Transfer cut of the graph that connects every row to its base clusters.

    References
    ----------
    D. Huang, C.-D. Wang, J.-S. Wu, J.-H. Lai, C.-K. Kwoh. "Ultra-scalable spectral clustering
    and ensemble clustering." IEEE Transactions on Knowledge and Data Engineering 32(6), 2020.

    H. Li, X. Ye, A. Imakura, T. Sakurai. "LSEC: Large-scale spectral ensemble clustering."
    arXiv:2106.09852, 2021 (Algorithm 2).
    """

    chooses_k = True

    def n_bytes(self, micro: MicroClusters, n_clusters: int, n_threads: int) -> int:
        """The transfer cut."""
        return labels_bytes(micro) + graph_bytes(micro, n_clusters)

    def join(self, micro: MicroClusters, n_clusters: int | None, tasks: Tasks) -> Joined:
        """Cut the graph whose edges all have weight one."""
        return cut_indicator(micro, np.ones(micro.n_base_clusters), n_clusters, tasks.rng)
