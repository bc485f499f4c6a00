"""Sources of rows: canonical blocks, and rows by position.

::

    opening  ─►  source     Source, and ArraySource: arrays, memory maps, sparse matrices
             ─►  dask       Dask arrays and data frames
             ─►  npy, csv, parquet, chunked (Zarr, HDF5)
             ─►  composite  several sources one after the other, parts of sources

Parquet, Zarr and HDF5 decode groups of rows (`grouped`); files that change while they are
read are an error (`stored`).
"""

from lsec.sources.opening import is_dask, open_rows, open_source
from lsec.sources.source import ArraySource, Source

__all__ = ["ArraySource", "Source", "is_dask", "open_rows", "open_source"]
