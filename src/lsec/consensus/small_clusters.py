"""Clusters below a minimum size: merged with those that their rows' base clusters vote for."""

from __future__ import annotations

import numpy as np

from lsec.typing import Float64, Int64


def merge_small(counts: Float64, sizes: Float64, min_size: float, most: int | None = None) -> Int64:
    """The cluster int64 (k,) that every cluster becomes a part of: itself if it stays.

    The smallest cluster is merged with the other one that holds the largest mean share of its
    rows' base clusters, until none is smaller than `min_size` and there are at most `most`.
    `counts` (C, k) are the rows in each base cluster and cluster, `sizes` (k,) those of clusters.
    """
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1e-300)
    votes, sizes = counts.T @ shares, sizes.copy()
    into, left = np.arange(len(sizes)), len(sizes)
    while left > 1:
        smallest = int(np.argmin(sizes))
        if sizes[smallest] >= min_size and left <= (most or left):
            break
        favored = np.where(np.isinf(sizes), -1.0, votes[smallest])
        favored[smallest] = -1.0
        target = int(np.argmax(favored))
        votes[target] += votes[smallest]
        votes[:, target] += votes[:, smallest]
        sizes[target] += sizes[smallest]
        sizes[smallest] = np.inf  # gone
        into[into == smallest] = target
        left -= 1
    return into
