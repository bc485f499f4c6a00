// Nearest points by a scan of all, for rows with many features or without routes
// (kernels/rows.py; with D features of any number, kernels/columns.py: nearest_center).
//
// Points come in tiles of 32, by feature. A tile is left after the leading features if no sum in
// it is below the K-th smallest distance so far, which it could only exceed.

#define TILE 32
#define LEAD 16

LSEC_DEVICE void add_features(Int64 n, Int64 i, const float *columns, const float *tile,
                              Int32 first, Int32 last, float *sums) {
#pragma unroll 4
    for (Int32 f = first; f < last; f++) {
        float x = columns[f * n + i];
        const float *points = (const float *)__builtin_assume_aligned(tile + f * TILE, 64);
#pragma unroll
        for (Int32 j = 0; j < TILE; j++) {
            float u = x - points[j];
            sums[j] += u * u;
        }
    }
}

// IN columns (d, n), tiles (n_tiles, d, TILE), infinite beyond the last point; OUT keys (K,).
LSEC_DEVICE void scan(Int64 n, Int64 i, const float *columns, Int32 d, const float *tiles,
                      Int32 n_tiles, UInt64 *keys) {
#pragma unroll
    for (Int32 s = 0; s < K; s++) keys[s] = (UInt64)BITS_OF_INFINITY << 32 | (UInt32)s;
    Int32 lead = d < LEAD ? d : LEAD;
    for (Int32 t = 0; t < n_tiles; t++) {
        const float *tile = tiles + (Int64)t * d * TILE;
        float sums[TILE];
#pragma unroll
        for (Int32 j = 0; j < TILE; j++) sums[j] = 0.0f;
        add_features(n, i, columns, tile, 0, lead, sums);
        if (lead < d) {
            float least = sums[0];
#pragma unroll
            for (Int32 j = 1; j < TILE; j++) least = sums[j] < least ? sums[j] : least;
            if (least > distance_of(keys[K - 1])) continue;
            add_features(n, i, columns, tile, lead, d, sums);
        }
#pragma unroll
        for (Int32 j = 0; j < TILE; j++) {
            UInt64 key = key_of(sums[j], t * TILE + j);
            if (key < keys[K - 1] && __float_as_int(sums[j]) < BITS_OF_INFINITY) {
                insert_key(key, keys);
            }
        }
    }
}

// OUT landmarks (K, n), squared (K, n).
LSEC_KERNEL nearest_by_scan(Int64 n, const float *columns, Int32 d, const float *tiles,
                            Int32 n_tiles, UInt16 *landmarks, float *squared) {
    EACH(i, n) {
        UInt64 keys[K];
        scan(n, i, columns, d, tiles, n_tiles, keys);
#pragma unroll
        for (Int32 s = 0; s < K; s++) {
            landmarks[s * n + i] = (UInt16)keys[s];
            squared[s * n + i] = distance_of(keys[s]);
        }
    }
}

#ifdef LABEL
// OUT labels, one of the LABELs of each row, `width` of them apart.
LSEC_KERNEL label_by_nearest(Int64 n, const float *columns, Int32 d, const float *tiles,
                             Int32 n_tiles, LABEL *labels, Int32 width) {
    EACH(i, n) {
        UInt64 keys[K];
        scan(n, i, columns, d, tiles, n_tiles, keys);
        labels[i * width] = (LABEL)(UInt32)keys[0];
    }
}
#endif
