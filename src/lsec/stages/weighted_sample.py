"""A random sample of weighted rows: every distinct row once, with the weight of its copies.

A row of weight w and w equal rows give the same sample, to the last bit, where all rows fit
in it; so do the same rows in another order.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from lsec.sources.source import RawRows, Source


def weighted_sample(
    source: Source, weights: np.ndarray | None, size: int, rng: np.random.Generator
) -> tuple[RawRows, np.ndarray]:
    """Distinct rows among `size` random ones, and their weights.

    Parameters
    ----------
    source : Source of shape (n, d)
    weights : float64 (n,) or None
        Rows of weight zero are never drawn; the others are all as likely. None counts every
        row once.
    size : int
        Rows to draw; all where there are no more.
    rng : Generator

    Returns
    -------
    rows : dense or CSR (n', d)
        In an order of their own.
    weights : float64 (n',)
    """
    counted = None if weights is None else np.flatnonzero(weights)
    n = source.shape[0] if counted is None else len(counted)
    drawn = np.sort(rng.choice(n, min(n, size), replace=False))
    if counted is not None:
        drawn = counted[drawn]
    raw = source.take(drawn)
    _, first, distinct = np.unique(_keys(raw), return_index=True, return_inverse=True)
    own = np.ones(len(drawn)) if weights is None else weights[drawn]
    return raw[first], np.bincount(distinct, own)


def _keys(raw: RawRows) -> np.ndarray:
    """Bytes of every row as float64: equal for equal rows of any type, fast to sort."""
    keys = np.empty(raw.shape[0], object)
    if not sparse.issparse(raw):
        rows = raw.astype(np.float64) + 0.0  # one zero: -0.0 becomes 0.0
        keys[:] = [row.tobytes() for row in rows]
        return keys
    rows = raw.astype(np.float64)
    rows.sum_duplicates()
    rows.eliminate_zeros()
    for i, (low, high) in enumerate(zip(rows.indptr, rows.indptr[1:], strict=False)):
        keys[i] = rows.indices[low:high].tobytes() + rows.data[low:high].tobytes()
    return keys
