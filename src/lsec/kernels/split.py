"""Split parts of rows by k-means: the steps of landmark selection, whole runs at a time.

The rows of a part are consecutive in an order that was shuffled once, and every regrouping is
stable. The first rows of a part are therefore a random sample of it: they serve as initial
centers and as the sample of light-k-means.
"""

import numpy as np

from lsec.kernels import kernel
from lsec.kernels.rows import LANES, fill_panel, nearest_of_panel
from lsec.kernels.sorting import run_starts


@kernel()
def assign_rows(rows, order, low, high, centers, panel, distance, labels, squared):
    """Nearest center of the rows order[low:high]; the first wins ties.

    IN rows float32 (n, d), order int32 (n,), centers float32 (k, d); SCRATCH panel float32 (d,
    whole LANES, at least k), distance float32 (whole LANES,); INOUT labels int32 (n,), squared
    float32 (n,), at positions low..high. Returns the number of labels that changed.
    """
    fill_panel(centers, panel)
    n_changed = 0
    for i in range(low, high):
        best = nearest_of_panel(rows[order[i]], panel, distance)
        n_changed += labels[i] != best
        labels[i] = best
        squared[i] = distance[best]
    return n_changed


@kernel()
def move_centers(rows, order, low, high, labels, squared, centers, sums, counts):
    """Means of the rows order[low:high] by label; an empty cluster takes the farthest row.

    IN as in `assign_rows`; INOUT squared, centers float32 (k, d); SCRATCH sums float64 (k, d),
    counts int64 (k,).
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
def regroup(order, low, high, labels, n_labels, spare):
    """Sort order[low:high] by label, stably; returns the start of every label's run.

    IN labels int32 (n,); INOUT order int32 (n,); SCRATCH spare int32 (n,).
    """
    starts = run_starts(labels[low:high], n_labels)
    fill = starts.copy()
    for i in range(low, high):
        spare[low + fill[labels[i]]] = order[i]
        fill[labels[i]] += 1
    for i in range(low, high):
        order[i] = spare[i]
    return starts


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
        width = -(-k // LANES) * LANES
        near = np.empty((d, width), np.float32), np.empty(width, np.float32)
        sums, mass = np.empty((k, d)), np.empty(k, np.int64)
        stop = min(starts[v + 1], low + n_sample)
        labels[low:stop] = -1
        for c in range(k):
            for f in range(d):
                own[c, f] = rows[order[low + c], f]
        for _ in range(max_iter):
            if not assign_rows(rows, order, low, stop, own, *near, labels, squared):
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
            width = -(-own.shape[0] // LANES) * LANES
            near = np.empty((rows.shape[1], width), np.float32), np.empty(width, np.float32)
            part = max(low, starts[v]), min(high, starts[v + 1])
            assign_rows(rows, order, *part, own, *near, labels, squared)
        v += 1


@kernel()
def divide_parts(order, starts, first, lowest, beyond, labels, squared, spare, counts, residuals):
    """Group the rows of the parts from `lowest` on, before `beyond`, by label.

    Parts of one center stay as they are.

    IN starts and first int64 (V + 1,), labels int32 (n,), squared float32 (n,); INOUT order int32
    (n,); SCRATCH spare int32 (n,); OUT counts int64 (T,) and residuals float64 (T,), the sums of
    squared distances, of the new parts, zero before.
    """
    for v in range(lowest, beyond):
        low, high, k = starts[v], starts[v + 1], first[v + 1] - first[v]
        if k < 2:
            continue
        for i in range(low, high):
            residuals[first[v] + labels[i]] += squared[i]
        runs = regroup(order, low, high, labels, k, spare)
        for c in range(k):
            counts[first[v] + c] = runs[c + 1] - runs[c]
