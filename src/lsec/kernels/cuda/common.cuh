// Types, loops and arithmetic of all kernels.
//
// One thread works on one row. Every result has the bits of the CPU's: terms are added in the same
// order, products are not fused with sums (the option --fmad=false), and sums over rows are
// integers, whose order does not matter.

#ifndef LSEC_KERNEL
#define LSEC_KERNEL extern "C" __global__ void
#define LSEC_DEVICE static __device__ __forceinline__
#define EACH(i, n)                                                   \
    for (Int64 i = blockIdx.x * (Int64)blockDim.x + threadIdx.x;     \
         i < (n); i += (Int64)gridDim.x * blockDim.x)
#endif

typedef signed char Int8;
typedef short Int16;
typedef int Int32;
typedef long long Int64;
typedef unsigned char UInt8;
typedef unsigned short UInt16;
typedef unsigned int UInt32;
typedef unsigned long long UInt64;
typedef float Float32;
typedef double Float64;

#define BITS_OF_INFINITY 0x7f800000

// exp(-t) for t >= 0, at least FLOOR; the polynomial of kernels/gram.py.
LSEC_DEVICE float exp_negative(float t) {
    float y = -t * LOG2_E;
    y = y > -60.0f ? y : -60.0f;
    float whole = floorf(y + 0.5f);
    float scale = __int_as_float(((Int32)whole + 127) << 23);
    float f = y - whole;
    float value = 1.0f + f * (C1 + f * (C2 + f * (C3 + f * (C4 + f * (C5 + f * C6)))));
    value = value * scale;
    return value > FLOOR ? value : FLOOR;
}

// Weight of a landmark at a squared distance.
LSEC_DEVICE float affinity(float squared, float rate, Int32 power) {
    float value = squared * rate;
    return exp_negative(power == 2 ? value * value : value);
}

#ifdef K
// A sorted list of the K nearest: 64-bit keys, the bits of the (non-negative) squared distance
// above, a position below. Keys order exactly as pairs of distance and position do.

LSEC_DEVICE UInt64 key_of(float squared, UInt32 position) {
    return (UInt64)(UInt32)__float_as_int(squared) << 32 | position;
}

LSEC_DEVICE float distance_of(UInt64 key) {
    return __int_as_float((Int32)(key >> 32));
}

LSEC_DEVICE void insert_key(UInt64 key, UInt64 *keys) {
#pragma unroll
    for (Int32 s = 0; s < K; s++) {
        UInt64 before = keys[s];
        keys[s] = before < key ? before : key;
        key = before < key ? key : before;
    }
}
#endif
