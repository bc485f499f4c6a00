"""Rows of arrays on disk that are sliced like NumPy arrays and stored in chunks."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from lsec.sources.groups import GroupedSource
from lsec.sources.source import block_rows
from lsec.sources.stored import one_line


class ChunkedSource(GroupedSource):
    """Rows of an array on disk; a run of whole chunks is decoded at a time.

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
        self._array: Any = array
        self._name = name
        self._offset = 0

    @abstractmethod
    def _open(self) -> Any:
        """The array, opened again; an OSError if what is stored is no longer the same."""

    def __getstate__(self) -> dict[str, Any]:
        """Where the array is; it is opened again where it is read."""
        return super().__getstate__() | {"_array": None}

    def place(self, row: int, column: int) -> str:
        """Where a value lies, for messages."""
        return f"row {self._offset + row}, column {column} of {self._name}"

    def _keep(self, groups: range) -> None:
        if groups:
            self._offset += int(self._starts[groups.start])

    def _decode(self, group: int) -> np.ndarray:
        start, stop = (self._offset + int(end[group]) for end in (self._starts, self._ends))
        if self._array is None:
            self._array = self._open()
        try:
            return np.asarray(self._array[start:stop])
        except MemoryError:
            raise
        except Exception as error:
            raise OSError(
                f"Rows {start} to {stop - 1} of {self._name} cannot be read: {one_line(error)}. "
                "The file may be damaged."
            ) from error
