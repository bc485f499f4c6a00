"""Affinities of rows, and landmark-by-landmark Gram matrices of all members of a landmark set.

Entry (a, b) of member j is the sum over rows of w_a w_b / (sum of w), the matrix B' D^-1 B of the
transfer cut. Every term lies in [0, 1] and is added as a fixed-point integer: integer sums do not
depend on the order of rows, blocks, threads or machines.

A small chunk of rows is turned into its terms and their addresses with loops over rows (vector
instructions), then scattered row by row; rows come grouped by landmark, so that the scattered
addresses stay in cache. Pairs of landmarks get their place among the sums when they are first met;
every pair of few landmarks has a slot for it, of many those that were met have, in a hash table.
"""

from math import factorial, log

import numpy as np

from lsec.kernels import kernel

UNIT = 2.0**30  # the fixed-point value of 1.0; a term fits 32 bits, a sum of 2**33 terms 64
ROWS = 64  # rows handled together: all their weights stay in the first-level cache
FACTOR = np.uint64(0x9E3779B97F4A7C15)  # 2^64 divided by the golden ratio: spreads cells over slots
FLOOR = np.float32(2.0**-52)  # an affinity is never zero: a far row still has neighbors
LOG2_E = np.float32(1 / log(2))
# Taylor coefficients of 2**f, |f| <= 1/2: relative error below float32 rounding.
C1, C2, C3, C4, C5, C6 = (np.float32(log(2) ** n / factorial(n)) for n in range(1, 7))


@kernel()
def exp_negative(t, out, bits, count):
    """exp(-t) for t >= 0, at least FLOOR; written out so that it vectorizes.

    IN t float32 (count,); OUT out float32 (count,); SCRATCH bits int32 (count,).
    """
    half, one, lowest = np.float32(0.5), np.float32(1.0), np.float32(-60.0)
    scale = bits.view(np.float32)
    for i in range(count):
        y = -t[i] * LOG2_E
        y = y if y > lowest else lowest
        whole = np.floor(y + half)
        bits[i] = (np.int32(whole) + np.int32(127)) << np.int32(23)
        f = y - whole
        out[i] = one + f * (C1 + f * (C2 + f * (C3 + f * (C4 + f * (C5 + f * C6)))))
    for i in range(count):
        value = out[i] * scale[i]
        out[i] = value if value > FLOOR else FLOOR


@kernel()
def chunk_affinities(squared, start, stop, first_member, rates, power, weights, scratch, bits):
    """Weights of rows start..stop: exp(-v), v = (rate_j * squared distance) ** power.

    Slot s takes part in the members that have more than s neighbors: first_member[s] and later.

    IN squared float32 (n, K), first_member int32 (K,), rates float32 (q,), power 1 or 2;
    OUT weights float32 (K, q, ROWS); SCRATCH scratch float32 (ROWS,), bits int32 (ROWS,).
    """
    count = stop - start
    for s in range(squared.shape[1]):
        for j in range(first_member[s], rates.shape[0]):
            rate = rates[j]
            for i in range(count):
                value = squared[start + i, s] * rate
                scratch[i] = value * value if power == 2 else value
            exp_negative(scratch, weights[s, j], bits, count)


@kernel()
def chunk_shares(weights, first_member, count, shares, scratch):
    """Divide the weights of every member by their sum, times UNIT.

    IN weights float32 (K, q, ROWS); OUT shares float32 (K, q, ROWS).
    """
    k, q = weights.shape[0], weights.shape[1]
    scale = np.float32(UNIT)
    for j in range(q):
        for i in range(count):
            scratch[i] = 0
        for s in range(k):
            if first_member[s] <= j:
                weight = weights[s, j]
                for i in range(count):
                    scratch[i] += weight[i]
        for i in range(count):
            scratch[i] = scale / scratch[i]
        for s in range(k):
            if first_member[s] <= j:
                weight, share = weights[s, j], shares[s, j]
                for i in range(count):
                    share[i] = weight[i] * scratch[i]


@kernel()
def slot_of(cell, keys):
    """The slot of a cell in a hash table, or the free slot that it gets.

    IN keys uint32 (a power of 2,), cell + 1 or zero; some are zero.
    """
    mask = np.uint64(keys.shape[0] - 1)
    product = np.uint64(cell) * FACTOR
    slot = (product >> np.uint64(32)) & mask
    while keys[slot] != 0 and keys[slot] != cell + np.uint32(1):
        slot = (slot + np.uint64(1)) & mask
    return slot


