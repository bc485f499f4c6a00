"""Product of a sparse matrix with a block of vectors, for eigenvectors."""

from lsec.kernels import kernel


@kernel()
def filter_step(starts, columns, values, low, high, block, before, shift, scale, fade, out):
    """Rows low to high of OUT = scale (A - shift) block - fade before.

    A has the entries of row i at starts[i] to starts[i + 1].

    IN starts int32 (n + 1,), columns int32 (e,), values float (e,), block and before
    float (n, b), shift, scale and fade float; OUT out float (n, b), no other array.
    """
    width = block.shape[1]
    for i in range(low, high):
        total = out[i]
        own = block[i]
        earlier = before[i]
        for k in range(width):
            total[k] = -scale * shift * own[k] - fade * earlier[k]
        for entry in range(starts[i], starts[i + 1]):
            factor = scale * values[entry]
            other = block[columns[entry]]
            for k in range(width):
                total[k] += factor * other[k]
