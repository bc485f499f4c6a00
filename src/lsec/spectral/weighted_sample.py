"""A random sample of weighted rows: every distinct row once, with the weight of its copies.

A row of weight w and w equal rows one after the other give the same sample, to the last bit,
where all rows fit in it.
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
        In the order in which they first occur.
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
    order = np.argsort(first)
    return raw[first[order]], np.bincount(distinct, own)[order]


def _keys(raw: RawRows) -> np.ndarray:
    """The bytes of every row: equal for equal rows, and fast to compare as objects."""
    keys = np.empty(raw.shape[0], object)
    if not sparse.issparse(raw):
        rows = raw + raw.dtype.type(0)  # there is one zero: -0.0 becomes 0.0
        keys[:] = [row.tobytes() for row in rows]
        return keys
    rows = raw.copy()
    rows.sum_duplicates()
    rows.eliminate_zeros()
    for i, (low, high) in enumerate(zip(rows.indptr, rows.indptr[1:], strict=False)):
        keys[i] = rows.indices[low:high].tobytes() + rows.data[low:high].tobytes()
    return keys
