"""Linkage consensus, our own: average linkage of embedded micro-clusters, the best of several.

The bipartite graph is embedded as for "bipartite", in more dimensions than clusters. How
many are right depends on the data, so several are tried. For each, micro-clusters are
merged by the mean cosine of their embeddings, the dendrogram is cut into clusters that
weigh enough, and k-means steps settle the borders. The winner is the clustering whose
clusters stand apart most clearly, all judged in the same dimensions. The one merged in
fewer than those has not seen all that it is judged by, and must win clearly.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np

from lsec.consensus.balanced_cut import LOOSE, SplitTree
from lsec.consensus.bipartite_graph import add_up, base_cluster_affinity, unit_rows
from lsec.consensus.dendrogram import agglomerate
from lsec.consensus.methods.method import Joined, Run
from lsec.consensus.micro_clusters import MicroClusters
from lsec.consensus.number_of_clusters import MOST_CLUSTERS, Evidence, lifetime
from lsec.consensus.spherical_kmeans import (
    group_rows,
    mean_lead,
    mean_vectors,
    nearest,
    spherical_kmeans,
)
from lsec.spectral.transfer_cut import transfer_cut

DIMENSIONS_PER_CLUSTER = (1.5, 2.5, 4)
JUDGED_DIMENSIONS_PER_CLUSTER = 2
CLEARLY = 0.07  # by this share of the other lead; 0.05 to 0.08 are alike on the data tried
LIGHTEST = 0.05  # of the mean weight of a cluster: what is lighter is no cluster of its own
MOST_GROUPS = 1500
GROUPS_PER_CLUSTER = 10
FINISHING_STEPS = 20


@dataclass(frozen=True)
class Linkage:
    """Average linkage of the cosine of embedded micro-clusters, in several dimensions."""

    chooses_k = True

    def join(self, micro: MicroClusters, n_clusters: int | None, run: Run) -> Joined:
        """Join base clusterings."""
        affinity = base_cluster_affinity(micro, np.ones(micro.n_base_clusters))
        evidence = None
        if n_clusters is None:
            evidence = _choose_clusters(micro, affinity, run)
            n_clusters = evidence.best
        space = _place(micro, affinity, ceil(max(DIMENSIONS_PER_CLUSTER) * n_clusters))
        views = [_view(space, f * n_clusters) for f in DIMENSIONS_PER_CLUSTER]
        most = max(MOST_GROUPS, GROUPS_PER_CLUSTER * n_clusters)
        groups = group_rows(views[-1], micro.weights, most, run)
        candidates = run.workers.map(
            lambda view: _merge(view, micro.weights, groups, n_clusters), views
        )
        judge = _view(space, JUDGED_DIMENSIONS_PER_CLUSTER * n_clusters)
        leads = [mean_lead(judge, micro.weights, c, n_clusters) for c in candidates]
        return Joined(candidates[_clear_winner(leads)], evidence)


def _clear_winner(leads: list[float]) -> int:
    """The largest lead of those merged in many dimensions, unless the first is clearly larger."""
    best = 1 + int(np.argmax(leads[1:]))
    return 0 if leads[0] - leads[best] > CLEARLY * abs(leads[best]) else best


def _place(micro: MicroClusters, affinity: np.ndarray, n_dimensions: int) -> np.ndarray:
    """Embedding float64 (n', d) of micro-clusters, in so many dimensions if there are."""
    vectors = transfer_cut(affinity, min(n_dimensions, affinity.shape[0])).vectors
    table = np.concatenate([vectors, np.zeros((1, vectors.shape[1]))])
    return add_up(table, micro.base_clusters)


def _view(space: np.ndarray, n_dimensions: float) -> np.ndarray:
    """Directions float32 (n', d) of embedded micro-clusters in the first so many dimensions."""
    return unit_rows(space[:, : ceil(n_dimensions)])


def _merge(
    view: np.ndarray, weights: np.ndarray, groups: np.ndarray, n_clusters: int
) -> np.ndarray:
    """Clusters int32 (n',) by linkage of groups of embedded micro-clusters."""
    tree, means = _link(view, weights, groups)
    least = LIGHTEST * weights.sum() / n_clusters
    labels = tree.cut(n_clusters, least)
    loose = labels == LOOSE
    if loose.any():
        sizes = tree.weights[: len(labels)]
        centers, _ = mean_vectors(means[~loose], sizes[~loose], labels[~loose], n_clusters)
        labels[loose] = nearest(means[loose], centers)
    return spherical_kmeans(view, weights, labels[groups], n_clusters, FINISHING_STEPS)


def _link(
    view: np.ndarray, weights: np.ndarray, groups: np.ndarray
) -> tuple[SplitTree, np.ndarray]:
    """Dendrogram of groups by mean cosine distance, and the mean vectors of the groups."""
    means, sizes = mean_vectors(view, weights, groups, int(groups.max()) + 1)
    directions = means.astype(np.float32)
    distance = directions @ directions.T
    np.subtract(1, distance, out=distance)
    np.maximum(distance, 0, out=distance)
    return SplitTree.of(agglomerate(distance, sizes, "average"), sizes), means


def _choose_clusters(micro: MicroClusters, affinity: np.ndarray, run: Run) -> Evidence:
    """Lifetimes of the numbers of clusters that weigh enough."""
    view = unit_rows(_place(micro, affinity, MOST_CLUSTERS))
    groups = group_rows(view, micro.weights, MOST_GROUPS, run)
    tree, _ = _link(view, micro.weights, groups)
    splits = tree.heavy_splits(LIGHTEST * micro.weights.sum() / MOST_CLUSTERS)
    if not len(splits):  # nearly all rows are alike
        splits = tree.heavy_splits(0.0)
    return lifetime(tree.heights[splits[::-1]])
