// Rows into the working frame (rows/frame.py), and the check for NaN and infinity.
//
// RAW is the type of the raw rows; their strides count values.

#define FARTHEST 1125899906842624.0f  // 2**50

LSEC_DEVICE float centered(RAW value, double anchor, double offset, double scale) {
    float working = (float)((((double)value - anchor) - offset) * scale);
    working = working > FARTHEST ? FARTHEST : working;
    return working < -FARTHEST ? -FARTHEST : working;
}

// IN raw (n, d), anchor and offset (d,); OUT columns (d, n).
LSEC_KERNEL center_rows(Int64 n, const RAW *raw, Int64 row_stride, Int64 column_stride, Int32 d,
                        const double *anchor, const double *offset, double scale,
                        float *columns) {
    EACH(i, n) {
        for (Int32 f = 0; f < d; f++) {
            RAW value = raw[i * row_stride + f * column_stride];
            columns[f * n + i] = centered(value, anchor[f], offset[f], scale);
        }
    }
}

#define DIRECTIONS 16

// Centered rows times a basis, 16 directions at a time.
//
// IN raw (n, d), anchor and offset (d,), basis (d, padded) with zeros beyond q directions;
// OUT columns (q, n).
LSEC_KERNEL project_rows(Int64 n_parts, Int64 n, const RAW *raw, Int64 row_stride,
                         Int64 column_stride, Int32 d, const double *anchor, const double *offset,
                         double scale, const float *basis, Int32 padded, Int32 q,
                         float *columns) {
    EACH(item, n_parts) {
        Int64 i = item % n;
        Int32 first = (Int32)(item / n) * DIRECTIONS;
        float sums[DIRECTIONS];
#pragma unroll
        for (Int32 c = 0; c < DIRECTIONS; c++) sums[c] = 0.0f;
        for (Int32 f = 0; f < d; f++) {
            RAW value = raw[i * row_stride + f * column_stride];
            float x = centered(value, anchor[f], offset[f], scale);
            const float *b = (const float *)__builtin_assume_aligned(
                basis + (Int64)f * padded + first, 64);
#pragma unroll
            for (Int32 c = 0; c < DIRECTIONS; c++) sums[c] += x * b[c];
        }
        for (Int32 c = 0; c < DIRECTIONS && first + c < q; c++) columns[(first + c) * n + i] = sums[c];
    }
}

// IN raw (n, d); INOUT first (1,): number of the first value, row by row, that is not finite.
LSEC_KERNEL find_not_finite(Int64 n, const RAW *raw, Int64 row_stride, Int64 column_stride, Int32 d,
                            UInt64 *first) {
    EACH(i, n) {
        for (Int32 f = 0; f < d; f++) {
            double value = (double)raw[i * row_stride + f * column_stride];
            if (!(value - value == 0.0)) {
                atomicMin(first, (UInt64)(i * d + f));
                break;
            }
        }
    }
}
