"""Rows in memory or memory-mapped, dense or CSR, as canonical blocks.

Block borders depend only on the number of features, never on memory, threads or
storage: everything computed per block is the same wherever the block lives.
"""

from __future__ import annotations

from typing import Any, Protocol

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


class Source(Protocol):
    """Rows that can be read by block and by position."""

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and features."""

    @property
    def n_blocks(self) -> int:
        """Number of canonical blocks."""

    def span(self, block: int) -> slice:
        """Rows of a block."""

    def block(self, block: int) -> RawRows:
        """Raw rows of a block, finite."""

    def take(self, which: np.ndarray) -> RawRows:
        """Raw rows at ascending positions, finite."""


class ArraySource:
    """Rows of a NumPy array, a memory map or a CSR matrix.

    A memory map is read block by block; it is never copied whole, and its blocks are
    looked through for NaN and infinity as they are read. Other rows are looked through
    once, here.
    """

    def __init__(self, rows: RawRows, *, mapped: bool = False):
        self.rows = rows
        self.rows_per_block = block_rows(rows.shape[1])
        self._unchecked = True
        if not mapped:
            for block in range(self.n_blocks):
                self.block(block)
            self._unchecked = False

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and features."""
        return self.rows.shape

    @property
    def n_blocks(self) -> int:
        """Number of canonical blocks."""
        return -(-self.rows.shape[0] // self.rows_per_block)

    def span(self, block: int) -> slice:
        """Rows of a block."""
        low = block * self.rows_per_block
        return slice(low, min(low + self.rows_per_block, self.rows.shape[0]))

    def block(self, block: int) -> RawRows:
        """Raw rows of a block, finite."""
        span = self.span(block)
        rows = self.rows[span]
        if self._unchecked:
            require_finite(rows, np.arange(span.start, span.stop))
        return rows

    def take(self, which: np.ndarray) -> RawRows:
        """Raw rows at ascending positions, finite."""
        rows = self.rows if len(which) == self.rows.shape[0] else self.rows[which]
        if self._unchecked:
            require_finite(rows, which)
        return rows


def open_source(rows: RawRows, *, mapped: bool = False) -> Source:
    """Source for validated rows: a 2-D real array, a memory map or a sparse matrix."""
    return ArraySource(sparse.csr_matrix(rows) if sparse.issparse(rows) else rows, mapped=mapped)


def require_finite(rows: RawRows, positions: np.ndarray) -> None:
    """Raise a ValueError that names the first row with NaN or infinity."""
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
        f"Input X contains NaN or infinity: row {positions[row]}, column {column} is "
        f"{rows[row, column]}. Remove or impute such rows before fitting."
    )
