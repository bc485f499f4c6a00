"""Co-association of micro-clusters, and the nearest neighbors that follow from it.

Values of base clusters are fixed-point numbers, so that sums do not depend on the order of the
base clusterings.
"""

import numpy as np

from lsec.kernels import kernel

CHUNK = 2048  # micro-clusters at a time: their sums stay in the cache
POSITIVE = np.finfo(np.float32).tiny


@kernel(inline="always")
def add_shared(column, label, value, total):
    """Add a value to the total of all micro-clusters with a label."""
    for x in range(column.shape[0]):
        total[x] = total[x] + value if column[x] == label else total[x]


@kernel(inline="always")
def add_present(column, missing, total):
    """Count the micro-clusters whose label is not missing."""
    for x in range(column.shape[0]):
        total[x] += np.int32(column[x] != missing)


@kernel()
def shared_values(rows, columns, n_labels, complete, starts, values, unit, out):
    """Mean value of the base clusters that label rows share with micro-clusters.

    The mean is over the base clusterings in which both have a label, zero if there are none;
    different labels count as zero.

    IN rows unsigned (r, m), columns unsigned (m, n), n_labels int64 (m,) (also the missing
    label), complete: no label is missing, starts int64 (m,), values (C,) in units of 1 / unit,
    of a type of whole numbers that holds the sum of m; OUT out float32 (r, n).
    """
    m, n = columns.shape
    totals = np.empty(CHUNK, values.dtype)
    boths = np.full(CHUNK, m, np.int32)
    for low in range(0, n, CHUNK):
        high = min(low + CHUNK, n)
        total = totals[: high - low]
        both = boths[: high - low]
        for i in range(rows.shape[0]):
            total[:] = 0
            if not complete:
                both[:] = 0
            for j in range(m):
                label = rows[i, j]
                if label < n_labels[j]:
                    column = columns[j, low:high]
                    add_shared(column, label, values[starts[j] + label], total)
                    if not complete:
                        add_present(column, n_labels[j], both)
            for x in range(high - low):
                out[i, low + x] = np.float64(total[x]) / (unit * max(both[x], np.int32(1)))


@kernel()
def largest_at(row, top):
    """The rank-th largest value of a row float32 (n,); SCRATCH top float32 (rank,), rank <= n."""
    last = top.shape[0] - 1
    top[:] = -np.inf
    for x in range(row.shape[0]):
        value = row[x]
        if value > top[last]:
            place = last
            while place > 0 and top[place - 1] < value:
                top[place] = top[place - 1]
                place -= 1
            top[place] = value
    return top[last]


@kernel()
def keep_largest(similarity, rank):
    """Nonzero entries of every row that are at least its rank-th largest.

    IN similarity float32 (r, n), non-negative; rank at most n. Returns their number per row
    int64 (r,), and row after row their columns int32 (nnz,) and values float32 (nnz,).
    """
    top = np.empty(rank, np.float32)
    least = np.empty(similarity.shape[0], np.float32)
    counts = np.empty(similarity.shape[0], np.int64)
    for i in range(similarity.shape[0]):
        row = similarity[i]
        least[i] = max(largest_at(row, top), POSITIVE)
        count = 0
        for x in range(row.shape[0]):
            count += row[x] >= least[i]
        counts[i] = count
    columns = np.empty(counts.sum(), np.int32)
    values = np.empty(counts.sum(), np.float32)
    entry = 0
    for i in range(similarity.shape[0]):
        row = similarity[i]
        for x in range(row.shape[0]):
            if row[x] >= least[i]:
                columns[entry] = x
                values[entry] = row[x]
                entry += 1
    return counts, columns, values
