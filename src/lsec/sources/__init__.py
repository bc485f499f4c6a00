"""Sources of rows: canonical blocks, and rows by position.

::

    source  ─►  Source, and ArraySource: arrays, memory maps, sparse matrices
            ─►  dask       Dask arrays and data frames
            ─►  opening    files by their ending: npy, csv, parquet, chunked (Zarr, HDF5)

Several files are a composite of shards; Parquet, Zarr and HDF5 decode groups of rows
(`composite`). Files that change while they are read are an error (`stored`).
"""

from lsec.sources.source import ArraySource, Source, is_dask, open_source

__all__ = ["ArraySource", "Source", "is_dask", "open_source"]
