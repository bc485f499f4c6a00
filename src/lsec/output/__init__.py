"""Results of a run.

::

    labels       one number per row, in memory, in a scratch file, or in a label file
    label_files  .npy, .csv or .parquet, also with names and confidence of the rows
    atomic       files that appear under their name only when they are complete
    overwriting  outputs that would replace an input are refused
"""
