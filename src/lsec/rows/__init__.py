"""A block of rows in the working frame, and the operations of the method on it.

These are few (`rows`): nearest centers, means of the rows of each label, and nearest landmarks.
The kind of rows, never an option, decides how they are done:

- `dense`: with few features, kernels loop over rows, one or two centers at a time; with many, over
  centers or landmarks, one row at a time.
- `sparse`: CSR rows that are not projected, for k-means; only centers become dense.

`frame` brings raw rows into the working frame: centered, scaled, projected, float32.
"""
