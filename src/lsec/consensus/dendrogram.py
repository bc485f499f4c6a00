"""Agglomerative clustering: the dendrogram and its cuts.

Balanced cuts are for average linkage, which separates outliers first: near the top of its
dendrogram single distant objects split off one by one, and a plain cut spends its clusters on
them. A split counts only if both its sides have a minimum weight; lighter branches that split
off on the way are left unassigned.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lsec import checks
from lsec.consensus.number_of_clusters import Evidence, lifetime
from lsec.kernels.agglomerate import label_branches, merge_chains, merge_single
from lsec.typing import Float32, Float64, Int32, Int64

LINKAGES = ("average", "complete", "single")
UNASSIGNED = -1
MIN_RELATIVE_WEIGHT = 0.05  # of a cluster, as a share of the mean weight of clusters


@dataclass(frozen=True)
class Agglomerative:
    """Options of the consensus functions that agglomerate micro-clusters.

    Parameters
    ----------
    linkage : {"average", "complete", "single"}, default="average"
    memory_limit : int or str, default="4GiB"
        For the distances of all pairs of micro-clusters.
    """

    linkage: str = "average"
    memory_limit: int | float | str = "4GiB"

    chooses_k = True

    def __post_init__(self) -> None:
        checks.choice("linkage", self.linkage, LINKAGES)
        checks.memory_size(self.memory_limit)


@dataclass(frozen=True)
class Dendrogram:
    """Mergers of n objects in order of distance."""

    pairs: Int32  # (n - 1, 2), merged clusters by their lowest objects, lower first
    heights: Float32  # (n - 1,), their distances, ascending
    weights: Float64  # (n,), of the objects

    def cut(self, n_clusters: int) -> Int32:
        """Labels int32 (n,) of the clusters before the last `n_clusters` - 1 mergers."""
        n = len(self.weights)
        parent = np.arange(n)
        merged = self.pairs[: n - n_clusters]
        parent[merged[:, 1]] = merged[:, 0]
        roots = parent.tolist()
        for i, above in enumerate(roots):  # a parent is lower than its child, thus final
            roots[i] = roots[above]
        return np.unique(roots, return_inverse=True)[1].astype(np.int32)

    def best_cut(self, n_clusters: int | None) -> tuple[Int32, Evidence | None]:
        """The cut into `n_clusters`, or into the number with the longest lifetime."""
        if n_clusters is not None:
            return self.cut(n_clusters), None
        evidence = lifetime(self.heights)
        return self.cut(evidence.best), evidence

    @cached_property
    def children(self) -> Int64:
        """The dendrogram as a binary tree, int64 (n - 1, 2): mergers are nodes n, n + 1, ..."""
        children = _children(self.pairs.tolist(), len(self.weights))
        return np.array(children, np.int64).reshape(-1, 2)

    @cached_property
    def node_weights(self) -> Float64:
        """Weights of all nodes of the tree, float64 (2 n - 1,)."""
        weights = self.weights.tolist()
        for a, b in self.children.tolist():
            weights.append(weights[a] + weights[b])
        return np.array(weights)

    def balanced_splits(self, min_weight: float) -> Int64:
        """Mergers of two clusters of at least the given weight, highest first."""
        balanced = (self.node_weights[self.children] >= min_weight).all(axis=1)
        return np.flatnonzero(balanced)[::-1]

    def enough_splits(self, n_splits: int, min_weight: float) -> Int64:
        """At least `n_splits` balanced splits, highest first.

        The minimum weight is halved until there are enough.
        """
        least = 1e-9 * self.weights.sum()
        splits = self.balanced_splits(min_weight)
        while len(splits) < n_splits:
            min_weight = min_weight / 2 if min_weight > least else 0.0
            splits = self.balanced_splits(min_weight)
        return splits

    def balanced_cut(self, n_clusters: int, min_weight: float) -> Int32:
        """Labels int32 (n,) after the highest `n_clusters` - 1 balanced splits, or `UNASSIGNED`."""
        splits = self.enough_splits(n_clusters - 1, min_weight)
        return self.branches(splits[: n_clusters - 1]).labels

    def branches(self, splits: Int64) -> Branches:
        """The branches after some balanced splits, all those above the lowest of them."""
        n = len(self.weights)
        chosen = np.zeros(2 * n - 1, bool)
        chosen[n + splits] = True
        label = np.full(2 * n - 1, UNASSIGNED, np.int32)
        divided = np.empty(len(splits), np.int32)
        n_divided = label_branches(self.children, chosen, label, divided)
        return Branches(label[:n], divided[:n_divided].tolist())


@dataclass(frozen=True)
class Branches:
    """Branches of a dendrogram, which form a binary tree with the s splits between them.

    From the highest split to the lowest, the i-th divides branch `divided[i]` into itself and
    branch i + 1.
    """

    labels: Int32  # (n,), branch 0 .. s of every object; `UNASSIGNED` in lighter branches
    divided: list[int]

    @cached_property
    def children(self) -> list[tuple[int, int]]:
        """The two nodes below each split, lowest first: splits are nodes s + 1, s + 2, ..."""
        pairs = [(branch, i + 1) for i, branch in enumerate(self.divided)]
        return _children(pairs[::-1], len(pairs) + 1)

    def totals(self, values: Float64) -> Float64:
        """Sums (2 s + 1, c) of the values (s + 1, c) of the branches below every node."""
        total = [*values]
        for a, b in self.children:
            total.append(total[a] + total[b])
        return np.array(total)

    def best_cut(self, worth: Float64, n_clusters: int) -> Int32:
        """Labels int32 (n,) of the `n_clusters` nodes of the largest total worth (2 s + 1,).

        Every branch lies below one of these nodes, at most s + 1. Found by dynamic programming.
        """
        first = len(self.divided) + 1
        best = [np.array([-np.inf, of_branch]) for of_branch in worth[:first]]  # by clusters below
        for split, (a, b) in enumerate(self.children):
            most = min(n_clusters, len(best[a]) + len(best[b]) - 2)
            total = np.full(most + 1, -np.inf)
            total[1] = worth[first + split]
            for j in range(1, min(len(best[a]), most)):
                both = best[a][j] + best[b][1 : most + 1 - j]
                so_far = total[j + 1 : j + 1 + len(both)]
                np.maximum(so_far, both, out=so_far)
            best.append(total)
        cluster, used = np.full(len(best), UNASSIGNED, np.int32), 0
        open_nodes = [(len(best) - 1, n_clusters)]
        while open_nodes:
            node, k = open_nodes.pop()
            if k == 1:
                cluster[node], used = used, used + 1
                continue
            a, b = self.children[node - first]
            left = np.arange(max(1, k + 1 - len(best[b])), min(k, len(best[a])))
            j = int(left[np.argmax(best[a][left] + best[b][k - left])])
            open_nodes += [(a, j), (b, k - j)]
        for split, (a, b) in reversed(list(enumerate(self.children))):
            if cluster[first + split] != UNASSIGNED:
                cluster[a] = cluster[b] = cluster[first + split]
        return np.where(self.labels == UNASSIGNED, UNASSIGNED, cluster[self.labels])


def _children(pairs: list[tuple[int, int]], n: int) -> list[tuple[int, int]]:
    """The two nodes below each merger of n objects; mergers are nodes n, n + 1, ..."""
    node, children = list(range(n)), []  # node of the cluster with a given lowest object
    for merger, (low, high) in enumerate(pairs):
        children.append((node[low], node[high]))
        node[low] = n + merger
    return children


def agglomerate(distance: Float32, weights: Float64, linkage: str) -> Dendrogram:
    """Merge the nearest two clusters until one is left.

    Equal distances are ordered by the lowest objects of both clusters. The distances (n, n) are
    symmetric, and overwritten; an object of weight w counts as w equal objects. The linkage is
    the mean ("average"), largest ("complete") or smallest ("single") distance of two clusters.
    """
    n = len(distance)
    np.fill_diagonal(distance, np.inf)
    bits = distance.view(np.int32)
    gone, scratch = np.zeros(n, np.int32), np.empty(n, np.int32)
    pairs, heights = np.empty((n - 1, 2), np.int32), np.empty(n - 1, np.float32)
    if linkage == "single":
        merge_single(distance, bits, gone, scratch, pairs, heights)
        return Dendrogram(pairs, heights, weights)
    mass, complete = weights.astype(np.float64), linkage == "complete"
    known, latest = np.zeros(n, np.int32), np.full(n, -1, np.int32)
    merge_chains(distance, bits, mass, complete, gone, scratch, known, latest, pairs, heights)
    order = np.lexsort((pairs[:, 1], pairs[:, 0], heights))
    return Dendrogram(pairs[order], heights[order], weights)
