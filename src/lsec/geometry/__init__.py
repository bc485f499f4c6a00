"""Rows in the working frame, and what is asked of them.

The method asks few things of rows: the nearest of some centres, the mean of the
rows of each label, and the nearest landmarks. How these are computed depends on
what the rows look like, never on an option:

- `columns`: few features; kernels that run over rows, one or two centres at a time.
- `dense`: many features; matrix products on groups of rows that share centres.
- `sparse`: CSR rows; sparse-dense products, nothing is made dense but centres.

`frame` brings raw rows into the working frame: centred, scaled by a power of
two, float32.
"""
