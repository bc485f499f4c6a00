"""Counting sort, and the smallest values of rows."""

import numpy as np

from lsec.kernels import kernel
from lsec.kernels.rows import insert_nearest


@kernel()
def run_starts(keys, n_keys):
    """Start of the run of every key in the sorted keys.

    IN keys int32 (n,) in 0..n_keys-1. Returns starts int32 (n_keys + 1,), the last one n.
    """
    starts = np.zeros(n_keys + 1, np.int32)
    for i in range(keys.shape[0]):
        starts[keys[i] + 1] += 1
    for k in range(n_keys):
        starts[k + 1] += starts[k]
    return starts


@kernel()
def stable_order(keys, n_keys):
    """Positions int32 (n,) sorted by key (stable), and the start of the run of every key."""
    starts = run_starts(keys, n_keys)
    fill = starts[:n_keys].copy()
    order = np.empty(keys.shape[0], np.int32)
    for i in range(keys.shape[0]):
        order[fill[keys[i]]] = i
        fill[keys[i]] += 1
    return order, starts


@kernel()
def smallest_of_rows(values, index, smallest):
    """Smallest values of every row, ascending, and their columns; equal ones in their order.

    IN values float64 (n, p), finite; OUT index uint16 (n, c), smallest float64 (n, c), c <= p.
    """
    for i in range(values.shape[0]):
        smallest[i] = np.inf
        for j in range(values.shape[1]):
            insert_nearest(values[i, j], j, smallest[i], index[i])
