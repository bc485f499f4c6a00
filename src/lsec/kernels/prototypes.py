"""Sums over label rows, and k-means on them: nearest prototypes, and the change of counts."""

import numpy as np

from lsec.kernels import kernel

LANES = 8  # prototypes in adjacent memory


@kernel()
def sum_rows(base_clusters, table, out):
    """Sum over j of table[b_ij] for every row i, in the order of the columns.

    IN base_clusters int32 (n, m) from 0 to C, table float64 (C + 1, c); OUT out float64 (n, c).
    """
    for i in range(base_clusters.shape[0]):
        total = out[i]
        total[:] = 0
        for j in range(base_clusters.shape[1]):
            row = table[base_clusters[i, j]]
            for c in range(total.shape[0]):
                total[c] += row[c]


@kernel(inline="always")
def add_up_row(base_clusters, i, table, total):
    """Sum over j of table[b_ij], in the order of the columns.

    IN table float64 (C + 1, LANES); OUT total float64 (LANES,).
    """
    for c in range(LANES):
        total[c] = 0
    m = base_clusters.shape[1]
    j = 0
    # Four columns at a time: a quarter of the loads and stores of the total.
    while j + 4 <= m:
        a, b = np.uint32(base_clusters[i, j]), np.uint32(base_clusters[i, j + 1])
        d, e = np.uint32(base_clusters[i, j + 2]), np.uint32(base_clusters[i, j + 3])
        for c in range(LANES):
            total[c] = (((total[c] + table[a, c]) + table[b, c]) + table[d, c]) + table[e, c]
        j += 4
    while j < m:
        a = np.uint32(base_clusters[i, j])
        for c in range(LANES):
            total[c] += table[a, c]
        j += 1


@kernel()
def nearest_prototype(base_clusters, tables, shift, scale, offsets, labels):
    """The nearest prototype of every row, the first of those that tie.

    The distance is shift_i + (sum over j of table[b_ij, c]) / scale_i + offset_c.

    IN base_clusters int32 (n, m) from 0 to C, tables float64 (parts, C + 1, LANES), shift and
    scale float64 (n,), offsets float64 (parts, LANES): infinite where there is no prototype;
    OUT labels int32 (n,).
    """
    total = np.empty(LANES)
    for i in range(base_clusters.shape[0]):
        least = np.inf
        for part in range(tables.shape[0]):
            add_up_row(base_clusters, i, tables[part], total)
            for c in range(LANES):
                distance = shift[i] + total[c] / scale[i] + offsets[part, c]
                if distance < least:
                    least = distance
                    labels[i] = part * LANES + c


@kernel()
def count_moves(base_clusters, weights, before, after, moves):
    """Add the change of counts between two labelings of the rows.

    IN base_clusters int32 (n, m) from 0 to C, weights float64 (n,), before and after
    int32 (n,): labels, negative for none; INOUT moves float64 (C + 1, k): by base cluster and
    consensus cluster.
    """
    for i in range(base_clusters.shape[0]):
        old, new = before[i], after[i]
        if old == new:
            continue
        for j in range(base_clusters.shape[1]):
            b = base_clusters[i, j]
            if old >= 0:
                moves[b, old] -= weights[i]
            if new >= 0:
                moves[b, new] += weights[i]
