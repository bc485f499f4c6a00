"""Agglomerative clustering: the tree of mergers, its cuts, and where to cut."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lsec.consensus.methods.method import Joined
from lsec.consensus.number_of_clusters import lifetime
from lsec.kernels.agglomerate import merge_chains, merge_single

LINKAGES = ("average", "complete", "single")


@dataclass(frozen=True)
class Dendrogram:
    """Mergers of n objects, nearest first.

    Attributes
    ----------
    pairs : int32 (n - 1, 2)
        Clusters that merge, each known by its lowest object, lower first.
    heights : float32 (n - 1,)
        Their distances, ascending.
    """

    pairs: np.ndarray
    heights: np.ndarray

    def cut(self, n_clusters: int) -> np.ndarray:
        """Labels int32 (n,) of the clusters before the last `n_clusters` - 1 mergers."""
        n = len(self.pairs) + 1
        parent = np.arange(n)
        kept = self.pairs[: n - n_clusters]
        parent[kept[:, 1]] = kept[:, 0]
        roots = parent.tolist()
        for i, above in enumerate(roots):  # a parent is lower than its child, thus final
            roots[i] = roots[above]
        return np.unique(roots, return_inverse=True)[1].astype(np.int32)

    def join(self, n_clusters: int | None) -> Joined:
        """The cut into `n_clusters`, or into as many as live longest."""
        if n_clusters is not None:
            return Joined(self.cut(n_clusters))
        evidence = lifetime(self.heights)
        return Joined(self.cut(evidence.best), evidence)


def agglomerate(distance: np.ndarray, weights: np.ndarray, linkage: str) -> Dendrogram:
    """Merge the nearest two clusters until one is left.

    Equal distances are ordered by the lowest objects of both clusters.

    Parameters
    ----------
    distance : float32 (n, n)
        Symmetric; overwritten.
    weights : float64 (n,)
        An object of weight w counts as w equal objects would.
    linkage : {"average", "complete", "single"}
        Mean, largest or smallest distance of the objects of two clusters.
    """
    n = len(distance)
    np.fill_diagonal(distance, np.inf)
    bits = distance.view(np.int32)
    gone, scratch = np.zeros(n, np.int32), np.empty(n, np.int32)
    pairs = np.empty((n - 1, 2), np.int32)
    heights = np.empty(n - 1, np.float32)
    if linkage == "single":
        merge_single(distance, bits, gone, scratch, pairs, heights)
        return Dendrogram(pairs, heights)
    weights = weights.astype(np.float64)
    merge_chains(distance, bits, weights, linkage == "complete", gone, scratch, pairs, heights)
    order = np.lexsort((pairs[:, 1], pairs[:, 0], heights))
    return Dendrogram(pairs[order], heights[order])
