// Distinct label rows, each W words, counted with an open-addressing table
// (kernels/distinct.py).

LSEC_DEVICE bool same_words(const UInt64 *a, const UInt64 *b) {
    bool same = true;
#pragma unroll
    for (Int32 j = 0; j < W; j++) same = same && a[j] == b[j];
    return same;
}

// A slot holds a row with the words that belong there, or -1. Once more than `most` slots are
// taken, rows are left out and have to be entered into a larger table.
//
// If WEIGHTED, a row counts copies[i] times; the first place of rows that do not count at all is
// UNCOUNTED plus their place.
//
// IN rows (n, W), copies (n,); INOUT slots (mask + 1,), filled with -1, n_taken (1,) and counts
// (mask + 1,), zero, firsts (mask + 1,), filled with the largest number; OUT slot_of (n,).
LSEC_KERNEL enter_rows(Int64 n, const UInt64 *rows, const UInt64 *copies, UInt64 mask,
                       Int32 most, Int32 *slots, UInt32 *n_taken, UInt64 *counts, UInt64 *firsts,
                       Int32 *slot_of) {
    EACH(i, n) {
        const UInt64 *row = rows + i * W;
        UInt64 hash = 0;
#pragma unroll
        for (Int32 j = 0; j < W; j++) {
            hash = (hash ^ row[j]) * 0x9E3779B97F4A7C15ull;
            hash ^= hash >> 32;
        }
        UInt64 slot = hash & mask;
        while (true) {
            Int32 holder = *(volatile Int32 *)(slots + slot);
            if (holder < 0) {
                if (*(volatile UInt32 *)n_taken > (UInt32)most) return;
                holder = atomicCAS(slots + slot, -1, (Int32)i);
                if (holder < 0) {
                    atomicAdd(n_taken, 1u);
                    holder = (Int32)i;
                }
            }
            if (same_words(row, rows + (Int64)holder * W)) break;
            slot = (slot + 1) & mask;
        }
        slot_of[i] = (Int32)slot;
        UInt64 times = WEIGHTED ? copies[i] : 1;
        UInt64 place = i + (times == 0 ? UNCOUNTED : 0);
        atomicAdd(counts + slot, times);
        if (firsts[slot] > place) atomicMin(firsts + slot, place);
    }
}
