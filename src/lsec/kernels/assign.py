"""Nearest center of every row, for rows stored as columns (few features).

Rows are processed in short chunks, one center at a time (two where rows are
points of the plane), so that the inner loop runs over rows and the compiler
turns it into vector instructions. Every distance is computed from differences,
in the order of the features: the result for a row does not depend on its
neighbors in the chunk.
"""

import numpy as np

from lsec.kernels.compiled import kernel

CHUNK = 512


@kernel(inline="never")
def squared_distances(columns, start, stop, center, out):
    """Squared distances of columns[:, start:stop] (d, n) to one center (d,).

    IN columns float32 (d, n), center float32 (d,); OUT out float32 (CHUNK,).
    """
    count = stop - start
    if columns.shape[0] == 2:
        first = columns[0, start:stop]
        second = columns[1, start:stop]
        a, b = center[0], center[1]
        for i in range(count):
            u = first[i] - a
            v = second[i] - b
            out[i] = u * u + v * v
        return
    a = center[0]
    feature = columns[0, start:stop]
    for i in range(count):
        u = feature[i] - a
        out[i] = u * u
    for f in range(1, columns.shape[0]):
        a = center[f]
        feature = columns[f, start:stop]
        for i in range(count):
            u = feature[i] - a
            out[i] += u * u


@kernel(inline="always")
def nearest_of_points(x, y, centers, label, least):
    """As `nearest_center` for a chunk of rows with two features, all in one loop.

    Two centers at a time: half as often are labels and distances loaded and stored.

    IN x, y float32 (n,), centers float32 (k, 2); INOUT label int32 (n,), least float32 (n,).
    """
    n_centers = centers.shape[0]
    for c in range(0, n_centers, 2):
        second = min(c + 1, n_centers - 1)  # an odd one out meets itself, and changes nothing
        a0, a1 = centers[c, 0], centers[c, 1]
        b0, b1 = centers[second, 0], centers[second, 1]
        code_a, code_b = np.int32(c), np.int32(second)
        for i in range(x.shape[0]):
            u = x[i] - a0
            v = y[i] - a1
            to_a = u * u + v * v
            u = x[i] - b0
            v = y[i] - b1
            to_b = u * u + v * v
            distance = to_b if to_b < to_a else to_a
            code = code_b if to_b < to_a else code_a
            nearer = distance < least[i]
            least[i] = distance if nearer else least[i]
            label[i] = code if nearer else label[i]


@kernel()
def nearest_center(columns, start, stop, centers, labels, best):
    """Index of and squared distance to the nearest center; the first wins ties.

    IN columns float32 (d, n), centers float32 (k, d);
    OUT labels int32 (n,), best float32 (n,), positions start..stop only.
    """
    distance = np.empty(CHUNK, np.float32)
    for low in range(start, stop, CHUNK):
        high = min(low + CHUNK, stop)
        label = labels[low:high]
        least = best[low:high]
        for i in range(high - low):
            label[i] = 0
            least[i] = np.float32(np.inf)
        if columns.shape[0] == 2:
            nearest_of_points(columns[0, low:high], columns[1, low:high], centers, label, least)
            continue
        for c in range(centers.shape[0]):
            squared_distances(columns, low, high, centers[c], distance)
            code = np.int32(c)
            for i in range(high - low):
                d = distance[i]
                nearer = d < least[i]
                least[i] = d if nearer else least[i]
                label[i] = code if nearer else label[i]


@kernel()
def sums_by_label(rows, labels, weights, sums, counts):
    """Weighted sums of rows and weights per label, in row order.

    IN rows float32 (n, d), labels int32 (n,), weights float64 (n,);
    OUT sums float64 (k, d), counts float64 (k,), both zeroed here.
    """
    for label in range(sums.shape[0]):
        counts[label] = 0.0
        for f in range(sums.shape[1]):
            sums[label, f] = 0.0
    for i in range(rows.shape[0]):
        label = labels[i]
        weight = weights[i]
        counts[label] += weight
        total = sums[label]
        row = rows[i]
        for f in range(rows.shape[1]):
            total[f] += weight * row[f]
