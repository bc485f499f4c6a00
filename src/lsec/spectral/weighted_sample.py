"""A random sample of weighted rows: every distinct row once, with the weight of its copies.

A row of weight w and w equal rows in succession give the same sample, to the last bit, if all
rows fit into it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from lsec.typing import Float64, Int64, RawRows


def draw_weighted(
    n_rows: int, weights: Float64 | None, size: int, rng: np.random.Generator
) -> Int64:
    """Positions of `size` random rows, ascending; all rows if there are no more.

    Rows of weight zero are never drawn; the others are equally likely.
    """
    counted = np.arange(n_rows) if weights is None else np.flatnonzero(weights)
    drawn = np.sort(rng.choice(len(counted), min(len(counted), size), replace=False))
    return counted[drawn]


def merge_equal_rows(raw: RawRows, weights: Float64) -> tuple[RawRows, Float64]:
    """Distinct rows (n', d) in the order in which they first occur, and their weights (n',)."""
    _, first, distinct = np.unique(_keys(raw), return_index=True, return_inverse=True)
    order = np.argsort(first)
    merged = np.bincount(distinct, weights).astype(np.float64, copy=False)[order]
    return raw[first[order]], merged


def _keys(raw: RawRows) -> NDArray[Any]:
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
