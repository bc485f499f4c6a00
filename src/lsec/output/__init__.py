"""Results of a run.

::

    labels   label files, written part by part
    spool    one number per row, in memory or in a scratch file; scratch arrays
    atomic   files that appear under their name only when they are complete
"""
