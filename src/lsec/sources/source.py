"""Rows in memory or memory-mapped, dense or CSR, as canonical blocks.

Block borders depend only on the number of features, never on memory, threads or
storage: everything computed per block is the same wherever the block lives.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from scipy import sparse

MOST_BLOCK_ROWS = 65536
MOST_BLOCK_VALUES = 2**25
LEAST_BLOCK_ROWS = 1024


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

    def block(self, block: int):
        """Raw rows of a block, dense (n, d) or CSR."""

    def take(self, which: np.ndarray):
        """Raw rows at ascending positions, dense (n, d) or CSR."""


class ArraySource:
    """Rows of a NumPy array, a memory map or a CSR matrix.

    A memory map is read block by block; it is never copied whole.
    """

    def __init__(self, rows):
        self.rows = rows
        self.rows_per_block = block_rows(rows.shape[1])

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

    def block(self, block: int):
        """Raw rows of a block, dense (n, d) or CSR."""
        return self.rows[self.span(block)]

    def take(self, which: np.ndarray):
        """Raw rows at ascending positions, dense (n, d) or CSR."""
        if len(which) == self.rows.shape[0]:
            return self.rows
        return self.rows[which]


def open_source(rows) -> Source:
    """Source for validated rows: a 2-D real array, a memory map or a sparse matrix."""
    if sparse.issparse(rows):
        return ArraySource(sparse.csr_matrix(rows))
    return ArraySource(rows)
