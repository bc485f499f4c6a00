"""Random walks on a sparse symmetric graph S, from many starting points at once.

S is CSR: pointers int64 (n + 1,), neighbors uint32 (nnz,), weights float32 (nnz,). A row is
computed from the step on in which one of its neighbors was reached. It is reached once the
probability of a walk there, its value times the root of the row's volume, exceeds a minimum; until
then its value is zero. The effect on sums of squares is of the order of rounding errors.
"""

import numpy as np

from lsec.kernels import kernel

LANES = 64  # starting points in adjacent memory
FAR, NEAR, REACHED = np.uint8(0), np.uint8(1), np.uint8(2)


@kernel(inline="always")
def arrive(pointers, neighbors, weights, source, i, total):
    """Row i of S source, with source float32 (n, LANES); OUT total float32 (LANES,)."""
    for c in range(LANES):
        total[c] = 0
    entry, last = pointers[i], pointers[i + 1]
    # Four neighbors at a time: a quarter of the loads and stores of the total.
    while entry + 4 <= last:
        a, b = neighbors[entry], neighbors[entry + 1]
        d, e = neighbors[entry + 2], neighbors[entry + 3]
        wa, wb = weights[entry], weights[entry + 1]
        wd, we = weights[entry + 2], weights[entry + 3]
        for c in range(LANES):
            total[c] += (wa * source[a, c] + wb * source[b, c]) + (
                wd * source[d, c] + we * source[e, c]
            )
        entry += 4
    while entry < last:
        a, wa = neighbors[entry], weights[entry]
        for c in range(LANES):
            total[c] += wa * source[a, c]
        entry += 1


@kernel()
def reach(pointers, neighbors, i, state):
    """Mark row i as reached and its neighbors as near; INOUT state uint8 (n,)."""
    state[i] = REACHED
    for entry in range(pointers[i], pointers[i + 1]):
        j = neighbors[entry]
        if state[j] == FAR:
            state[j] = NEAR


@kernel()
def begin_walks(pointers, neighbors, low, high, state):
    """State of walks that start in rows low .. high - 1; OUT state uint8 (n,)."""
    state[:] = FAR
    for i in range(low, high):
        reach(pointers, neighbors, i, state)


@kernel()
def is_faint(total, volume, faint):
    """Whether no walk is in a row, total float32 (LANES,), with more than a minimum probability."""
    most = np.float64(0)
    for c in range(LANES):
        most = max(most, total[c])
    return volume * most * most <= faint * faint


@kernel(inline="always")
def enter(pointers, neighbors, weights, source, i, volume, faint, state, total):
    """Whether walks go on from row i of S source, which is computed if they may."""
    if state[i] == FAR:
        return False
    arrive(pointers, neighbors, weights, source, i, total)
    return state[i] == REACHED or not is_faint(total, volume[i], faint)


@kernel()
def walk_forward(pointers, neighbors, weights, volume, start, faint, state, path):
    """Powers of S times a start: path_t = S^(t + 1) start.

    IN volume float32 (n,), start float32 (n, LANES), faint float64; INOUT state uint8 (n,):
    REACHED where the start is nonzero, NEAR next to it; OUT path float32 (T, n, LANES).
    """
    total = np.empty(LANES, np.float32)
    joined = np.empty(volume.shape[0], np.int64)
    source = start
    for t in range(path.shape[0]):
        n_joined = 0
        for i in range(volume.shape[0]):
            if not enter(pointers, neighbors, weights, source, i, volume, faint, state, total):
                path[t, i] = 0
                continue
            if state[i] == NEAR:
                joined[n_joined] = i
                n_joined += 1
            for c in range(LANES):
                path[t, i, c] = total[c]
        for j in range(n_joined):
            reach(pointers, neighbors, joined[j], state)
        source = path[t]


@kernel()
def walk_back(pointers, neighbors, weights, volume, path, out):
    """Sum over t of S^(t + 1) volume path_t, by Horner's rule.

    INOUT path float32 (T, n, LANES), overwritten; OUT out float32 (n, LANES).
    """
    total = np.empty(LANES, np.float32)
    last = path.shape[0] - 1
    for i in range(out.shape[0]):
        for c in range(LANES):
            path[last, i, c] *= volume[i]
    for t in range(last, 0, -1):
        for i in range(out.shape[0]):
            arrive(pointers, neighbors, weights, path[t], i, total)
            for c in range(LANES):
                path[t - 1, i, c] = path[t - 1, i, c] * volume[i] + total[c]
    for i in range(out.shape[0]):
        arrive(pointers, neighbors, weights, path[0], i, total)
        for c in range(LANES):
            out[i, c] = total[c]


@kernel()
def walk_lengths(pointers, neighbors, weights, volume, low, high, faint, n_steps, pair, out):
    """Sum over t < n_steps and i of volume_i (S^(t + 1) e)_i^2, for e of rows low .. high - 1.

    A walk starts with volume_i e_i^2 = 1; without volume, there is none.

    IN volume float32 (n,), faint float64; INOUT pair float32 (2, n, LANES): zeros before and
    after; OUT out float64 (LANES,).
    """
    n = volume.shape[0]
    total = np.empty(LANES, np.float32)
    joined = np.empty(n, np.int64)
    state = np.empty(n, np.uint8)
    begin_walks(pointers, neighbors, low, high, state)
    for i in range(low, high):
        if volume[i] > 0:
            pair[0, i, i - low] = 1 / np.sqrt(volume[i])
    out[:] = 0
    for t in range(n_steps):
        source, target = pair[t % 2], pair[1 - t % 2]
        n_joined = 0
        for i in range(n):
            if not enter(pointers, neighbors, weights, source, i, volume, faint, state, total):
                continue
            if state[i] == NEAR:
                joined[n_joined] = i
                n_joined += 1
            for c in range(LANES):
                target[i, c] = total[c]
                out[c] += np.float64(volume[i]) * (total[c] * total[c])
        for j in range(n_joined):
            reach(pointers, neighbors, joined[j], state)
    for i in range(n):
        if state[i] == REACHED:
            pair[:, i] = 0
