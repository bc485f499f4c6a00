"""Cut a dendrogram into clusters that all weigh enough.

Average linkage sets outliers apart: near its top, single far objects split off one by
one, and the clusters asked for would be spent on them. A split counts here only if both
its sides weigh enough; what splits off lighter joins its nearest cluster in the end.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lsec.consensus.dendrogram import Dendrogram

LOOSE = -1


@dataclass(frozen=True)
class SplitTree:
    """A dendrogram as a binary tree: objects are nodes 0 .. n - 1, mergers follow in order.

    Attributes
    ----------
    children : int64 (n - 1, 2)
    heights : float32 (n - 1,)
    weights : float64 (2 n - 1,)
    """

    children: np.ndarray
    heights: np.ndarray
    weights: np.ndarray

    @classmethod
    def of(cls, dendrogram: Dendrogram, weights: np.ndarray) -> SplitTree:
        """The tree of a dendrogram of objects with weights (n,)."""
        n = len(weights)
        node = list(range(n))  # of the cluster that is known by its lowest object
        total = weights.tolist()
        children = []
        for merger, (low, high) in enumerate(dendrogram.pairs.tolist()):
            children.append((node[low], node[high]))
            total.append(total[node[low]] + total[node[high]])
            node[low] = n + merger
        return cls(np.array(children).reshape(-1, 2), dendrogram.heights, np.array(total))

    def heavy_splits(self, least: float) -> np.ndarray:
        """Mergers of which both sides weigh at least so much, highest first."""
        heavy = (self.weights[self.children] >= least).all(axis=1)
        return np.flatnonzero(heavy)[::-1]

    def cut(self, n_clusters: int, least: float) -> np.ndarray:
        """Labels int32 (n,) after the highest `n_clusters` - 1 heavy splits; LOOSE for the rest.

        The least weight is halved until there are enough splits.
        """
        splits = self.heavy_splits(least)
        while len(splits) < n_clusters - 1:
            least = least / 2 if least > 1e-9 * self.weights[-1] else 0.0
            splits = self.heavy_splits(least)
        chosen = np.zeros(len(self.children), bool)
        chosen[splits[: n_clusters - 1]] = True
        return self._spread_labels(chosen)

    def _spread_labels(self, chosen: np.ndarray) -> np.ndarray:
        n = len(self.children) + 1
        splits_below = np.concatenate([np.zeros(n, bool), chosen])
        for merger, (a, b) in enumerate(self.children):
            splits_below[n + merger] |= splits_below[a] or splits_below[b]
        label = np.full(2 * n - 1, LOOSE, np.int32)
        label[-1], used = 0, 1
        for merger in range(n - 2, -1, -1):
            (a, b), here = self.children[merger], label[n + merger]
            label[a] = label[b] = here
            if here == LOOSE:
                continue
            if chosen[merger]:
                label[b], used = used, used + 1
            elif splits_below[n + merger]:  # a light side falls off above a chosen split
                label[b if splits_below[a] else a] = LOOSE
        return label[:n]
