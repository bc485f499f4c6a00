"""Split parts of rows by k-means: the steps of landmark selection, whole runs at a time.

The rows of a part are consecutive in an order that was shuffled once, and every regrouping is
stable. The first rows of a part are therefore a random sample of it: they serve as initial
centers and as the sample of light-k-means.
"""

import numpy as np

from lsec.kernels import kernel
from lsec.kernels.rows import nearest_center_of_rows


@kernel()
def move_centers(rows, order, low, high, labels, squared, centers, sums, counts):
    """Means of the rows order[low:high] by label; an empty cluster takes the farthest row.

    IN as in `nearest_center_of_rows`; INOUT squared, centers float32 (k, d); SCRATCH sums float64
    (k, d), counts int64 (k,).
    """
    k, d = centers.shape
    for c in range(k):
        counts[c] = 0
        for f in range(d):
            sums[c, f] = 0
    for i in range(low, high):
        counts[labels[i]] += 1
        total, row = sums[labels[i]], rows[order[i]]
        for f in range(d):
            total[f] += row[f]
    for c in range(k):
        if counts[c] > 0:
            for f in range(d):
                centers[c, f] = sums[c, f] / counts[c]
        else:
            farthest = low
            for i in range(low, high):
                if squared[i] > squared[farthest]:
                    farthest = i
            squared[farthest] = 0
            for f in range(d):
                centers[c, f] = rows[order[farthest], f]


@kernel()
def find_centers(
    rows, order, starts, first, lowest, beyond, n_sample, max_iter, centers, labels, squared
):
    """Centers of the parts from `lowest` on, before `beyond`, by light-k-means on their first rows.

    At most `max_iter` Lloyd steps on at most `n_sample` rows. Part v, the rows
    order[starts[v]:starts[v + 1]], has first[v + 1] - first[v] centers; if it is one, nothing is
    done.

    IN rows float32 (n, d), order int32 (n,), starts and first int64 (V + 1,);
    OUT centers float32 (T, d), T = first[V]; SCRATCH labels int32 (n,), squared float32 (n,).
    """
    d = rows.shape[1]
    for v in range(lowest, beyond):
        low, own = starts[v], centers[first[v] : first[v + 1]]
        k = own.shape[0]
        if k < 2:
            continue
        sums, mass = np.empty((k, d)), np.empty(k, np.int64)
        stop = min(starts[v + 1], low + n_sample)
        labels[low:stop] = -1
        for c in range(k):
            for f in range(d):
                own[c, f] = rows[order[low + c], f]
        for _ in range(max_iter):
            if not nearest_center_of_rows(rows, order, low, stop, own, labels, squared):
                break
            move_centers(rows, order, low, stop, labels, squared, own, sums, mass)


@kernel()
def assign_parts(rows, order, starts, first, v, low, high, centers, labels, squared):
    """Nearest center, among those of its part, of every row order[low:high]; v is the first part.

    IN as in `find_centers`, centers float32 (T, d); OUT labels int32 (n,), squared float32 (n,),
    at positions low..high in parts of more than one center.
    """
    while v < starts.shape[0] - 1 and starts[v] < high:
        own = centers[first[v] : first[v + 1]]
        if own.shape[0] > 1:
            part = max(low, starts[v]), min(high, starts[v + 1])
            nearest_center_of_rows(rows, order, *part, own, labels, squared)
        v += 1


@kernel()
def divide_parts(order, starts, first, lowest, beyond, labels, squared, spare, counts, residuals):
    """Group the rows of the parts from `lowest` on, before `beyond`, by label, stably.

    Parts of one center stay as they are.

    IN starts and first int64 (V + 1,), labels int32 (n,), squared float32 (n,); INOUT order int32
    (n,); SCRATCH spare int32 (n,); OUT counts int64 (T,) and residuals float64 (T,), the sums of
    squared distances, of the new parts, zero before.
    """
    for v in range(lowest, beyond):
        low, high, k = starts[v], starts[v + 1], first[v + 1] - first[v]
        if k < 2:
            continue
        count, residual = counts[first[v] : first[v + 1]], residuals[first[v] : first[v + 1]]
        for i in range(low, high):
            count[labels[i]] += 1
            residual[labels[i]] += squared[i]
        fill, end = np.empty(k, np.int64), low
        for c in range(k):
            fill[c] = end
            end += count[c]
        for i in range(low, high):
            spare[fill[labels[i]]] = order[i]
            fill[labels[i]] += 1
        for i in range(low, high):
            order[i] = spare[i]
