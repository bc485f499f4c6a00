"""Gram matrices of a landmark set without their zeros."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class GramSums:
    """Sums of the members that share landmarks: few pairs of landmarks have common rows.

    Whole numbers, so that sums over any parts of the rows add up to the same bits.

    Attributes
    ----------
    n_cells : int
        Cells of one triangle, p (p + 1) / 2.
    where : int64 (e,)
        Cells that are not zero, ascending.
    values : int64 (e, q)
        Their fixed-point sums, a column per member.
    """

    n_cells: int
    where: np.ndarray
    values: np.ndarray

    @property
    def n_landmarks(self) -> int:
        """Side of the matrices, p."""
        return math.isqrt(2 * self.n_cells)

    def of_member(self, j: int) -> tuple[np.ndarray, np.ndarray]:
        """Cells int64 (e,) and sums int64 (e,) of one member; a few of them may be zero."""
        return self.where, np.ascontiguousarray(self.values[:, j])

    def __add__(self, other: GramSums) -> GramSums:
        where = np.union1d(self.where, other.where)
        values = np.zeros((len(where), self.values.shape[1]), np.int64)
        for part in (self, other):
            values[np.searchsorted(where, part.where)] += part.values
        return GramSums(self.n_cells, where, values)
