"""A block of rows in the working frame, and the operations of the method on it.

The method needs few operations: the nearest of some centers, the mean of the rows of each
label, and the nearest landmarks (`rows`). The kind of rows, never an option, decides how they
are done:

- `dense`: with few features, kernels loop over rows, one or two centers at a time; with many,
  matrix products of groups of rows that share centers.
- `sparse`: CSR rows; sparse-dense products, only centers become dense.

`frame` brings raw rows into the working frame: centered, scaled by a power of two, float32.
"""
