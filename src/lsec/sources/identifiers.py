"""Columns that look as if they named rows, such as row numbers: they are no features."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence

import numpy as np

from lsec.sources.columns import listed
from lsec.typing import Bool, Float64

LEAST_ROWS = 50  # fewer rows may ascend by chance
NAME = re.compile(r"(?i:id|index|unnamed.*|row ?number|uuid|.*[ _.-]id)|.*[a-z]I[dD]")


class AscendingColumns:
    """Finds columns of whole numbers that ascend from row to row, block by block."""

    def __init__(self) -> None:
        self.n_rows = 0
        self._last: Float64 | None = None
        self._ascending: Bool | None = None

    def add(self, block: Float64) -> None:
        """Look at the next rows (n, d)."""
        if self._ascending is None or self._last is None:
            self._ascending, self._last = np.ones(block.shape[1], bool), block[0] - 1
        for j in np.flatnonzero(self._ascending):
            column = block[:, j]
            before = np.concatenate([self._last[j : j + 1], column[:-1]])
            self._ascending[j] = (column > before).all() and (column == np.floor(column)).all()
        self._last = block[-1]
        self.n_rows += len(block)

    def places(self) -> list[int]:
        """Positions of the columns."""
        if self._ascending is None or self.n_rows < LEAST_ROWS:
            return []
        return [int(j) for j in np.flatnonzero(self._ascending)]


def warn_of_identifiers(path: object, columns: Sequence[str] | None, places: Sequence[int]) -> None:
    """Warn of columns at these places, and of those whose name is that of an identifier."""
    if columns is None:
        suspects = [str(j) for j in places]
        remedy = "Remove them if they are no features."
    else:
        suspects = [n for j, n in enumerate(columns) if j in places or NAME.fullmatch(n)]
        remedy = (
            f"If they are no features, leave them out: drop={suspects!r}, or on the command line "
            f"--drop {','.join(suspects)}, or --id to have them in the output."
        )
    if suspects:
        look = "looks like an identifier" if len(suspects) == 1 else "look like identifiers"
        warnings.warn(
            f"{path}: {listed(suspects)} {look} of rows, and would be used in the fit. {remedy}",
            stacklevel=2,
        )
