"""Sources of rows: canonical blocks, and rows by position.

::

    tables      rows in memory that are not numbers are refused
    source  ─►  Source, and ArraySource: arrays, memory maps, sparse matrices
            ─►  dask       Dask arrays and data frames
            ─►  opening    files by their ending: npy, csv, parquet, chunked (Zarr, HDF5)

Several files are a composite of shards; Parquet, Zarr and HDF5 decode groups of rows
(`composite`). `columns` chooses columns of files that name them; `identifiers` warns of those
that are no features. Files that change while they are read are an error (`stored`).
"""

from lsec.sources.source import ArraySource, Source, are_paths, is_dask, open_source
from lsec.sources.tables import numeric_rows

__all__ = ["ArraySource", "Source", "are_paths", "is_dask", "numeric_rows", "open_source"]
