"""Linkage consensus: average linkage of embedded micro-clusters, the best of several dimensions.

A function of this library. The bipartite graph is embedded as for "bipartite" (see its papers),
but in more dimensions than clusters. Their best number depends on the data, so several are
tried: micro-clusters are merged by the mean cosine of their embeddings (average linkage), the
dendrogram gets a balanced cut, and spherical k-means refines the clusters. The winner is the
candidate with the largest mean lead; all are compared in the same number of dimensions. The
lowest-dimensional candidate must win by a margin, since it was made in fewer dimensions than it
is judged in.

Spherical k-means clusters weighted unit vectors by cosine; the mean cosine between two sets of
them is the product of their mean vectors.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np
from scipy import sparse

from lsec.consensus.dendrogram import UNASSIGNED, Dendrogram, agglomerate
from lsec.consensus.methods import Joined, Map, Tasks
from lsec.consensus.micro_clusters import (
    BaseClusterMatrix,
    MicroClusters,
    base_cluster_affinity,
    sum_over_labels,
    with_missing,
)
from lsec.consensus.number_of_clusters import MAX_CLUSTERS, Evidence, lifetime
from lsec.rows.frame import rows_of
from lsec.spectral.kmeans import kmeans
from lsec.spectral.transfer_cut import transfer_cut, unit_rows
from lsec.typing import AnyArray, Float32, Float64, Int32, Int64

DIMENSIONS_PER_CLUSTER = (1.5, 2.5, 4)
JUDGING_DIMENSIONS_PER_CLUSTER = 2
MIN_RELATIVE_LEAD = 0.07  # share of the other lead; 0.05 to 0.08 are alike on the data tried
MIN_RELATIVE_WEIGHT = 0.05  # of a cluster, as a share of the mean weight of clusters
MAX_GROUPS = 1500
GROUPS_PER_CLUSTER = 10
REFINEMENT_STEPS = 20
ROWS_AT_ONCE = 8192
MIN_GROUPING_SAMPLE = 20_000
SAMPLE_PER_GROUP = 2
GROUPING_STEPS = 4


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


# Spherical k-means, and groups of unit vectors


def mean_vectors(
    rows: AnyArray, weights: Float64, labels: Int32, n_labels: int
) -> tuple[Float64, Float64]:
    """Weighted mean (k, d) of the rows (n, d) of every label, and its weight (k,)."""
    sizes = np.bincount(labels, weights, n_labels).astype(np.float64)
    shape = n_labels, len(rows)
    gather = sparse.csr_matrix((weights, (labels, np.arange(len(rows)))), shape=shape)
    return (gather @ rows.astype(np.float64)) / np.maximum(sizes, 1e-300)[:, None], sizes


def nearest_direction(rows: AnyArray, directions: AnyArray) -> Int32:
    """The direction (k, d) with the largest cosine to every row (n, d), int32 (n,)."""
    out = np.empty(len(rows), np.int32)
    for low in range(0, len(rows), ROWS_AT_ONCE):
        part = slice(low, low + ROWS_AT_ONCE)
        out[part] = (rows[part] @ directions.T).argmax(axis=1)
    return out


def spherical_kmeans(
    rows: Float32, weights: Float64, labels: Int32, n_clusters: int, max_iter: int
) -> Int32:
    """Refine a labeling by spherical k-means; stops before a step that empties a cluster."""
    for _ in range(max_iter):
        means, _ = mean_vectors(rows, weights, labels, n_clusters)
        moved = nearest_direction(rows, unit_rows(means))
        if len(np.unique(moved)) < n_clusters or np.array_equal(moved, labels):
            break
        labels = moved
    return labels


def mean_lead(rows: Float32, weights: Float64, labels: Int32, n_clusters: int) -> float:
    """Mean lead of rows (n, d): how much nearer they are to their cluster than to the next.

    The lead of a row is its mean cosine with the rows of its own cluster minus that with the
    rows of the best other cluster. It is averaged over the rows of each cluster, then over the
    clusters, with equal weights.
    """
    means, sizes = mean_vectors(rows, weights, labels, n_clusters)
    lead = np.zeros(n_clusters)
    for low in range(0, len(rows), ROWS_AT_ONCE):
        part = slice(low, low + ROWS_AT_ONCE)
        cosine = rows[part] @ means.T
        own = np.take_along_axis(cosine, labels[part, None], 1)[:, 0]
        np.put_along_axis(cosine, labels[part, None], -np.inf, 1)
        ahead = weights[part] * (own - cosine.max(axis=1))
        lead += np.bincount(labels[part], ahead, n_clusters)
    return float((lead / sizes).mean())


class MappedRows:
    """Dense float32 points (n, d) whose nearest centers are tasks of a `map`.

    A task takes as many points as one product of a single thread would, so that results are
    the same to the last bit.
    """

    def __init__(self, points: Float32, map: Map):
        self._map = map
        self._rows = rows_of(points)
        self._parts = [
            rows_of(points[low : low + ROWS_AT_ONCE]) for low in range(0, len(points), ROWS_AT_ONCE)
        ]

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and features."""
        return self._rows.shape

    def points(self, which: Int64 | slice) -> Float32:
        """The given rows as a dense float32 array (len(which), d)."""
        return self._rows.points(which)

    def nearest(self, centers: Float32) -> tuple[Int32, Float32]:
        """Nearest center of every row and the squared distance."""
        found = self._map(lambda part: part.nearest(centers), self._parts)
        labels, squared = zip(*found, strict=True)
        return np.concatenate(labels), np.concatenate(squared)

    def means(self, labels: Int32, weights: Float64, n_labels: int) -> tuple[Float32, Float64]:
        """Weighted mean of the rows of every label, and the weights."""
        return self._rows.means(labels, weights, n_labels)


def group_rows(rows: Float32, weights: Float64, max_groups: int, tasks: Tasks) -> Int32:
    """Groups int32 (n,) of nearby rows (n, d), by k-means on a sample.

    At most `max_groups`; if there are no more rows than that, each is its own group.
    """
    n = len(rows)
    if n <= max_groups:
        return np.arange(n, dtype=np.int32)
    sample, counts = rows, weights
    size = max(MIN_GROUPING_SAMPLE, SAMPLE_PER_GROUP * max_groups)
    if n > size:
        some = np.sort(tasks.rng.choice(n, size, replace=False, p=weights / weights.sum()))
        sample, counts = rows[some], np.ones(size)
    sampled = MappedRows(sample, tasks.map)
    found = kmeans(sampled, max_groups, tasks.rng, max_iter=GROUPING_STEPS, weights=counts)
    labels, _ = MappedRows(rows, tasks.map).nearest(found.centers)
    return np.unique(labels, return_inverse=True)[1].astype(np.int32)
