"""Weighted unit vectors: means, groups, and how far clusters stand apart.

The mean cosine of two sets of unit vectors is the product of their mean vectors.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from lsec.consensus.bipartite_graph import unit_rows
from lsec.consensus.methods.method import Run
from lsec.spectral.kmeans import kmeans
from lsec.spectral.threaded_rows import ThreadedRows

ROWS_AT_ONCE = 8192
GROUP_SAMPLE = 20_000
SAMPLE_PER_GROUP = 2
GROUP_STEPS = 4


def mean_vectors(
    rows: np.ndarray, weights: np.ndarray, labels: np.ndarray, n_labels: int
) -> tuple[np.ndarray, np.ndarray]:
    """Weighted mean (k, d) of the rows (n, d) of every label, and its weight (k,)."""
    sizes = np.bincount(labels, weights, n_labels)
    shape = n_labels, len(rows)
    gather = sparse.csr_matrix((weights, (labels, np.arange(len(rows)))), shape=shape)
    return (gather @ rows.astype(np.float64)) / np.maximum(sizes, 1e-300)[:, None], sizes


def nearest(rows: np.ndarray, directions: np.ndarray) -> np.ndarray:
    """The direction (k, d) with the largest cosine for every row (n, d), int32 (n,)."""
    out = np.empty(len(rows), np.int32)
    for low in range(0, len(rows), ROWS_AT_ONCE):
        part = slice(low, low + ROWS_AT_ONCE)
        out[part] = (rows[part] @ directions.T).argmax(axis=1)
    return out


def spherical_kmeans(
    rows: np.ndarray, weights: np.ndarray, labels: np.ndarray, n_clusters: int, steps: int
) -> np.ndarray:
    """Steps of k-means by cosine from a labeling; stops before a step that empties a cluster."""
    for _ in range(steps):
        means, _ = mean_vectors(rows, weights, labels, n_clusters)
        moved = nearest(rows, unit_rows(means))
        if len(np.unique(moved)) < n_clusters or np.array_equal(moved, labels):
            break
        labels = moved
    return labels


def mean_lead(rows: np.ndarray, weights: np.ndarray, labels: np.ndarray, n_clusters: int) -> float:
    """By how much rows are nearer to their own cluster than to the next best.

    Mean cosine with the rows of the own cluster less that with the rows of the best other
    one; averaged over the rows of each cluster, then over the clusters, which count alike.
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


def group_rows(rows: np.ndarray, weights: np.ndarray, most: int, run: Run) -> np.ndarray:
    """Groups int32 (n,) of near rows, at most so many; each row its own where there are no more."""
    n = len(rows)
    if n <= most:
        return np.arange(n, dtype=np.int32)
    sample, counts = rows, weights
    size = max(GROUP_SAMPLE, SAMPLE_PER_GROUP * most)
    if n > size:
        some = np.sort(run.rng.choice(n, size, replace=False, p=weights / weights.sum()))
        sample, counts = rows[some], np.ones(size)
    sampled = ThreadedRows(sample, run.workers)
    found = kmeans(sampled, most, run.rng, max_iter=GROUP_STEPS, weights=counts)
    labels, _ = ThreadedRows(rows, run.workers).nearest(found.centers)
    return np.unique(labels, return_inverse=True)[1]
