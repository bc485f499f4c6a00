"""Rows of an array in memory, a memory map, or a sparse matrix."""

from __future__ import annotations

from copy import copy
from hashlib import blake2b
from typing import Any

import numpy as np
from scipy import sparse

from lsec.sources.source import RawRows, Source

HASHED_ROWS = 4096


class ArraySource(Source):
    """Rows of a NumPy array, a memory map or a CSR matrix.

    A memory map is read block by block; it is never copied whole, and its blocks are
    looked through for NaN and infinity as they are read. Other rows are looked through
    once, here.

    Parameters
    ----------
    rows : ndarray or csr_matrix of shape (n, d)
    mapped : bool
        Whether the rows are a memory map.
    first_row : int
        Position of the first row in the whole, where these rows are a part of others.
    """

    def __init__(self, rows: RawRows, *, mapped: bool = False, first_row: int = 0):
        super().__init__(rows.shape)
        self.first_row = first_row
        self._rows = rows
        if not mapped:
            for block in range(self.n_blocks):
                self.block(block)
            self.trusted = self.in_memory = True

    def fingerprint(self) -> dict[str, Any]:
        """What tells that rows are the same: a hash over rows from all over the array."""
        n_rows = self.shape[0]
        some = np.linspace(0, n_rows - 1, min(n_rows, HASHED_ROWS)).astype(np.int64)
        return {
            "kind": "array",
            "shape": list(self.shape),
            "dtype": self._rows.dtype.str,
            "hash": _hash(self._rows[some]),
        }

    def _holding(self, span: slice) -> tuple[Source, int]:
        held = copy(self)
        held._rows = self._rows[span]
        held.shape = held._rows.shape
        held.first_row = self.first_row + span.start
        return held, 0

    def _read(self, span: slice) -> RawRows:
        return self._rows[span]

    def _gather(self, which: np.ndarray) -> RawRows:
        return self._rows if len(which) == self.shape[0] else self._rows[which]


def _hash(rows: RawRows) -> str:
    arrays = (rows.indptr, rows.indices, rows.data) if sparse.issparse(rows) else (rows,)
    digest = blake2b(digest_size=16)
    for array in arrays:
        digest.update(np.ascontiguousarray(array).data.cast("B"))
    return digest.hexdigest()
