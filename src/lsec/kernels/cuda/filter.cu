// Product of a sparse matrix with a block of vectors (kernels/filter.py).

// Every number of OUT = scale (A - shift) block - fade before, each by a thread of its own: n = q * width.
// IN starts (q + 1,), columns (e,), values (e,), block and before (q, width); OUT out (q, width).
LSEC_KERNEL filter_step(Int64 n, const Int32 *starts, const Int32 *columns, const float *values,
                        const float *block, const float *before, Int32 width, float shift,
                        float scale, float fade, float *out) {
    EACH(i, n) {
        Int64 row = i / width, k = i - row * width;
        float total = -scale * shift * block[i] - fade * before[i];
        Int32 last = starts[row + 1];
        for (Int32 entry = starts[row]; entry < last; entry++) {
            float factor = scale * values[entry];
            total += factor * block[(Int64)columns[entry] * width + k];
        }
        out[i] = total;
    }
}
