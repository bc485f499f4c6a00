"""Rows of HDF5 data sets; the only place that imports h5py."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from lsec.sources.chunks import ChunkedSource
from lsec.sources.stored import StoredFile, one_line


class Hdf5Source(ChunkedSource):
    """Rows of a data set of an HDF5 file: the one named, or the only 2-D one there is.

    Parameters
    ----------
    path : Path
    inside : str, optional
        Name of the data set.
    """

    def __init__(self, path: Path, inside: str | None):
        self._file = StoredFile.of(path)
        file = _open_file(path)
        self._inside = inside or _only_table(path, file)
        super().__init__(_find(path, file, self._inside), f"{path}::{self._inside}")

    def fingerprint(self) -> dict[str, Any]:
        """What tells that rows are the same as those of an earlier run, as JSON values."""
        return {
            "kind": "hdf5",
            "shape": list(self.shape),
            "data set": self._inside,
            "files": [self._file.fingerprint()],
        }

    def _open(self) -> Any:
        self._file.check()
        return _open_file(Path(self._file.path))[self._inside]

    def _decode(self, group: int) -> np.ndarray:
        self._file.check()
        return super()._decode(group)


def _open_file(path: Path) -> Any:
    try:
        import h5py
    except ImportError as error:
        raise ImportError(
            f"Reading {path} needs h5py. Install it with: pip install 'lsec[io]'"
        ) from error
    try:
        return h5py.File(path, "r")
    except OSError as error:
        raise ValueError(f"{path} is not a whole HDF5 file: {one_line(error)}.") from error


def _tables(path: Path, file: Any) -> list[str]:
    """Names of the 2-D data sets of a file."""
    tables: list[str] = []

    def visit(name: str, item: Any) -> None:
        if getattr(item, "ndim", 0) == 2:  # groups have no dimensions
            tables.append(name)

    try:
        file.visititems(visit)
    except (OSError, RuntimeError, KeyError) as error:
        raise ValueError(f"{path} is not a whole HDF5 file: {one_line(error)}.") from error
    return tables


def _only_table(path: Path, file: Any) -> str:
    tables = _tables(path, file)
    if len(tables) != 1:
        raise ValueError(
            f"{path} has {len(tables)} 2-D data sets; name one as {path}::NAME: "
            f"{', '.join(tables) or 'none'}."
        )
    return tables[0]


def _find(path: Path, file: Any, inside: str) -> Any:
    found = file.get(inside)
    if not hasattr(found, "ndim"):
        listed = ", ".join(_tables(path, file)) or "none"
        raise ValueError(f"{path} has no data set {inside!r}; its 2-D data sets are: {listed}.")
    return found
