"""Executors of block functions, and the means of a run; knows nothing of clustering.

::

    executor  ──►  threads  (of this process, and the progress they report: display)
     │        ├─►  cuda     (a GPU: pieces of the rows that fit into its memory)
     │        └─►  dask     (workers of a cluster)
     ├──►  memory       limits of a run; neighbors kept between sweeps
     └──►  checkpoint   finished results of an interrupted fit

A *block function* takes a `Block` of rows and returns a value. An executor maps one over the
blocks of a source, adds up its values in any order, or counts the distinct rows of labels it
gives (`distinct`). Sums are integers or are added in the order of the blocks, so that results
depend neither on the executor nor on its threads.
"""
