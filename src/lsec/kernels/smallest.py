"""The smallest values of every row of a matrix."""

import numpy as np

from lsec.kernels.compiled import kernel


@kernel(inline="always")
def insert_sorted(value, code, distance, codes):
    """Insert (value, code) into a list sorted ascending, dropping its last entry."""
    last = distance.shape[0] - 1
    if value >= distance[last]:
        return
    s = last
    while s > 0 and distance[s - 1] > value:
        distance[s] = distance[s - 1]
        codes[s] = codes[s - 1]
        s -= 1
    distance[s] = value
    codes[s] = code


@kernel()
def smallest_of_rows(values, index, smallest):
    """Smallest values of every row, ascending, and their columns; equal ones in their order.

    IN values float64 (n, p), finite; OUT index uint16 (n, c), smallest float64 (n, c), c <= p.
    """
    for i in range(values.shape[0]):
        for s in range(smallest.shape[1]):
            smallest[i, s] = np.inf
        for j in range(values.shape[1]):
            insert_sorted(values[i, j], j, smallest[i], index[i])
