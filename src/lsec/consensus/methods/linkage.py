"""Linkage consensus: average linkage of embedded micro-clusters, the best of several dimensions.

A function of this library. The bipartite graph is embedded as for "bipartite" (see its papers),
but in more dimensions than clusters. Their best number depends on the data, so several are
tried: micro-clusters are merged by the mean cosine of their embeddings (average linkage), the
dendrogram gets a balanced cut, and spherical k-means refines the clusters. The winner is the
candidate with the largest mean lead; all are compared in the same number of dimensions. The
lowest-dimensional candidate must win by a margin, since it was made in fewer dimensions than it
is judged in.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np

from lsec.consensus.bipartite_graph import base_cluster_affinity, unit_rows
from lsec.consensus.cooccurrence import BaseClusterMatrix
from lsec.consensus.dendrogram import UNASSIGNED, Dendrogram, agglomerate
from lsec.consensus.methods import Joined, Tasks
from lsec.consensus.micro_clusters import MicroClusters, sum_over_labels, with_missing
from lsec.consensus.number_of_clusters import MAX_CLUSTERS, Evidence, lifetime
from lsec.consensus.spherical_kmeans import (
    group_rows,
    mean_lead,
    mean_vectors,
    nearest_direction,
    spherical_kmeans,
)
from lsec.spectral.transfer_cut import transfer_cut
from lsec.typing import Float32, Float64, Int32

DIMENSIONS_PER_CLUSTER = (1.5, 2.5, 4)
JUDGING_DIMENSIONS_PER_CLUSTER = 2
MIN_RELATIVE_LEAD = 0.07  # share of the other lead; 0.05 to 0.08 are alike on the data tried
MIN_RELATIVE_WEIGHT = 0.05  # of a cluster, as a share of the mean weight of clusters
MAX_GROUPS = 1500
GROUPS_PER_CLUSTER = 10
REFINEMENT_STEPS = 20


@dataclass(frozen=True)
class Linkage:
    """Average linkage by the cosine of embedded micro-clusters, in several dimensions."""

    chooses_k = True

    def join(self, micro: MicroClusters, n_clusters: int | None, tasks: Tasks) -> Joined:
        """Make a candidate in each number of dimensions and return the best."""
        affinity = base_cluster_affinity(micro, np.ones(micro.n_base_clusters))
        evidence = None
        if n_clusters is None:
            evidence = _choose_clusters(micro, affinity, tasks)
            n_clusters = evidence.best
        k = n_clusters
        embedded = _embed(micro, affinity, ceil(max(DIMENSIONS_PER_CLUSTER) * k))
        views = [_view(embedded, factor * k) for factor in DIMENSIONS_PER_CLUSTER]
        max_groups = max(MAX_GROUPS, GROUPS_PER_CLUSTER * k)
        groups = group_rows(views[-1], micro.weights, max_groups, tasks)
        candidates = tasks.map(lambda view: _merge(view, micro.weights, groups, k), views)
        judging = _view(embedded, JUDGING_DIMENSIONS_PER_CLUSTER * k)
        leads = [mean_lead(judging, micro.weights, labels, k) for labels in candidates]
        return Joined(candidates[_winner(leads)], evidence)


def _winner(leads: list[float]) -> int:
    """The largest lead; the first, of the fewest dimensions, must win by a margin."""
    best = 1 + int(np.argmax(leads[1:]))
    return 0 if leads[0] - leads[best] > MIN_RELATIVE_LEAD * abs(leads[best]) else best


def _embed(micro: MicroClusters, affinity: BaseClusterMatrix, n_dimensions: int) -> Float64:
    """Embedding float64 (n', d) of micro-clusters, with d at most the number of base clusters."""
    vectors = transfer_cut(affinity, min(n_dimensions, affinity.shape[0])).vectors
    return sum_over_labels(with_missing(vectors), micro.base_clusters)


def _view(embedded: Float64, n_dimensions: float) -> Float32:
    """Unit vectors float32 (n', d) of embedded micro-clusters in the leading dimensions."""
    return unit_rows(embedded[:, : ceil(n_dimensions)])


def _merge(view: Float32, weights: Float64, groups: Int32, n_clusters: int) -> Int32:
    """Clusters int32 (n',) of embedded micro-clusters, by linkage of their groups."""
    tree, means = _link(view, weights, groups)
    labels = tree.balanced_cut(n_clusters, MIN_RELATIVE_WEIGHT * weights.sum() / n_clusters)
    unassigned = labels == UNASSIGNED
    if unassigned.any():
        known = ~unassigned
        centers, _ = mean_vectors(means[known], tree.weights[known], labels[known], n_clusters)
        labels[unassigned] = nearest_direction(means[unassigned], centers)
    return spherical_kmeans(view, weights, labels[groups], n_clusters, REFINEMENT_STEPS)


def _link(view: Float32, weights: Float64, groups: Int32) -> tuple[Dendrogram, Float64]:
    """Dendrogram of groups by mean cosine distance, and the mean vectors of the groups."""
    means, sizes = mean_vectors(view, weights, groups, int(groups.max()) + 1)
    directions = means.astype(np.float32)
    distance = directions @ directions.T
    np.subtract(1, distance, out=distance)
    np.maximum(distance, 0, out=distance)
    return agglomerate(distance, sizes, "average"), means


def _choose_clusters(micro: MicroClusters, affinity: BaseClusterMatrix, tasks: Tasks) -> Evidence:
    """Lifetimes of the numbers of clusters, over balanced splits only."""
    view = unit_rows(_embed(micro, affinity, MAX_CLUSTERS))
    groups = group_rows(view, micro.weights, MAX_GROUPS, tasks)
    tree, _ = _link(view, micro.weights, groups)
    splits = tree.balanced_splits(MIN_RELATIVE_WEIGHT * micro.weights.sum() / MAX_CLUSTERS)
    if not len(splits):  # nearly all rows have the same labels
        splits = tree.balanced_splits(0.0)
    return lifetime(tree.heights[splits[::-1]])
