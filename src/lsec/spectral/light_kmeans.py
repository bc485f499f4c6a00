"""Light-k-means: cluster a sample, let every other row join its nearest center."""

from __future__ import annotations

import numpy as np

from lsec.rows.rows import Rows
from lsec.spectral.kmeans import KMeansResult, kmeans


def light_kmeans(
    rows: Rows, n_clusters: int, n_sample: int, rng: np.random.Generator, *, max_iter: int = 10
) -> KMeansResult:
    """k-means on at most `n_sample` random rows; labels and distances for all rows.

    Rows no more than the sample are clustered whole.
    """
    n = rows.shape[0]
    if n <= n_sample:
        return kmeans(rows, min(n_clusters, n), rng, max_iter=max_iter)
    sample = np.sort(rng.choice(n, n_sample, replace=False))
    result = kmeans(rows.take(sample), n_clusters, rng, max_iter=max_iter)
    labels, squared = rows.nearest(result.centers)
    inertia = float(squared.sum(dtype=np.float64))
    return KMeansResult(result.centers, labels, squared, inertia, result.n_iter)
