// The K nearest landmarks of rows with few features D, by the routes to them
// (kernels/columns.py: route_columns and nearest_candidates).

LSEC_DEVICE float squared_distance(const float *row, const float *point) {
    float u = row[0] - point[0];
    float sum = u * u;
#pragma unroll
    for (Int32 f = 1; f < D; f++) {
        u = row[f] - point[f];
        sum += u * u;
    }
    return sum;
}

// The landmark that the tree sends a row to; the first child wins ties.
LSEC_DEVICE Int32 own_landmark(const float *row, const float *centers, const Int32 *first_child,
                               const Int32 *n_children, const Int32 *landmark_of) {
    Int32 node = 0;
    while (landmark_of[node] < 0) {
        Int32 first = first_child[node], best = 0;
        float least = __int_as_float(BITS_OF_INFINITY);
        for (Int32 c = 0; c < n_children[node]; c++) {
            float squared = squared_distance(row, centers + (first + c) * D);
            best = squared < least ? c : best;
            least = squared < least ? squared : least;
        }
        node = first + best;
    }
    return landmark_of[node];
}

// Candidates are sorted by their gap, the distance from the row's own landmark, so that the scan
// stops once no later one can enter the list.
//
// IN columns (D, n), the tree as of rows/rows.py, points (p, D), candidates and gaps
// (p, n_candidates); OUT landmarks (K, n), squared (K, n).
LSEC_KERNEL nearest_by_routes(Int64 n, const float *columns, const float *centers,
                              const Int32 *first_child, const Int32 *n_children,
                              const Int32 *landmark_of, const float *points,
                              const UInt16 *candidates, const float *gaps, Int32 n_candidates,
                              UInt16 *landmarks, float *squared) {
    EACH(i, n) {
        float row[D];
#pragma unroll
        for (Int32 f = 0; f < D; f++) row[f] = columns[f * n + i];
        Int32 own = own_landmark(row, centers, first_child, n_children, landmark_of);
        const UInt16 *near = candidates + (Int64)own * n_candidates;
        const float *gap = gaps + (Int64)own * n_candidates;
        UInt64 keys[K];
#pragma unroll
        for (Int32 s = 0; s < K; s++) keys[s] = ~0ull;
        float radius = 0.0f;
        for (Int32 j = 0; j < n_candidates; j++) {
            if (j >= K && j % 2 == 0) {
                float reach = sqrtf(distance_of(keys[K - 1])) * (1.0f + SLACK) + radius;
                if (gap[j] * (1.0f - SLACK) > reach) break;
            }
            float distance = squared_distance(row, points + near[j] * D);
            if (j == 0) radius = sqrtf(distance) * (1.0f + SLACK) + gap[0];
            UInt64 key = key_of(distance, j);
            if (key < keys[K - 1]) insert_key(key, keys);
        }
#pragma unroll
        for (Int32 s = 0; s < K; s++) {
            landmarks[s * n + i] = near[(UInt32)keys[s]];
            squared[s * n + i] = distance_of(keys[s]);
        }
    }
}
