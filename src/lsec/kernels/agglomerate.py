"""Agglomerative clustering of a distance matrix by chains of nearest neighbours.

A cluster is known by its lowest member. Pairs are ordered by distance, then by their
lower and their higher number: with that strict order, and since a merger is never nearer
to anything than its nearer half was, the mergers are those of merging the first pair of
all again and again. Ties therefore depend neither on the path of the search nor on how
many equal rows stand behind a number.
"""

import numba as nb
import numpy as np

AVERAGE, COMPLETE, SINGLE = 0, 1, 2
GONE = np.int32(0x7F800000)  # infinity as bits: or-ed to the distance of what has been merged


@nb.njit(nogil=True, cache=True, inline="always")
def first_nearest(bits, gone):
    """Position of the smallest distance, given as its bits; the first wins ties.

    Floats that are not negative order as their bits do, and integer minima vectorise.
    """
    smallest = np.int32(0x7FFFFFFF)
    for x in range(bits.shape[0]):
        value = bits[x] | gone[x]
        smallest = value if value < smallest else smallest
    for x in range(bits.shape[0]):
        if bits[x] | gone[x] == smallest:
            return x
    return -1


@nb.njit(nogil=True, cache=True, inline="always")
def merged_distance(a, b, share, linkage):
    """Distance to a merger, of which the first half has the given share of the weight."""
    nearer, farther = min(a, b), max(a, b)
    if linkage == SINGLE:
        return nearer
    if linkage == COMPLETE:
        return farther
    # In this form equal distances stay equal to the last bit.
    return max(np.float32(b + (np.float64(a) - b) * share), nearer)


@nb.njit(nogil=True, cache=True)
def merge_nearest(distance, weights, linkage, pairs, heights):
    """Merge n clusters until one is left.

    INOUT distance float32 (n, n), symmetric, not negative, finite: overwritten; weights
    float64 (n,): overwritten; OUT pairs int32 (n - 1, 2), lower number first, and heights
    float32 (n - 1,), not sorted.
    """
    n = distance.shape[0]
    gone = np.zeros(n, np.int32)
    chain = np.empty(n, np.int32)
    length = 0
    first = 0
    for i in range(n):
        distance[i, i] = np.inf
    for step in range(n - 1):
        if length == 0:
            while gone[first] != 0:
                first += 1
            chain[0] = first
            length = 1
        while True:
            near = first_nearest(distance[chain[length - 1]].view(np.int32), gone)
            if length > 1 and near == chain[length - 2]:
                break
            chain[length] = near
            length += 1
        length -= 2
        low = min(chain[length], chain[length + 1])
        high = max(chain[length], chain[length + 1])
        pairs[step, 0] = low
        pairs[step, 1] = high
        heights[step] = distance[low, high]
        gone[high] = GONE
        share = weights[low] / (weights[low] + weights[high])
        weights[low] += weights[high]
        for x in range(n):
            if gone[x] == 0 and x != low:
                value = merged_distance(distance[low, x], distance[high, x], share, linkage)
                distance[low, x] = value
                distance[x, low] = value
