"""Gaussian affinities of rows to their nearest landmarks, for all K_j at once."""

import numpy as np

from lsec.kernels import kernel

ROWS = 64  # rows handled together: all their weights stay in the first-level cache
FLOOR = np.float32(2.0**-52)  # an affinity is never zero: a far row still has neighbors
LOG2_E = np.float32(1.4426950408889634)
# Taylor coefficients of 2**f, |f| <= 1/2: relative error below float32 rounding.
C1 = np.float32(0.6931471805599453)
C2 = np.float32(0.2402265069591007)
C3 = np.float32(0.05550410866482158)
C4 = np.float32(0.009618129107628477)
C5 = np.float32(0.0013333558146428443)
C6 = np.float32(0.00015403530393381606)


@kernel()
def exp_negative(t, out, bits, count):
    """exp(-t) for t >= 0, at least FLOOR; written out so that it vectorizes.

    IN t float32 (count,); OUT out float32 (count,); SCRATCH bits int32 (count,).
    """
    half = np.float32(0.5)
    one = np.float32(1.0)
    lowest = np.float32(-60.0)
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

    Slot s takes part in the members that have more than s neighbors, which are
    first_member[s] and those after it (K ascends with the member).

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
