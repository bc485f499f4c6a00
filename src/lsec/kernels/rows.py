"""Rows with many features: projection, nearest centers, and nearest landmarks by an exact scan.

Points are stored by feature, as a *panel* (d, p): inner loops run over points and become vector
instructions. Terms are added in the order of the features, so that the result for a row depends
neither on the other rows of its block nor on the processor, as products by BLAS do.

The scan for nearest landmarks skips what cannot be near. Sums of squared differences in the
leading features are lower bounds of the squared distances. They are computed for all landmarks,
strip by strip; a strip is left as soon as no sum in it is below the K-th smallest distance so far.
The scan is exact for any data. It is fast if features descend by variance, as those of a
projection do, and if consecutive landmarks lie close together, as those of a tree do.
"""

import numpy as np

from lsec.kernels import kernel

ZERO = np.int64(0)  # a constant 0 would be a type of its own, for which kernels are compiled anew
LANES = 16  # panels of centers are a whole number of these wide
LEAD = 16  # features of the first stage of a scan
STAGE = 8  # features of each following stage
STRIP = 64  # landmarks that are left together
ROWS, TILE = 16, 512  # rows that share a tile of landmarks in cache


@kernel()
def add_features(row, panel, first, last, low, high, sums):
    """Add squared differences in the features first..last to the sums of the points low..high.

    IN row float32 (d,), panel float32 (d, p); INOUT sums float32 (high - low,).
    """
    f = first
    while f + 4 <= last:
        x0, x1, x2, x3 = row[f], row[f + 1], row[f + 2], row[f + 3]
        p0, p1 = panel[f, low:high], panel[f + 1, low:high]
        p2, p3 = panel[f + 2, low:high], panel[f + 3, low:high]
        for j in range(sums.shape[0]):
            total = sums[j]
            u = x0 - p0[j]
            total += u * u
            u = x1 - p1[j]
            total += u * u
            u = x2 - p2[j]
            total += u * u
            u = x3 - p3[j]
            total += u * u
            sums[j] = total
        f += 4
    while f < last:
        x0 = row[f]
        p0 = panel[f, low:high]
        for j in range(sums.shape[0]):
            u = x0 - p0[j]
            sums[j] += u * u
        f += 1


@kernel()
def project_rows(rows, basis, out):
    """Product of rows and a basis.

    IN rows float32 (n, d), basis float32 (d, q); OUT out float32 (n, q).
    """
    n, d = rows.shape
    whole = d - d % 4
    for i in range(n):
        row, total = rows[i], out[i]
        total[:] = 0
        for f in range(0, whole, 4):
            x0, x1, x2, x3 = row[f], row[f + 1], row[f + 2], row[f + 3]
            b0, b1, b2, b3 = basis[f], basis[f + 1], basis[f + 2], basis[f + 3]
            for j in range(total.shape[0]):
                sum_ = total[j]
                sum_ += x0 * b0[j]
                sum_ += x1 * b1[j]
                sum_ += x2 * b2[j]
                sum_ += x3 * b3[j]
                total[j] = sum_
        for f in range(whole, d):
            x0 = row[f]
            b0 = basis[f]
            for j in range(total.shape[0]):
                total[j] += x0 * b0[j]


@kernel(inline="always")
def smallest_bits(bits):
    """Smallest of some non-negative float32, given as their bits, which order as they do."""
    least = np.int32(2**31 - 1)
    for j in range(bits.shape[0]):
        least = min(least, bits[j])
    return least


@kernel()
def fill_panel(centers, panel):
    """Centers float32 (k, d) by feature; infinite, so that they never win, in columns beyond.

    OUT panel float32 (d, whole LANES, at least k).
    """
    k, d = centers.shape
    for f in range(d):
        for c in range(k):
            panel[f, c] = centers[c, f]
        for c in range(k, panel.shape[1]):
            panel[f, c] = np.inf


