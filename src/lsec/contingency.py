"""The contingency table of two labelings, and the scores that depend on it alone.

Only the table depends on the number of rows. Integer labels are counted block by block in the
dtype they come in: 20 million rows take a fraction of a second and no array of that length is
allocated.

References
----------
A. Strehl, J. Ghosh. "Cluster ensembles: a knowledge reuse framework for combining multiple
partitions." Journal of Machine Learning Research 3, 2002 (normalized mutual information).

L. Hubert, P. Arabie. "Comparing partitions." Journal of Classification 2, 1985 (adjusted Rand
index).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lsec.typing import AnyArray, Int64

_BLOCK_ROWS = 65_536
_SMALL_RANGE = 1_024  # widest span of integer labels that is counted without sorting
_MAX_CELLS = 2**27  # 1 GiB of int64

# Normalizations of the mutual information, as functions of H(true), H(pred) and H(true, pred).
AVERAGES: dict[str, Callable[[float, float, float], float]] = {
    "geometric": lambda h_true, h_pred, h_joint: math.sqrt(h_true * h_pred),
    "joint": lambda h_true, h_pred, h_joint: h_joint,
    "max": lambda h_true, h_pred, h_joint: max(h_true, h_pred),
    "arithmetic": lambda h_true, h_pred, h_joint: (h_true + h_pred) / 2,
    "min": lambda h_true, h_pred, h_joint: min(h_true, h_pred),
}


def contingency_table(labels_true: ArrayLike, labels_pred: ArrayLike) -> Int64:
    """Count how often each pair of labels occurs.

    Parameters
    ----------
    labels_true : array-like of shape (n_samples,)
        Reference labels: integers, strings or any values that can be ordered.
    labels_pred : array-like of shape (n_samples,)
        Labels to compare with them.

    Returns
    -------
    table : ndarray of shape (n_classes, n_clusters), int64
        ``table[i, j]`` is the number of rows with the i-th distinct reference label and the j-th
        distinct predicted label, both in ascending order. No row and no column is all zero.

    Examples
    --------
    >>> from lsec.metrics import contingency_table
    >>> contingency_table(["a", "a", "b", "b"], [5, 5, 5, 9])
    array([[2, 0],
           [1, 1]])
    """
    true = _as_labels(labels_true, "labels_true")
    pred = _as_labels(labels_pred, "labels_pred")
    if true.size != pred.size:
        raise ValueError(
            "labels_true and labels_pred must have the same length, one label per row; got "
            f"{true.size} and {pred.size}. Pass the labels of the same rows in the same order."
        )
    table = _count_pairs(_encode(true, "labels_true"), _encode(pred, "labels_pred"))
    return table[table.any(axis=1)][:, table.any(axis=0)]


def nmi_of_table(table: Int64, average: str = "geometric") -> float:
    """Normalized mutual information of the rows and columns of a table of counts (r, c)."""
    if not table.any():
        return 0.0
    h_true, h_pred = _entropy(table.sum(axis=1)), _entropy(table.sum(axis=0))
    divisor = AVERAGES[average](h_true, h_pred, _entropy(table.ravel()))
    return min(1.0, _mutual_information(table) / divisor) if divisor > 0 else 0.0


def ari_of_table(table: Int64) -> float:
    """Adjusted Rand index of the rows and columns of a table of counts (r, c)."""
    if not table.any():
        return 0.0
    n_rows = int(table.sum())
    together = _n_pairs(table)
    in_true, in_pred = _n_pairs(table.sum(axis=1)), _n_pairs(table.sum(axis=0))
    pairs = n_rows * (n_rows - 1) // 2
    # Python integers from here on: the products exceed 64 bits.
    spread = pairs * (in_true + in_pred) - 2 * in_true * in_pred
    if spread == 0:  # both put all rows in one cluster, or both every row in its own
        return 1.0
    return 2 * (pairs * together - in_true * in_pred) / spread


@dataclass(frozen=True)
class _Encoded:
    """Integer labels ``values`` of which ``values - offset`` lies in ``0..size-1``."""

    values: NDArray[np.integer[Any]]
    offset: int
    size: int

    def codes(self, rows: slice) -> Int64:
        """Return ``values[rows] - offset``; only a block is ever widened."""
        wide = np.uint64 if self.values.dtype == np.uint64 else np.int64
        codes: AnyArray = np.subtract(self.values[rows], self.offset, dtype=wide)
        return codes.astype(np.int64, copy=False)


def _as_labels(labels: ArrayLike, name: str) -> AnyArray:
    """Return `labels` as a non-empty 1-D array, without a copy where possible."""
    values = np.asarray(labels)
    if values.ndim != 1:
        raise ValueError(
            f"{name} must be one-dimensional, one label per row; got an array of shape "
            f"{values.shape}. Pass one column, for example {name}[:, 0]."
        )
    if values.size == 0:
        raise ValueError(f"{name} must hold at least one label; got none. Pass a label per row.")
    return values


def _encode(values: AnyArray, name: str) -> _Encoded:
    """Assign numbers to labels: by an offset where they span little, else by sorting."""
    if values.dtype.kind == "b":
        return _Encoded(values.view(np.uint8), 0, 2)
    if values.dtype.kind in "iu":
        low, high = int(values.min()), int(values.max())
        if high - low < _SMALL_RANGE:
            return _Encoded(values, low, high - low + 1)
    if values.dtype.kind == "f" and np.isnan(values).any():
        raise ValueError(
            f"{name} must not contain NaN; got {int(np.isnan(values).sum())} of {values.size}. "
            "Give these rows a label of their own, or leave them out of both labelings."
        )
    distinct, codes = np.unique(values, return_inverse=True)
    return _Encoded(codes, 0, distinct.size)


def _count_pairs(true: _Encoded, pred: _Encoded) -> Int64:
    """Count the code pairs of two labelings in a table of shape (true.size, pred.size)."""
    n_cells = true.size * pred.size
    if n_cells > _MAX_CELLS:
        raise ValueError(
            f"the table of label pairs may have at most {_MAX_CELLS} cells; got {true.size} "
            f"distinct labels against {pred.size}. Check that both are labels and not row numbers."
        )
    step = max(_BLOCK_ROWS, n_cells)  # a block's own table never costs more than its rows
    counts = np.zeros(n_cells, dtype=np.int64)
    for start in range(0, true.values.size, step):
        rows = slice(start, start + step)
        pairs = true.codes(rows)
        pairs *= pred.size
        pairs += pred.codes(rows)
        counts += np.bincount(pairs, minlength=n_cells)
    return counts.reshape(true.size, pred.size)


def _entropy(counts: Int64) -> float:
    """Entropy (in nats) of the distribution proportional to `counts`, an array of any length."""
    shares = counts[counts > 0] / counts.sum()
    return max(0.0, -float(shares @ np.log(shares)))


def _mutual_information(table: Int64) -> float:
    """Mutual information (in nats) of rows and columns of a table of shape (r, c)."""
    i, j = np.nonzero(table)
    shares = table[i, j] / table.sum()
    of_row, of_column = table.sum(axis=1) / table.sum(), table.sum(axis=0) / table.sum()
    gain = np.log(shares) - np.log(of_row[i]) - np.log(of_column[j])
    return max(0.0, float(shares @ gain))


def _n_pairs(counts: Int64) -> int:
    """Return the number of pairs of rows within the cells, exact up to 3e9 rows."""
    return int((counts * (counts - 1) // 2).sum())
