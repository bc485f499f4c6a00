"""Random walks on a sparse symmetric graph S, for many starting points at once.

S is CSR: pointers int64 (n + 1,), neighbours uint32 (nnz,), weights
float32 (nnz,). After t steps a walk is still in the rows that are at most t hops from its
start; the others are zero and are not computed.
"""

import numpy as np

from lsec.kernels.compiled import kernel

LANES = 64  # starting points side by side


@kernel(inline="always")
def arrive(pointers, neighbours, weights, source, i, total):
    """Row i of S source, with source float32 (n, LANES); OUT total float32 (LANES,)."""
    for c in range(LANES):
        total[c] = 0
    entry = pointers[i]
    last = pointers[i + 1]
    # Four neighbours at a time: the total goes through memory a quarter as often.
    while entry + 4 <= last:
        a, b = neighbours[entry], neighbours[entry + 1]
        d, e = neighbours[entry + 2], neighbours[entry + 3]
        wa, wb = weights[entry], weights[entry + 1]
        wd, we = weights[entry + 2], weights[entry + 3]
        for c in range(LANES):
            total[c] += (wa * source[a, c] + wb * source[b, c]) + (
                wd * source[d, c] + we * source[e, c]
            )
        entry += 4
    while entry < last:
        a, wa = neighbours[entry], weights[entry]
        for c in range(LANES):
            total[c] += wa * source[a, c]
        entry += 1


@kernel()
def count_hops(pointers, neighbours, low, high, hops):
    """Fewest steps from rows low .. high - 1 to every row; OUT hops int64 (n,), n where none."""
    n = hops.shape[0]
    hops[:] = n
    reached = np.empty(n, np.int64)
    n_reached = high - low
    for i in range(low, high):
        hops[i] = 0
        reached[i - low] = i
    done = 0
    while done < n_reached:
        i = reached[done]
        done += 1
        for entry in range(pointers[i], pointers[i + 1]):
            j = neighbours[entry]
            if hops[j] == n:
                hops[j] = hops[i] + 1
                reached[n_reached] = j
                n_reached += 1


@kernel()
def walk_forward(pointers, neighbours, weights, start, hops, path):
    """Powers of S times a start: path_t = S^(t + 1) start.

    IN start float32 (n, LANES), hops int64 (n,) from its rows; OUT path float32 (T, n, LANES).
    """
    total = np.empty(LANES, np.float32)
    source = start
    for t in range(path.shape[0]):
        for i in range(hops.shape[0]):
            if hops[i] > t + 1:
                path[t, i] = 0
                continue
            arrive(pointers, neighbours, weights, source, i, total)
            for c in range(LANES):
                path[t, i, c] = total[c]
        source = path[t]


@kernel()
def walk_back(pointers, neighbours, weights, volume, path, out):
    """Sum over t of S^(t + 1) volume path_t, by Horner's rule.

    INOUT path float32 (T, n, LANES): overwritten; OUT out float32 (n, LANES).
    """
    total = np.empty(LANES, np.float32)
    last = path.shape[0] - 1
    for i in range(out.shape[0]):
        for c in range(LANES):
            path[last, i, c] *= volume[i]
    for t in range(last, 0, -1):
        for i in range(out.shape[0]):
            arrive(pointers, neighbours, weights, path[t], i, total)
            for c in range(LANES):
                path[t - 1, i, c] = path[t - 1, i, c] * volume[i] + total[c]
    for i in range(out.shape[0]):
        arrive(pointers, neighbours, weights, path[0], i, total)
        for c in range(LANES):
            out[i, c] = total[c]


@kernel()
def walk_lengths(pointers, neighbours, weights, volume, hops, n_steps, pair, out):
    """Sum over t < n_steps and i of volume_i (S^(t + 1) start)_i^2.

    IN hops int64 (n,) from the rows of the start; INOUT pair float32 (2, n, LANES): the start
    and zeros, overwritten; OUT out float64 (LANES,).
    """
    total = np.empty(LANES, np.float32)
    out[:] = 0
    for t in range(n_steps):
        source, target = pair[t % 2], pair[1 - t % 2]
        for i in range(hops.shape[0]):
            if hops[i] > t + 1:
                continue
            arrive(pointers, neighbours, weights, source, i, total)
            for c in range(LANES):
                target[i, c] = total[c]
                out[c] += np.float64(volume[i]) * (total[c] * total[c])
