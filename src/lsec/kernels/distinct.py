"""Distinct rows of a label matrix, counted exactly with an open-addressing table.

A label row is seen as a few 64-bit words.
"""

import numpy as np

from lsec.kernels import kernel

EMPTY = -1


@kernel(inline="always")
def hash_row(row):
    """Mix the words of a row into 64 bits."""
    value = np.uint64(0)
    for j in range(row.shape[0]):
        value = (value ^ row[j]) * np.uint64(0x9E3779B97F4A7C15)
        value ^= value >> np.uint64(32)
    return value


@kernel(inline="always")
def find_slot(table, keys, row):
    """Slot that holds the row, or the empty slot where it belongs.

    Equal hashes are not trusted: the words are compared.
    """
    mask = np.uint64(table.shape[0] - 1)
    slot = hash_row(row) & mask
    while table[slot] != EMPTY:
        key = keys[table[slot]]
        same = True
        for j in range(row.shape[0]):
            if key[j] != row[j]:
                same = False
                break
        if same:
            return slot
        slot = (slot + np.uint64(1)) & mask
    return slot


@kernel()
def count_rows(rows, start, first_row, table, keys, counts, firsts, n_keys, ids):
    """Count rows[start:] until they end or the keys are full.

    IN rows uint64 (n, words), first_row: position of rows[0] in the whole matrix;
    INOUT table int32 (a power of two,), keys uint64 (capacity, words), counts and firsts int64
    (capacity,); OUT ids int32 (n,). Returns the numbers of rows done and of keys.
    """
    for i in range(start, rows.shape[0]):
        slot = find_slot(table, keys, rows[i])
        key = table[slot]
        if key == EMPTY:
            if n_keys == keys.shape[0]:
                return i, n_keys
            key = n_keys
            table[slot] = key
            for j in range(rows.shape[1]):
                keys[key, j] = rows[i, j]
            counts[key] = 0
            firsts[key] = first_row + i
            n_keys += 1
        counts[key] += 1
        firsts[key] = min(firsts[key], first_row + i)
        ids[i] = key
    return rows.shape[0], n_keys


@kernel()
def rebuild_table(table, keys, n_keys):
    """Enter the first n_keys keys, all different, into an empty table."""
    table[:] = EMPTY
    for key in range(n_keys):
        table[find_slot(table, keys, keys[key])] = key
