"""Rows of Zarr arrays and HDF5 data sets; the only place that imports zarr and h5py."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from lsec.sources.groups import GroupedSource
from lsec.sources.source import block_rows


class ChunkedSource(GroupedSource):
    """Rows of an array on disk that is sliced like a NumPy array.

    Parameters
    ----------
    array : zarr.Array or h5py.Dataset
    name : str
        What to call it in messages.
    """

    def __init__(self, array: Any, name: str):
        if array.ndim != 2 or array.dtype.kind not in "biuf":
            raise ValueError(
                f"{name} must hold a 2-D array of real numbers; got {array.dtype} of shape "
                f"{array.shape}."
            )
        n, d = array.shape
        step = (array.chunks[0] if array.chunks else 0) or block_rows(d)
        step = max(step, block_rows(d) // step * step)
        full, rest = divmod(n, step)
        super().__init__([step] * full + [rest] * (rest > 0), d)
        self._array = array
        self._name = name

    def place(self, row: int, column: int) -> str:
        """Where a value lies, for messages."""
        return f"row {row}, column {column} of {self._name}"

    def _decode(self, group: int) -> np.ndarray:
        return np.asarray(self._array[int(self._starts[group]) : int(self._ends[group])])


def open_zarr(path: Path) -> ChunkedSource:
    """Rows of a Zarr array."""
    try:
        import zarr
    except ImportError as error:
        raise ImportError(
            f"Reading {path} needs zarr. Install it with: pip install 'lsec[io]'"
        ) from error
    try:
        opened = zarr.open(str(path), mode="r")
    except Exception as error:
        raise ValueError(f"{path} is not a Zarr array: {error}") from error
    if not hasattr(opened, "chunks"):
        raise ValueError(f"{path} is a Zarr group. Name the array inside it, such as {path}/X.")
    return ChunkedSource(opened, str(path))


def open_hdf5(path: Path, inside: str | None) -> ChunkedSource:
    """Rows of a data set of an HDF5 file: the one named, or the only 2-D one there is."""
    try:
        import h5py
    except ImportError as error:
        raise ImportError(
            f"Reading {path} needs h5py. Install it with: pip install 'lsec[io]'"
        ) from error
    try:
        file = h5py.File(path, "r")
    except OSError as error:
        raise ValueError(f"{path} is not an HDF5 file: {error}") from error
    tables: list[str] = []
    file.visititems(
        lambda name, item: (
            tables.append(name) if isinstance(item, h5py.Dataset) and item.ndim == 2 else None
        )
    )
    listed = ", ".join(tables) or "none"
    if inside is None and len(tables) != 1:
        raise ValueError(
            f"{path} has {len(tables)} 2-D data sets; name one as {path}::NAME: {listed}."
        )
    if inside is not None and not isinstance(file.get(inside), h5py.Dataset):
        raise ValueError(f"{path} has no data set {inside!r}; its 2-D data sets are: {listed}.")
    name = inside or tables[0]
    return ChunkedSource(file[name], f"{path}::{name}")
