"""Rows of Dask arrays and data frames."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from lsec.sources.source import ArraySource, Source
from lsec.sources.stored import import_for
from lsec.typing import AnyArray, Int64

MOST_PART_BLOCKS = 16  # splits large chunks, so that there are enough parts for all workers


class DaskRows(Source):
    """Rows of a Dask array (n, d) or data frame, which stay where Dask keeps them.

    Work is done part by part: on the rows of a chunk, or of some of its blocks, with its borders
    moved to borders of canonical blocks. At most the rest of a block travels to the next chunk.
    """

    kind = "dask"

    def __init__(self, collection: Any):
        self.array = _as_array(collection)
        super().__init__(self.array.shape)

    @cached_property
    def borders(self) -> list[int]:
        """First row of every part, and the number of rows."""
        return part_borders(self.array.chunks[0], self.rows_per_block)

    def parts(self) -> list[Any]:
        """Return delayed sources, one per part."""
        from dask.delayed import delayed

        rows = self.array.rechunk((tuple(np.diff(self.borders).tolist()), (self.shape[1],)))
        chunks = rows.to_delayed().ravel()
        open_part = delayed(_open_part, pure=False)
        return [open_part(*part) for part in zip(chunks, self.borders[:-1], strict=True)]

    def _identity(self) -> dict[str, Any]:
        return {"name": self.array.name}

    def _read(self, span: slice) -> AnyArray:
        return np.asarray(self.array[span].compute())

    def _gather(self, which: Int64) -> AnyArray:
        return np.asarray(self.array[which].compute())


def part_borders(chunks: Sequence[int], rows_per_block: int) -> list[int]:
    """Move borders of chunks up to borders of blocks, and split large chunks.

    >>> part_borders([5, 1, 6, 100], 4)
    [0, 8, 12, 76, 112]
    """
    ends = -(-np.cumsum(chunks) // rows_per_block) * rows_per_block
    most = MOST_PART_BLOCKS * rows_per_block
    borders = [0]
    for end in np.unique(np.minimum(ends, sum(chunks))[ends > 0]).tolist():
        borders += [*range(borders[-1] + most, end, most), end]
    return borders


def _open_part(rows: AnyArray, first_row: int) -> Source:
    """Open the rows of a part on a worker; they are checked as they are read."""
    return ArraySource(np.asarray(rows), mapped=True, first_row=first_row)


def _as_array(collection: Any) -> Any:
    """Return a Dask array (n, d) of numbers, with chunks of known size and of whole rows."""
    array = import_for("A Dask collection", "dask.array", "dask")
    if hasattr(collection, "to_dask_array"):
        collection = collection.to_dask_array(lengths=True)
    if not isinstance(collection, array.Array):
        raise ValueError(f"X must be a Dask array or data frame; got {type(collection)!r}.")
    if collection.ndim != 2 or collection.dtype.kind not in "biuf":
        raise ValueError(
            f"X must be 2-D and hold real numbers; got {collection.dtype} with "
            f"{collection.ndim} dimension(s). Choose the columns of numbers, or reshape it."
        )
    if not isinstance(collection._meta, np.ndarray):
        raise ValueError(
            f"Chunks of X must be NumPy arrays; got {type(collection._meta).__name__}. Convert "
            f"them, for example with X.map_blocks(lambda chunk: chunk.toarray())."
        )
    if np.isnan(collection.shape).any():
        collection = collection.copy().compute_chunk_sizes()
    return collection.rechunk({1: -1})
