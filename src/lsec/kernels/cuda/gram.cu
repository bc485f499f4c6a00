// Fixed-point Gram matrices of all Q members of a landmark set (kernels/gram.py).

#if K * Q <= 64
#define UNROLL _Pragma("unroll")
#else
#define UNROLL
#endif

// IN landmarks (K, n), squared (K, n), first_member (K,), rates (Q,), copies (n,); INOUT values (cells, Q):
// cell b (b + 1) / 2 + a holds landmarks a <= b. If WEIGHTED, a row counts copies[i] times.
LSEC_KERNEL add_to_gram(Int64 n, const UInt16 *landmarks, const float *squared,
                        const Int32 *first_member, const float *rates, Int32 power,
                        const UInt64 *copies, UInt64 *values) {
    EACH(i, n) {
        UInt64 times = WEIGHTED ? copies[i] : 1;
        if (times == 0) continue;
        float weights[K * Q], shares[Q];
        UInt32 slots[K];
        UNROLL
        for (Int32 j = 0; j < Q; j++) shares[j] = 0.0f;
        UNROLL
        for (Int32 s = 0; s < K; s++) {
            slots[s] = landmarks[s * n + i];
            float distance = squared[s * n + i];
            Int32 first = first_member[s];
            UNROLL
            for (Int32 j = 0; j < Q; j++) {
                float weight = j < first ? 0.0f : affinity(distance, rates[j], power);
                weights[s * Q + j] = weight;
                if (j >= first) shares[j] += weight;
            }
        }
        UNROLL
        for (Int32 j = 0; j < Q; j++) shares[j] = UNIT / shares[j];
        UNROLL
        for (Int32 s = 0; s < K; s++) {
            Int32 first = first_member[s];
            UNROLL
            for (Int32 r = 0; r <= s; r++) {
                UInt32 high = slots[r] > slots[s] ? slots[r] : slots[s];
                UInt32 low = slots[r] > slots[s] ? slots[s] : slots[r];
                UInt64 cell = (UInt64)high * (high + 1) / 2 + low;
                UNROLL
                for (Int32 j = 0; j < Q; j++) {
                    if (j < first) continue;
                    float share = weights[r * Q + j] * shares[j];
                    Int32 term = (Int32)(share * weights[s * Q + j]);
                    atomicAdd(values + cell * Q + j, times * (UInt64)term);
                }
            }
        }
    }
}
