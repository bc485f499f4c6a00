"""Random walks on a sparse symmetric graph, for many starting points at once."""

import numpy as np

from lsec.kernels.compiled import kernel

LANES = 64  # starting points side by side


@kernel(inline="always")
def spread(pointers, neighbours, weights, source, target, total):
    """One step: target = S source.

    IN pointers int64 (n + 1,), neighbours uint32 (nnz,), weights float32 (nnz,) of the CSR
    matrix S, source float32 (n, LANES); OUT target float32 (n, LANES); scratch total.
    """
    for i in range(pointers.shape[0] - 1):
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
        for c in range(LANES):
            target[i, c] = total[c]


@kernel()
def walk_forward(pointers, neighbours, weights, start, path):
    """Powers of S times a start: path_t = S^(t + 1) start, float32 (T, n, LANES)."""
    total = np.empty(LANES, np.float32)
    spread(pointers, neighbours, weights, start, path[0], total)
    for t in range(1, path.shape[0]):
        spread(pointers, neighbours, weights, path[t - 1], path[t], total)


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
        spread(pointers, neighbours, weights, path[t], out, total)
        for i in range(out.shape[0]):
            row = path[t - 1, i]
            added = out[i]
            for c in range(LANES):
                row[c] = row[c] * volume[i] + added[c]
    spread(pointers, neighbours, weights, path[0], out, total)


@kernel()
def weighted_squares(path, volume, out):
    """Sum over t and i of volume_i path_ti^2, float64 (LANES,)."""
    for c in range(LANES):
        out[c] = 0
    for t in range(path.shape[0]):
        for i in range(path.shape[1]):
            row = path[t, i]
            for c in range(LANES):
                out[c] += np.float64(volume[i]) * (row[c] * row[c])
