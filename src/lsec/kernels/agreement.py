"""How often micro-clusters share a base cluster.

Shared clusters are counted in whole units (their values are fixed-point numbers), so
that the order of the base clusterings does not matter.
"""

import numpy as np

from lsec.kernels.compiled import kernel


@kernel(inline="always")
def add_shared(column, label, value, total):
    """Add a value to the total of all micro-clusters with a label."""
    for x in range(column.shape[0]):
        total[x] += value if column[x] == label else np.int32(0)


@kernel(inline="always")
def add_present(column, missing, total):
    """Count the micro-clusters whose label is not missing."""
    for x in range(column.shape[0]):
        total[x] += np.int32(column[x] != missing)


@kernel()
def shared_values(rows, columns, n_labels, complete, starts, values, unit, out):
    """Mean value of the base clusters that label rows share with micro-clusters.

    The mean is over the base clusterings in which both have a label; a clustering in
    which their labels differ counts as zero, and so do rows without common clusterings.

    IN rows unsigned (r, m), columns unsigned (m, n), n_labels int64 (m,) (also the missing
    label), complete: no label is missing, starts int64 (m,), values int32 (C,) in units of
    1 / unit; OUT out float32 (r, n).
    """
    m, n = columns.shape
    total = np.empty(n, np.int32)
    both = np.full(n, m, np.int32)
    for i in range(rows.shape[0]):
        for x in range(n):
            total[x] = 0
        if not complete:
            for x in range(n):
                both[x] = 0
        for j in range(m):
            label = rows[i, j]
            if label < n_labels[j]:
                add_shared(columns[j], label, values[starts[j] + label], total)
                if not complete:
                    add_present(columns[j], n_labels[j], both)
        for x in range(n):
            out[i, x] = np.float64(total[x]) / (unit * max(both[x], np.int32(1)))


@kernel()
def largest_at(similarity, rank, out):
    """The rank-th largest value of every row, counted from 1.

    IN similarity float32 (r, n), rank at most n; OUT out float32 (r,).
    """
    top = np.empty(rank, np.float32)
    for i in range(similarity.shape[0]):
        for r in range(rank):
            top[r] = -np.inf
        for x in range(similarity.shape[1]):
            value = similarity[i, x]
            if value > top[rank - 1]:
                place = rank - 1
                while place > 0 and top[place - 1] < value:
                    top[place] = top[place - 1]
                    place -= 1
                top[place] = value
        out[i] = top[rank - 1]
