"""Agglomerative clustering of a distance matrix, and branches of the tree.

A cluster is identified by its lowest member. Pairs are ordered by distance, then by their
lower and their higher number, and the first pair is merged until one cluster is left. Ties are
therefore broken independently of the search path and of the number of equal rows that an
object represents.

For average and complete linkage a merged cluster never precedes the nearer of its halves in
that order, so that nearest-neighbor chains find the same mergers (`merge_chains`). With single
linkage it may, since it takes the distance of one half and the number of the other; but there,
distances to nearest neighbors never change (`merge_single`).
"""

import numpy as np

from lsec.kernels import kernel

GONE = np.int32(0x7F800000)  # infinity as bits: or-ed to distances of clusters merged away


@kernel()
def first_nearest(bits, row, gone):
    """Position of the smallest distance of a row, given as bits; the first of those that tie.

    Non-negative floats are ordered like their bits, and integer minima vectorize.
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
    """Update a row with the distances to clusters that merged since it was last used.

    The distance of two clusters is in the row of the one that merged later. Writing it to the
    column as well would touch every row at every merger, mostly without use.
    """
    for past in range(known[row], step):
        merged = pairs[past, 0]
        if latest[merged] == past and gone[merged] == 0 and merged != row:
            distance[row, merged] = distance[merged, row]
    known[row] = step


@kernel()
def merge_chains(distance, bits, weights, complete, gone, chain, known, latest, pairs, heights):
    """Merge n clusters until one is left, by average or complete linkage.

    INOUT distance float32 (n, n), symmetric, non-negative and finite except for an infinite
    diagonal, overwritten; bits: the same memory as int32; weights float64 (n,): overwritten;
    SCRATCH gone int32 (n,), zero, chain int32 (n,), known int32 (n,), zero: mergers that a row is
    up to date with, and latest int32 (n,), -1: merger that created a cluster; OUT pairs int32
    (n - 1, 2), lower number first, and heights float32 (n - 1,), not sorted.
    """
    n = distance.shape[0]
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
        catch_up(distance, near, known, step, pairs, latest, gone)  # as was done for its partner
        length -= 2
        low, high = min(near, end), max(near, end)
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


@kernel()
def label_branches(children, chosen, label, divided):
    """Label the branches of a binary tree after some splits, from the highest to the lowest.

    The i-th split divides branch divided[i] into itself and branch i + 1. Lighter branches above
    a chosen split, which are not divided, stay without a label (-1).

    IN children int64 (n - 1, 2), the nodes below each merger; mergers are nodes n, n + 1, ...;
    chosen bool (2 n - 1,), whether a node is split; INOUT label int32 (2 n - 1,), -1; OUT divided
    int32 (splits,).
    """
    n = children.shape[0] + 1
    below = chosen.copy()
    for merger in range(n - 1):
        below[n + merger] |= below[children[merger, 0]] or below[children[merger, 1]]
    label[2 * n - 2] = 0
    n_divided = 0
    for merger in range(n - 2, -1, -1):
        a, b, here = children[merger, 0], children[merger, 1], label[n + merger]
        label[a] = label[b] = here
        if here < 0:
            continue
        if chosen[n + merger]:
            divided[n_divided] = here
            n_divided += 1
            label[b] = n_divided
        elif below[n + merger]:
            label[b if below[a] else a] = -1
    return n_divided
