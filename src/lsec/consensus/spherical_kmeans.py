"""Spherical k-means: weighted unit vectors clustered by cosine.

The mean cosine between two sets of unit vectors is the product of their mean vectors.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from lsec.consensus.bipartite_graph import unit_rows
from lsec.consensus.methods import Map, Tasks
from lsec.rows.dense import BATCH
from lsec.rows.frame import rows_of
from lsec.spectral.kmeans import kmeans
from lsec.typing import AnyArray, Float32, Float64, Int32, Int64

ROWS_AT_ONCE = 8192
MIN_GROUPING_SAMPLE = 20_000
SAMPLE_PER_GROUP = 2
GROUPING_STEPS = 4


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
        self._parts = [rows_of(points[low : low + BATCH]) for low in range(0, len(points), BATCH)]

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and features."""
        return self._rows.shape

    def points(self, which: Int64) -> Float32:
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