@kernel()
def nearest_of_panel(row, panel, distance):
    """Position of the point of a panel (d, whole LANES) nearest to a row; the first wins ties.

    OUT distance float32 (whole LANES,): squared distances of all points.
    """
    distance[:] = 0
    add_features(row, panel, ZERO, row.shape[0], ZERO, distance.shape[0], distance)
    bits = distance.view(np.int32)
    least = smallest_bits(bits)
    best = 0
    while bits[best] > least:
        best += 1
    return best


@kernel()
def nearest_center_of_rows(rows, order, low, high, centers, labels, squared):
    """Nearest center of the rows order[low:high], and its squared distance; the first wins ties.

    IN rows float32 (n, d), order int32 (n,), centers float32 (k, d); INOUT labels int32 (n,) and
    squared float32 (n,), at positions low..high. Returns the number of labels that changed.
    """
    width = -(-centers.shape[0] // LANES) * LANES
    panel = np.empty((centers.shape[1], width), np.float32)
    distance = np.empty(width, np.float32)
    fill_panel(centers, panel)
    n_changed = 0
    for i in range(low, high):
        best = nearest_of_panel(rows[order[i]], panel, distance)
        n_changed += labels[i] != best
        labels[i] = best
        squared[i] = distance[best]
    return n_changed


@kernel(inline="always")
def insert_nearest(value, code, values, codes):
    """Insert (value, code) into a list sorted by both, dropping its last entry."""
    last = values.shape[0] - 1
    if value > values[last] or (value == values[last] and code > codes[last]) or value == np.inf:
        return
    s = last
    while s > 0 and (values[s - 1] > value or (values[s - 1] == value and codes[s - 1] > code)):
        values[s] = values[s - 1]
        codes[s] = codes[s - 1]
        s -= 1
    values[s] = value
    codes[s] = code


@kernel()
def nearest_of_row(row, panel, sums, minima, index, squared):
    """The K nearest landmarks of a row whose sums over the leading features are known.

    IN row float32 (d,), panel float32 (d, p); INOUT sums float32 (p,); SCRATCH minima int32
    (strips,); OUT index uint16 (K,), squared float32 (K,), ascending.
    """
    d, p = panel.shape
    n_strips = minima.shape[0]
    bits, listed = sums.view(np.int32), squared.view(np.int32)
    nearest = 0
    for strip in range(n_strips):
        minima[strip] = smallest_bits(bits[strip * STRIP : (strip + 1) * STRIP])
        if minima[strip] < minima[nearest]:
            nearest = strip
    for s in range(index.shape[0]):
        squared[s] = np.inf
        index[s] = s  # stays where distances overflow
    for turn in range(-1, n_strips):  # the nearest strip first
        strip = nearest if turn < 0 else turn
        if turn == nearest or minima[strip] > listed[-1]:
            continue
        low, high = strip * STRIP, min((strip + 1) * STRIP, p)
        done, is_near = min(LEAD, d), True
        while done < d and is_near:
            add_features(row, panel, done, min(done + STAGE, d), low, high, sums[low:high])
            done += STAGE
            is_near = smallest_bits(bits[low:high]) <= listed[-1]
        if is_near:
            for j in range(low, high):
                insert_nearest(sums[j], j, squared, index)


@kernel()
def nearest_landmarks_of_rows(rows, panel, index, squared):
    """The K nearest landmarks of every row; the first win ties.

    IN rows float32 (n, d), panel float32 (d, p) with p at least K; OUT index uint16 (n, K),
    squared float32 (n, K), ascending.
    """
    n, p = rows.shape[0], panel.shape[1]
    lead = min(LEAD, panel.shape[0])
    sums, minima = np.empty((ROWS, p), np.float32), np.empty(-(-p // STRIP), np.int32)
    for low in range(0, n, ROWS):
        high = min(low + ROWS, n)
        sums[:] = 0
        for left in range(0, p, TILE):
            right = min(left + TILE, p)
            for i in range(low, high):
                add_features(rows[i], panel, ZERO, lead, left, right, sums[i - low, left:right])
        for i in range(low, high):
            nearest_of_row(rows[i], panel, sums[i - low], minima, index[i], squared[i])
