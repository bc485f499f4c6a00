"""Rows in the working frame, and what is asked of them.

The method asks few things of rows: the nearest of some centers, the mean of the
rows of each label, and the nearest landmarks. How these are computed depends on
what the rows look like, never on an option:

- `columns`: few features; kernels that run over rows, one or two centers at a time.
- `dense`: many features; matrix products on groups of rows that share centers.
- `sparse`: CSR rows; sparse-dense products, nothing is made dense but centers.

`frame` brings raw rows into the working frame: centered, scaled by a power of
two, float32.
"""
