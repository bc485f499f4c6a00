"""Random inputs of property tests."""

import numpy as np
from hypothesis import strategies as st
from scipy import sparse

from lsec.rows.dense import ColumnRows, DenseRows
from lsec.rows.rows import Neighbors
from lsec.rows.sparse import SparseRows
from lsec.sources import ArraySource

KINDS = ("columns", "dense", "sparse")
seeds = st.integers(0, 2**32 - 1)


def random_points(rng, n, d):
    """Points float32 (n, d), now and then on a coarse grid so that ties and duplicates occur."""
    points = rng.normal(size=(n, d))
    return (points.round(1) if rng.random() < 0.3 else points).astype(np.float32)


def normal_points(rng, n, d):
    """Points float32 (n, d), all different."""
    return rng.normal(size=(n, d)).astype(np.float32)


def rows_of_kind(kind, points):
    """Points (n, d) as rows of one of `KINDS`."""
    if kind == "columns":
        return ColumnRows(np.ascontiguousarray(points.T))
    if kind == "dense":
        return DenseRows(points)
    return SparseRows(sparse.csr_matrix(points.astype(np.float64)))


def random_neighbors(rng, n, p, k, *, shuffled=False):
    """Neighbors of n rows: k different ones of p landmarks, distances ascending."""
    landmarks = np.array([rng.choice(p, k, replace=False) for _ in range(n)], np.uint16)
    squared = np.sort(rng.exponential(size=(n, k)), axis=1).astype(np.float32)
    order = rng.permutation(n) if shuffled else np.arange(n)
    return Neighbors(order.astype(np.int32), landmarks, squared)


def array_source(rows):
    """A source of rows in memory."""
    return ArraySource(rows)
