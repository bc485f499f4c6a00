"""Sweeps on the workers of a Dask cluster; the only place that imports dask."""
