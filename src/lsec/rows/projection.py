"""Projection of rows with many features to the leading principal directions of a sample.

Distances between rows of real data lie mostly in few directions. In these, true neighbors are
found at a fraction of the cost, and clusters do not get worse: see `Projection` for the rule.

References
----------
.. [1] Halko, N., Martinsson, P.-G., Tropp, J. A. "Finding structure with randomness:
   Probabilistic algorithms for constructing approximate matrix decompositions", SIAM Review
   53(2), 2011.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg, sparse
from sklearn.utils.extmath import randomized_svd

from lsec.rows.dense import ColumnRows, DenseRows
from lsec.rows.sparse import SparseRows
from lsec.typing import AnyArray, Float32, Float64, RawRows

LEAST, MOST = 64, 128
DIRECTIONS_PER_CLUSTER = 2
KEPT_VARIANCE = 0.75
SAMPLE_ROWS = 10_000
MOST_DENSE_FEATURES = 1024  # beyond, all directions cost more than the leading ones by [1]_
OVERSAMPLES = 16
POWER_ITERATIONS = 4


@dataclass(frozen=True)
class Projection:
    """Number of principal directions to project to.

    The smallest number that keeps three quarters of the variance of the sample, within bounds.

    Attributes
    ----------
    least, most : int
    """

    least: int
    most: int

    @classmethod
    def auto(cls, n_clusters: int) -> Projection:
        """64 to 128 directions, or up to two per cluster: centers of k clusters span k - 1."""
        return cls(LEAST, max(MOST, DIRECTIONS_PER_CLUSTER * n_clusters))

    def basis(self, sample: ColumnRows | DenseRows | SparseRows) -> Float32 | None:
        """Orthonormal directions float32 (d, q), by descending variance.

        Rows with no more features than `least` keep them all; sparse ones become dense.

        Parameters
        ----------
        sample : Rows or SparseRows of shape (n, d)
            Some rows in the working frame. Sparse rows are not centered.
        """
        d, is_sparse = sample.shape[1], isinstance(sample, SparseRows)
        if d <= self.least:
            return np.eye(d, dtype=np.float32) if is_sparse else None
        values = sample.matrix if isinstance(sample, SparseRows) else sample.points(slice(None))
        variances, directions, total = _leading_directions(values, min(self.most, d))
        n_kept = int(np.searchsorted(np.cumsum(variances), KEPT_VARIANCE * total)) + 1
        q = int(np.clip(n_kept, self.least, directions.shape[1]))
        return np.ascontiguousarray(directions[:, :q], np.float32)


def _leading_directions(rows: RawRows, most: int) -> tuple[Float64, AnyArray, float]:
    """Variances (q,), descending, directions (d, q), and the total variance; q is `most`.

    Fewer if there are fewer rows.
    """
    d, is_sparse = rows.shape[1], sparse.issparse(rows)
    if not is_sparse:
        rows = rows - rows.mean(axis=0, dtype=np.float64)
    total = float((rows.multiply(rows) if is_sparse else np.square(rows)).sum())
    if d <= MOST_DENSE_FEATURES and not is_sparse:
        values, directions = linalg.eigh(rows.T @ rows, subset_by_index=(d - most, d - 1))
        return values[::-1], directions[:, ::-1], total
    settings = {"n_oversamples": OVERSAMPLES, "n_iter": POWER_ITERATIONS, "random_state": 0}
    _, singular, directions = randomized_svd(rows, min(most, *rows.shape), **settings)
    return np.square(singular), directions.T, total