@kernel()
def move_to_slots(cells, places, keys, place_of):
    """Fill an empty hash table with the places of some cells.

    IN cells uint32 (e,), places uint32 (e,); OUT keys uint32, place_of uint32 (slots,).
    """
    for i in range(cells.shape[0]):
        slot = slot_of(cells[i], keys)
        keys[slot] = cells[i] + np.uint32(1)
        place_of[slot] = places[i]


@kernel()
def find_places(pairs, count, places, keys, n_filled):
    """Replace cells by their places among the sums, less one; new cells get the next ones.

    INOUT pairs uint32 (ROWS,), places uint32 (cells or slots,), keys uint32 (slots,) or None.
    Returns the places filled.
    """
    one = np.uint32(1)
    for i in range(count):
        if keys is None:
            slot = np.uint64(pairs[i])
        else:
            slot = slot_of(pairs[i], keys)
            keys[slot] = pairs[i] + one
        place = places[slot]
        if place == 0:
            n_filled += 1
            place = np.uint32(n_filled)
            places[slot] = place
        pairs[i] = place - one
    return n_filled


@kernel()
def chunk_terms(
    weights, shares, slots, first_member, count, table, n_filled, pairs, terms, addresses
):
    """Fixed-point terms of all slot pairs and members, and where they belong.

    IN slots uint32 (K, ROWS); INOUT table: places and keys of `find_places`; SCRATCH pairs
    uint32 (ROWS,); OUT terms int32 (T, ROWS), addresses uint32 (T, ROWS). Returns the places
    filled.
    """
    k, q = weights.shape[0], weights.shape[1]
    places, keys = table
    one, two = np.uint32(1), np.uint32(2)
    t = 0
    for s in range(k):
        for r in range(s + 1):
            a, b = slots[r], slots[s]
            for i in range(count):
                high = max(a[i], b[i])
                pairs[i] = high * (high + one) // two + min(a[i], b[i])
            n_filled = find_places(pairs, count, places, keys, n_filled)
            for j in range(first_member[s], q):
                share, weight = shares[r, j], weights[s, j]
                term, address = terms[t], addresses[t]
                for i in range(count):
                    term[i] = np.int32(share[i] * weight[i])
                    address[i] = np.uint32(pairs[i] * q + j)
                t += 1
    return n_filled


@kernel()
def add_to_gram(
    index, squared, first_member, rates, power, start, table, n_filled, values, copies=None
):
    """Add the rows of a block from `start` on to the Gram matrices of one landmark set.

    The matrices are symmetric: cell b (b + 1) / 2 + a holds landmarks a <= b. The sums of
    a cell are in the row of `values` before its place; place 0 is that of cells not met yet.

    IN index uint16 (n, K), squared float32 (n, K), first_member int32 (K,), rates
    float32 (q,), power 1 or 2; INOUT table: places uint32 (p (p + 1) / 2,) and None, or places
    and keys uint32 (slots,) with more slots than `values` has rows, values int64 (room, q),
    contiguous. A row counts as many times as `copies` int64 (n,) says, or once.
    Returns the next row, less than n if more room is needed, and the places filled.
    """
    n, k = index.shape
    q = rates.shape[0]
    n_terms = 0
    for s in range(k):
        n_terms += (s + 1) * (q - first_member[s])
    cells = values.reshape(-1)
    weights, shares = np.empty((k, q, ROWS), np.float32), np.empty((k, q, ROWS), np.float32)
    slots, pairs = np.empty((k, ROWS), np.uint32), np.empty(ROWS, np.uint32)
    terms, addresses = np.empty((n_terms, ROWS), np.int32), np.empty((n_terms, ROWS), np.uint32)
    scratch, bits = np.empty(ROWS, np.float32), np.empty(ROWS, np.int32)
    while start < n:
        stop = min(start + ROWS, n)
        count = stop - start
        most = min(n_filled + count * k * (k + 1) // 2, table[0].shape[0])
        if most > values.shape[0]:
            break
        chunk_affinities(squared, start, stop, first_member, rates, power, weights, scratch, bits)
        chunk_shares(weights, first_member, count, shares, scratch)
        for s in range(k):
            for i in range(count):
                slots[s, i] = index[start + i, s]
        n_filled = chunk_terms(
            weights, shares, slots, first_member, count, table, n_filled, pairs, terms, addresses
        )
        for i in range(count):
            if copies is None:
                for t in range(n_terms):
                    cells[addresses[t, i]] += terms[t, i]
            else:
                times = copies[start + i]
                for t in range(n_terms):
                    cells[addresses[t, i]] += times * terms[t, i]
        start = stop
    return start, n_filled
