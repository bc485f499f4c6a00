// Base labels of rows from tables over their K nearest landmarks (kernels/labels.py).

#define LANES 16

struct Row {
    UInt32 landmark[K];
    float weight[K];
};

// |u| of a row: squares are added up lane by lane.
LSEC_DEVICE float embedding_length(const Row &row, const float *vectors, Int32 n_vectors) {
    float squares[LANES];
#pragma unroll
    for (Int32 lane = 0; lane < LANES; lane++) squares[lane] = 0.0f;
    for (Int32 low = 0; low < n_vectors; low += LANES) {
#pragma unroll
        for (Int32 lane = 0; lane < LANES; lane++) {
            Int32 c = low + lane;
            if (c >= n_vectors) continue;
            float embedded = 0.0f;
            for (Int32 s = 0; s < K; s++) {
                embedded += row.weight[s] * vectors[(Int64)row.landmark[s] * n_vectors + c];
            }
            squares[lane] += embedded * embedded;
        }
    }
    float total = 0.0f;
#pragma unroll
    for (Int32 lane = 0; lane < LANES; lane++) total += squares[lane];
    return sqrtf(total);
}

// The center with the largest (sum of w P) - |u| h; the first wins ties.
LSEC_DEVICE Int32 best_center(const Row &row, const float *scores, const float *offsets,
                              Int32 n_centers, float length) {
    if (length == 0.0f) length = 1.0f;  // at the origin, the shortest center is nearest
    Int32 best = 0, highest = 0;
    for (Int32 c = 0; c < n_centers; c++) {
        float score = -length * offsets[c];
        for (Int32 s = 0; s < K; s++) {
            score += row.weight[s] * scores[(Int64)row.landmark[s] * n_centers + c];
        }
        Int32 bits = __float_as_int(score);
        Int32 ordered = bits ^ ((bits >> 31) & 0x7fffffff);
        if (c == 0 || ordered > highest) {
            best = c;
            highest = ordered;
        }
    }
    return best;
}

// The own label of one of the two nearest landmarks, if it wins by the margins, or -1.
LSEC_DEVICE Int32 clear_label(const Row &row, const Int32 *own, const float *margins,
                              Int32 n_labels) {
    for (Int32 near = 0; near < K && near < 2; near++) {
        Int32 label = own[row.landmark[near]];
        float total = 0.0f;
        for (Int32 s = 0; s < K; s++) {
            total += row.weight[s] * margins[(Int64)row.landmark[s] * n_labels + label];
        }
        if (total > 0.0f) return label;
    }
    return -1;
}

// IN landmarks and squared (at least K, n), K of the member, tables as of LabelTables; OUT labels, one of the
// LABELs of each row, `width` of them apart.
LSEC_KERNEL label_rows(Int64 n, const UInt16 *landmarks, const float *squared, float rate,
                       Int32 power, const Int32 *own, const Int32 *safe,
                       const float *margins, Int32 n_labels, const float *scores,
                       const float *vectors, Int32 n_vectors, const float *offsets,
                       Int32 n_centers, LABEL *labels, Int32 width) {
    EACH(i, n) {
        Row row;
        for (Int32 s = 0; s < K; s++) row.landmark[s] = landmarks[s * n + i];
        Int32 label = safe[row.landmark[0]];
        for (Int32 s = 1; s < K; s++) label = safe[row.landmark[s]] == label ? label : -1;
        if (label < 0) {
            for (Int32 s = 0; s < K; s++) {
                row.weight[s] = affinity(squared[s * n + i], rate, power);
            }
            label = clear_label(row, own, margins, n_labels);
        }
        if (label < 0) {
            float length = embedding_length(row, vectors, n_vectors);
            label = best_center(row, scores, offsets, n_centers, length);
        }
        labels[i * width] = (LABEL)label;
    }
}

// OUT labels, the nearest landmark of each row.
LSEC_KERNEL label_by_landmark(Int64 n, const UInt16 *landmarks, LABEL *labels, Int32 width) {
    EACH(i, n) labels[i * width] = (LABEL)landmarks[i];
}
