"""Compiled functions: arrays in, arrays out, no Python objects, no threads of their own.

Arguments are marked IN, OUT, INOUT or SCRATCH. Every kernel has a plain NumPy counterpart in the
tests. Arrays that belong together are passed as plain tuples, in the order of the fields of a
named one: the type of a named tuple would tie cached kernels, which outlive an upgrade, to the
module of its class.

- `columns`: few features: nearest centers, routing and nearest landmarks, sums by label
- `rows`: many features: nearest centers and landmarks
- `split`: parts of rows, split by k-means
- `filter`: product of a sparse matrix with a block of vectors
- `sorting`: counting sort, the smallest values of rows
- `gram`: affinities of a chunk of rows; fixed-point Gram matrices of all members of a landmark set
- `labels`: base labels and embeddings from tables over landmarks
- `distinct`: distinct rows of a label matrix
- `co_association`: similarity of micro-clusters, from the base clusters they share
- `agglomerate`: hierarchical clustering of a distance matrix
- `prototypes`: k-means on label rows
- `trajectories`: random walks on a graph of micro-clusters
"""

from functools import partial

import numba as nb

# Kernels release the interpreter lock and are kept between runs. Leaving out the wrapper for C
# and the check of every divisor makes less to compile; no kernel divides by zero.
kernel = partial(nb.njit, nogil=True, cache=True, no_cfunc_wrapper=True, error_model="numpy")
