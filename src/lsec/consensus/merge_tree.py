"""The merge tree of a consensus: coarser and finer clusterings without another fit.

Micro-clusters are grouped in an embedding of the ensemble, the clusters of the consensus are
divided into their groups, and groups and clusters are merged by average linkage of cosines: the
groups of each cluster first, then the clusters. The tree depends on the base clusterings and the
labels alone, not on the consensus function. Every cut is balanced (see `balanced_dendrogram`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import zip_longest

import numpy as np

from lsec import checks
from lsec.consensus.balanced_dendrogram import balanced_dendrogram
from lsec.consensus.dendrogram import Dendrogram
from lsec.consensus.groups import MAX_GROUPS, Space, link
from lsec.consensus.methods import Map
from lsec.consensus.micro_clusters import MicroClusters, ensemble_driven_index
from lsec.spectral.kmeans import MappedRows, group_rows, mean_vectors
from lsec.typing import Float64, Int32

THETA = 0.4
DIMENSIONS, DIMENSIONS_PER_CLUSTER = 80, 2
GROUPS_PER_CLUSTER = 2
SEED = 0


@dataclass(frozen=True, eq=False, repr=False)
class Layer:
    """One of several nested clusterings.

    Attributes
    ----------
    labels : int32 (n',)
        Cluster of every micro-cluster, numbered in the order of their first rows.
    parents : int32 (k,) or None
        Cluster in the next coarser layer that each cluster is a part of; None for the coarsest.

    Examples
    --------
    >>> from lsec import consensus
    >>> ensemble = [[0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 2, 3], [0, 0, 1, 1, 1, 1]]
    >>> tree = consensus(ensemble, 3, full_output=True, random_state=0).tree
    >>> fine, coarse = tree.layers([2, 3])
    >>> fine.n_clusters, fine.parents.tolist(), coarse.labels.tolist()
    (3, [0, 1, 1], [0, 1, 1, 1])
    """

    labels: Int32
    parents: Int32 | None

    def __repr__(self) -> str:
        return f"Layer(n_clusters={self.n_clusters})"

    @property
    def n_clusters(self) -> int:
        """Number of clusters, k."""
        return int(self.labels.max()) + 1


@dataclass(frozen=True, eq=False, repr=False)
class MergeTree:
    """Mergers of groups of micro-clusters that lead through the clusters of a consensus.

    Attributes
    ----------
    groups : int32 (n',)
        Group of every micro-cluster, numbered in the order of their first rows.
    dendrogram : Dendrogram
        Of the g groups.

    Examples
    --------
    >>> from lsec import consensus
    >>> ensemble = [[0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 2, 3], [0, 0, 1, 1, 1, 1]]
    >>> tree = consensus(ensemble, 3, full_output=True, random_state=0).tree
    >>> tree.weights.tolist(), tree.linkage.shape
    ([2.0, 2.0, 1.0, 1.0], (3, 4))
    >>> [(layer.labels.tolist(), layer.parents) for layer in tree.layers([2, 3])]
    [([0, 1, 2, 2], array([0, 1, 1], dtype=int32)), ([0, 1, 1, 1], None)]
    """

    groups: Int32
    dendrogram: Dendrogram

    def __repr__(self) -> str:
        return f"MergeTree(n_groups={len(self.weights)}, n_micro_clusters={len(self.groups)})"

    @property
    def weights(self) -> Float64:
        """Number of rows in every group, float64 (g,)."""
        return self.dendrogram.weights

    @property
    def linkage(self) -> Float64:
        """The mergers as a linkage matrix of SciPy, float64 (g - 1, 4).

        Each row has the two nodes that are merged, their distance and their number of groups.
        Distances ascend strictly, so that
        ``scipy.cluster.hierarchy.fcluster(tree.linkage, k, "maxclust")`` is the cut into k.
        """
        sizes = replace(self.dendrogram, weights=np.ones(len(self.weights))).node_weights
        nodes = np.sort(self.dendrogram.children, axis=1)
        return np.column_stack([nodes, self.dendrogram.heights, sizes[len(self.weights) :]])

    def cut(self, n_clusters: int) -> Int32:
        """Cluster of every micro-cluster, int32 (n',), numbered in the order of their first rows.

        Parameters
        ----------
        n_clusters : int
            At most the number of groups.
        """
        name = "n_clusters (at most the number of groups in the merge tree)"
        k = checks.integer(name, n_clusters, 1, len(self.weights))
        return self.dendrogram.cut(k)[self.groups]

    def layers(self, n_clusters: Sequence[int]) -> list[Layer]:
        """Nested clusterings with some numbers of clusters, the finest first."""
        cuts = [self.cut(k) for k in sorted(set(n_clusters), reverse=True)]
        found = []
        for labels, coarser in zip_longest(cuts, cuts[1:]):
            first = np.unique(labels, return_index=True)[1]
            found.append(Layer(labels, None if coarser is None else coarser[first]))
        return found

    @classmethod
    def of(cls, micro: MicroClusters, labels: Int32, n_clusters: int, map: Map) -> MergeTree:
        """Merge tree of a consensus that gave micro-clusters the labels int32 (n',)."""
        k = n_clusters
        n_dimensions = max(DIMENSIONS, DIMENSIONS_PER_CLUSTER * k)
        space = Space.of(micro, n_dimensions, ensemble_driven_index(micro, THETA))
        view = space.view(micro, n_dimensions)
        most = max(MAX_GROUPS, GROUPS_PER_CLUSTER * k)
        points_of = partial(MappedRows, spread=map)
        near = group_rows(view, micro.weights, most, np.random.default_rng(SEED), points_of)
        groups, of_group = _divide_groups(near, labels)
        means, weights = mean_vectors(view, micro.weights, groups, len(of_group))
        tree = _merge_within_clusters(means, weights, of_group, k)
        rows = means * weights[:, None]
        return cls(groups, balanced_dendrogram(tree, rows, k))


def _divide_groups(near: Int32, labels: Int32) -> tuple[Int32, Int32]:
    """Groups (n',) that lie in one cluster each, in order of occurrence; the cluster of each."""
    pairs = labels.astype(np.int64) * (int(near.max()) + 1) + near
    _, first, groups = np.unique(pairs, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order))
    return rank[groups], labels[first[order]]


def _merge_within_clusters(
    means: Float64, weights: Float64, of_group: Int32, n_clusters: int
) -> Dendrogram:
    """Dendrogram of groups (g, d): those of each cluster, then the clusters."""
    parts = [np.flatnonzero(of_group == cluster) for cluster in range(n_clusters)]
    trees = [link(means[part], weights[part]) for part in parts]
    pairs = np.concatenate([part[tree.pairs] for part, tree in zip(parts, trees, strict=True)])
    heights = np.concatenate([tree.heights for tree in trees])
    order = np.argsort(heights, kind="stable")
    between = link(*mean_vectors(means, weights, of_group, n_clusters))
    lowest = np.array([part[0] for part in parts])  # ascend: clusters are in order of occurrence
    pairs = np.concatenate([pairs[order], lowest[between.pairs]]).astype(np.int32)
    return Dendrogram(pairs, np.concatenate([heights[order], between.heights]), weights)
