"""Categorical columns of a table: which they are, and the numbers of their values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lsec.typing import AnyArray, Float64, Int64


@dataclass(frozen=True, eq=False)
class Categories:
    """Categorical columns, and what the numeric ones are divided by."""

    positions: Int64  # (c,), of the categorical columns among all columns, ascending
    levels: list[list[str]]  # names of the values of every categorical column, ascending
    scales: Float64 | None = None  # (d,), of the numeric columns; None leaves them as they are

    @property
    def n_levels(self) -> Int64:
        """Number of values of every column, int64 (c,); the code of a missing value."""
        return np.array([len(names) for names in self.levels], np.int64)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Smallest unsigned type that holds the codes."""
        return np.min_scalar_type(int(self.n_levels.max()))

    def codes(self, columns: list[tuple[AnyArray, list[str | None]]]) -> AnyArray:
        """Codes (n, c) of columns, each given as numbers (n,) of values, and their names.

        Values that have no name, or did not occur in the fit, are missing.
        """
        out: AnyArray = np.empty((len(columns[0][0]), len(columns)), self.dtype)
        for j, (numbers, names) in enumerate(columns):
            place = {name: code for code, name in enumerate(self.levels[j])}
            missing = len(place)
            table = [missing if name is None else place.get(name, missing) for name in names]
            out[:, j] = np.array([*table, missing])[numbers]  # -1 is the last
        return out
