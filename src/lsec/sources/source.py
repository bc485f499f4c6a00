"""Rows as canonical blocks, wherever they are stored.

Block borders depend only on the number of features, never on memory, threads or
storage: everything computed per block is the same wherever the block lives.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

MOST_BLOCK_ROWS = 65536
MOST_BLOCK_VALUES = 2**25
LEAST_BLOCK_ROWS = 1024

RawRows = Any  # an ndarray (n, d) of any real type, or a CSR matrix


def block_rows(n_features: int) -> int:
    """Rows of a block: a power of two, at most 65,536 rows or 128 MiB of float32."""
    rows = min(MOST_BLOCK_ROWS, MOST_BLOCK_VALUES // n_features)
    return max(LEAST_BLOCK_ROWS, 1 << (max(rows, 1).bit_length() - 1))


class Source(ABC):
    """Rows that can be read by block and by position, from several threads at once.

    What is read is looked through for NaN and infinity, unless `trusted`. A source can be
    pickled: those of files are a few names and numbers, and the files are opened again
    where they are read.

    Parameters
    ----------
    shape : (int, int)
        Number of rows and features.

    Attributes
    ----------
    first_row : int
        Position of the first row in the whole, where these rows are a part of others.
    """

    trusted = False
    in_memory = False
    first_row = 0

    def __init__(self, shape: tuple[int, int]):
        if shape[1] < 1:
            raise ValueError(f"Rows must have at least one column; got shape {tuple(shape)}.")
        self.shape = shape
        self.rows_per_block = block_rows(shape[1])

    @property
    def block_bytes(self) -> int:
        """Memory of a block of float32 as it is read and in the working frame."""
        n, d = self.shape
        return 8 * d * min(n, self.rows_per_block)

    @property
    def n_blocks(self) -> int:
        """Number of canonical blocks."""
        return -(-self.shape[0] // self.rows_per_block)

    def span(self, block: int) -> slice:
        """Rows of a block."""
        low = block * self.rows_per_block
        return slice(low, min(low + self.rows_per_block, self.shape[0]))

    def block(self, block: int) -> RawRows:
        """Raw rows of a block, finite."""
        span = self.span(block)
        rows = self._read(span)
        if not self.trusted:
            self._require_finite(rows, np.arange(span.start, span.stop))
        return rows

    def take(self, which: np.ndarray) -> RawRows:
        """Raw rows at ascending positions, finite."""
        rows = self._gather(which)
        if not self.trusted:
            self._require_finite(rows, which)
        return rows

    def part(self, blocks: range) -> Source:
        """Rows of consecutive blocks: block i of the part is block ``blocks[i]`` of this.

        The part has what is needed to read its own rows and no more, so that it can be sent
        to where they are worked on.
        """
        from lsec.sources.part import PartSource

        if blocks.step != 1 or not 0 <= blocks.start <= blocks.stop <= self.n_blocks:
            raise ValueError(
                f"blocks must be a range of consecutive blocks of {self.n_blocks}; got {blocks}."
            )
        stop = min(blocks.stop * self.rows_per_block, self.shape[0])
        span = slice(min(blocks.start * self.rows_per_block, stop), stop)
        return PartSource(self, span)

    @abstractmethod
    def fingerprint(self) -> dict[str, Any]:
        """What tells that rows are the same as those of an earlier run, as JSON values.

        Nothing is read but names and times of files, or a few rows of an array in memory.
        """

    def place(self, row: int, column: int) -> str:
        """Where a value lies, for messages."""
        return f"row {self.first_row + row}, column {column}"

    def _holding(self, span: slice) -> tuple[Source, int]:
        """A source that holds the rows of a span, with little else, and where they begin in it."""
        return self, span.start

    @abstractmethod
    def _read(self, span: slice) -> RawRows:
        """Raw rows of a span."""

    def _gather(self, which: np.ndarray) -> RawRows:
        """Raw rows at ascending positions; here by reading all spans that hold some."""
        parts = [
            self._read(span)[which[low:high] - span.start]
            for span, low, high in self._windows(which)
        ]
        return np.concatenate(parts) if parts else np.empty((0, self.shape[1]))

    def _windows(self, which: np.ndarray) -> Iterator[tuple[slice, int, int]]:
        """Blocks that hold some of the ascending positions, with the part of the list in each."""
        for block in range(self.n_blocks):
            span = self.span(block)
            low, high = np.searchsorted(which, [span.start, span.stop])
            if high > low:
                yield span, int(low), int(high)

    def _require_finite(self, rows: RawRows, positions: np.ndarray) -> None:
        """Raise a ValueError that names the first value that is NaN or infinite."""
        values = rows.data if sparse.issparse(rows) else rows
        if values.dtype.kind != "f" or np.isfinite(values.sum(dtype=np.float64)):
            return
        bad = ~np.isfinite(values)  # a sum may overflow although every value is finite
        if not bad.any():
            return
        if sparse.issparse(rows):
            entry = int(np.flatnonzero(bad)[0])
            row = int(np.searchsorted(rows.indptr, entry, side="right")) - 1
            column = int(rows.indices[entry])
        else:
            row, column = (int(i) for i in np.argwhere(bad)[0])
        raise ValueError(
            f"Input X contains NaN or infinity: {self.place(int(positions[row]), column)} is "
            f"{rows[row, column]}. Remove or impute such rows before fitting."
        )
