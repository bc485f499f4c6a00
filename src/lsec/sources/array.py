"""Rows of an array in memory, a memory map, or a sparse matrix."""

from __future__ import annotations

import numpy as np

from lsec.sources.source import RawRows, Source


class ArraySource(Source):
    """Rows of a NumPy array, a memory map or a CSR matrix.

    A memory map is read block by block; it is never copied whole, and its blocks are
    looked through for NaN and infinity as they are read. Other rows are looked through
    once, here.
    """

    def __init__(self, rows: RawRows, *, mapped: bool = False):
        super().__init__(rows.shape)
        self._rows = rows
        if not mapped:
            for block in range(self.n_blocks):
                self.block(block)
            self.trusted = True

    def _read(self, span: slice) -> RawRows:
        return self._rows[span]

    def _gather(self, which: np.ndarray) -> RawRows:
        return self._rows if len(which) == self.shape[0] else self._rows[which]
