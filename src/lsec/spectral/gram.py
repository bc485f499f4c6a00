"""Gram matrices W = B' D^-1 B (equation 4) of the members of a landmark set.

Sums are fixed-point integers: sums over any parts of the rows, in any order, add up to the
same bits. Few pairs of landmarks have common rows, so that memory is for these pairs only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from lsec.kernels.gram import add_to_gram
from lsec.rows.rows import LandmarkTree, Neighbors
from lsec.spectral.affinity import Affinity
from lsec.typing import Int32, Int64

FIRST_ROOM = 2**14


@dataclass(frozen=True)
class GramTask:
    """The Gram matrices to sum for a landmark set.

    Attributes
    ----------
    tree : LandmarkTree
    affinities : list of Affinity
        One per member, `n_neighbors` ascending.
    """

    tree: LandmarkTree
    affinities: list[Affinity]

    @property
    def n_neighbors(self) -> int:
        """Neighbors to search for each row."""
        return self.affinities[-1].n_neighbors

    @property
    def first_member(self) -> Int32:
        """First member that uses the s-th nearest landmark, int32 (K,)."""
        sizes = [affinity.n_neighbors for affinity in self.affinities]
        return np.searchsorted(sizes, np.arange(sizes[-1]), side="right").astype(np.int32)

    @property
    def n_cells(self) -> int:
        """Cells of one triangle of a matrix, p (p + 1) / 2."""
        p = len(self.tree.landmarks)
        return p * (p + 1) // 2

    @property
    def n_bytes(self) -> int:
        """Memory of the matrices if every two landmarks have common rows."""
        return (4 + 8 * len(self.affinities)) * self.n_cells

    def zero(self) -> GramTable:
        """Matrices of no rows."""
        return GramTable(self)


class GramTable:
    """Gram matrices of one landmark set, with room for the pairs of landmarks met so far.

    Touching the memory of all pairs would cost more than adding a million rows.
    """

    def __init__(self, task: GramTask):
        self._first_member = task.first_member
        self._rates = np.array([affinity.rate for affinity in task.affinities], np.float32)
        self._power = task.affinities[0].power
        self._places = np.zeros(task.n_cells, np.uint32)
        self._n_filled = 0
        self._values = np.zeros((min(FIRST_ROOM, task.n_cells), len(self._rates)), np.int64)

    def add(self, neighbors: Neighbors) -> None:
        """Add the rows of a block."""
        done = 0
        while True:
            done, self._n_filled = add_to_gram(
                neighbors.landmarks,
                neighbors.squared,
                self._first_member,
                self._rates,
                self._power,
                done,
                self._places,
                self._n_filled,
                self._values,
            )
            if done == len(neighbors.landmarks):
                return
            self._grow()

    def _grow(self) -> None:
        """Make room for twice as many pairs, or for all."""
        room, q = self._values.shape
        more = min(room, len(self._places) - room)
        self._values = np.concatenate([self._values, np.zeros((more, q), np.int64)])

    def take(self) -> GramSums:
        """Return the sums and start again from zero."""
        cells = np.flatnonzero(self._places)
        values = self._values[self._places[cells] - 1]
        self._places[cells] = 0
        self._values[: self._n_filled] = 0
        self._n_filled = 0
        filled = values.any(axis=1)
        if not filled.all():  # terms of rows far apart may round to zero
            cells, values = cells[filled], values[filled]
        return GramSums(len(self._places), cells, values)


@dataclass(frozen=True)
class GramSums:
    """Gram matrices of a landmark set without their zeros.

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
    where: Int64
    values: Int64

    @property
    def n_landmarks(self) -> int:
        """Side of the matrices, p."""
        return math.isqrt(2 * self.n_cells)

    def of_member(self, j: int) -> tuple[Int64, Int64]:
        """Cells (e,) and sums (e,) of one member; a few of the sums may be zero."""
        return self.where, np.ascontiguousarray(self.values[:, j])

    def __add__(self, other: GramSums) -> GramSums:
        where = np.union1d(self.where, other.where)
        values = np.zeros((len(where), self.values.shape[1]), np.int64)
        for part in (self, other):
            values[np.searchsorted(where, part.where)] += part.values
        return GramSums(self.n_cells, where, values)
