"""Gram matrices while rows are added to them."""

from __future__ import annotations

import numpy as np

from lsec.kernels.gram import add_to_gram
from lsec.rows.rows import Neighbors
from lsec.spectral.gram_sums import GramSums

FIRST_ROOM = 2**14


class GramTable:
    """Gram matrices of one landmark set, with room for the pairs of landmarks met so far.

    Few pairs have common rows. To touch the memory of all of them would cost more than to
    add a million rows.

    Parameters
    ----------
    n_cells : int
        Cells of one triangle, p (p + 1) / 2.
    first_member : int32 (K,)
        First member that uses the s-th nearest landmark.
    rates : float32 (q,)
        Affinity rate of each member.
    quartic : bool
    """

    def __init__(self, n_cells: int, first_member: np.ndarray, rates: np.ndarray, quartic: bool):
        self._first_member, self._rates, self._quartic = first_member, rates, quartic
        self._places = np.zeros(n_cells, np.uint32)
        self._n_filled = 0
        self._values = np.zeros((min(FIRST_ROOM, n_cells), len(rates)), np.int64)

    @staticmethod
    def most_bytes(n_cells: int, n_members: int) -> int:
        """Memory where every two landmarks have common rows."""
        return (4 + 8 * n_members) * n_cells

    def add(self, near: Neighbors) -> None:
        """Add the rows of a block."""
        done = 0
        while True:
            done, self._n_filled = add_to_gram(
                near.index,
                near.squared,
                self._first_member,
                self._rates,
                self._quartic,
                done,
                self._places,
                self._n_filled,
                self._values,
            )
            if done == len(near.index):
                return
            self._grow()

    def _grow(self) -> None:
        """Make room for twice as many pairs, or for all."""
        room, q = self._values.shape
        more = min(room, len(self._places) - room)
        self._values = np.concatenate([self._values, np.zeros((more, q), np.int64)])

    def take(self) -> GramSums:
        """The sums; the table is empty then."""
        cells = np.flatnonzero(self._places)
        values = self._values[self._places[cells] - 1]
        self._places[cells] = 0
        self._values[: self._n_filled] = 0
        self._n_filled = 0
        filled = values.any(axis=1)
        if not filled.all():  # terms of rows far apart may round to zero
            cells, values = cells[filled], values[filled]
        return GramSums(len(self._places), cells, values)
