"""Results of a run.

::

    labels       one number per row, in memory, in a scratch file, or in a label file
    atomic       files that appear under their name only when they are complete
    overwriting  outputs that would replace an input are refused
"""
