"""Agglomerative clustering of a distance matrix.

A cluster is known by its lowest member. Pairs are ordered by distance, then by their
lower and their higher number, and the first pair of all merges again and again. Ties
therefore depend neither on the path of a search nor on how many equal rows stand behind
a number.

For average and complete linkage a merger never comes before the nearer of its halves in
that order, so that chains of nearest neighbors find the same mergers (`merge_chains`).
With single linkage it may: it takes the distance of one half and the number of the
other. But there, no distance to a nearest neighbor ever changes (`merge_single`).
"""

import numpy as np

from lsec.kernels.compiled import kernel

GONE = np.int32(0x7F800000)  # infinity as bits: or-ed to the distance of what has been merged


@kernel()
def first_nearest(bits, row, gone):
    """Position of the smallest distance of a row, given as bits; the first wins ties.

    Floats that are not negative order as their bits do, and integer minima vectorize.
    """
    smallest = np.int32(0x7FFFFFFF)
    for x in range(gone.shape[0]):
        value = bits[row, x] | gone[x]
        smallest = value if value < smallest else smallest
    for x in range(gone.shape[0]):
        if bits[row, x] | gone[x] == smallest:
            return x
    return -1


@kernel(inline="always")
def catch_up(distance, row, known, step, pairs, latest, gone):
    """Write the distances to clusters that have merged since a row was last used into it.

    Of two clusters, the one that merged later has their distance in its row. To write it
    into the column as well would touch every row at every merger, most of them in vain.
    """
    for past in range(known[row], step):
        merged = pairs[past, 0]
        if latest[merged] == past and gone[merged] == 0 and merged != row:
            distance[row, merged] = distance[merged, row]
    known[row] = step


@kernel()
def merge_chains(distance, bits, weights, complete, gone, chain, pairs, heights):
    """Merge n clusters until one is left, by average or complete linkage.

    INOUT distance float32 (n, n), symmetric, not negative, finite but for an infinite
    diagonal: overwritten; bits: the same memory as int32; weights float64 (n,): overwritten;
    SCRATCH gone int32 (n,), zero, and chain int32 (n,); OUT pairs int32 (n - 1, 2), lower
    number first, and heights float32 (n - 1,), not sorted.
    """
    n = distance.shape[0]
    known = np.zeros(n, np.int32)  # mergers that a row has seen
    latest = np.full(n, -1, np.int32)  # merger that made a cluster
    length = 0
    first = 0
    for step in range(n - 1):
        if length == 0:
            while gone[first] != 0:
                first += 1
            chain[0] = first
            length = 1
        while True:
            end = chain[length - 1]
            catch_up(distance, end, known, step, pairs, latest, gone)
            near = first_nearest(bits, end, gone)
            if length > 1 and near == chain[length - 2]:
                break
            chain[length] = near
            length += 1
        catch_up(distance, near, known, step, pairs, latest, gone)  # its partner just has
        length -= 2
        low, high = chain[length], chain[length + 1]
        if low > high:
            low, high = high, low
        pairs[step, 0] = low
        pairs[step, 1] = high
        heights[step] = distance[low, high]
        gone[high] = GONE
        latest[low] = step
        known[low] = step + 1
        share = weights[low] / (weights[low] + weights[high])
        weights[low] += weights[high]
        for x in range(n):
            if gone[x] == 0 and x != low:
                a, b = distance[low, x], distance[high, x]
                nearer, value = (a, b) if a < b else (b, a)
                if not complete:
                    # In this form equal distances stay equal to the last bit.
                    value = np.float32(b + (np.float64(a) - b) * share)
                    value = value if value > nearer else nearer
                distance[low, x] = value


@kernel()
def merge_single(distance, bits, gone, nearest, pairs, heights):
    """Merge n clusters until one is left, by single linkage, nearest first.

    INOUT distance and bits, SCRATCH gone int32 (n,), zero, and nearest int32 (n,), OUT pairs
    and heights as in `merge_chains`, but sorted.
    """
    n = distance.shape[0]
    for i in range(n):
        nearest[i] = first_nearest(bits, i, gone)
    for step in range(n - 1):
        low, high, height = -1, -1, np.float32(np.inf)
        for x in range(n):
            # The lower half of the first pair comes first, and its nearest is the higher.
            if gone[x] == 0 and distance[x, nearest[x]] < height:
                low, high, height = x, nearest[x], distance[x, nearest[x]]
        pairs[step, 0] = low
        pairs[step, 1] = high
        heights[step] = height
        gone[high] = GONE
        for x in range(n):
            if gone[x] == 0 and x != low:
                value = min(distance[low, x], distance[high, x])
                distance[low, x] = value
                distance[x, low] = value
                closest = distance[x, nearest[x]]
                if nearest[x] == high or (value == closest and low < nearest[x]):
                    nearest[x] = low
        nearest[low] = first_nearest(bits, low, gone)
