"""Affinities of rows to their nearest landmarks (3), and Gram matrices W = B' D^-1 B of them (4).

Sums are fixed-point integers: sums over any parts of the rows, in any order, add up to the
same bits. Few pairs of landmarks have common rows, so that memory is for these pairs only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from lsec.kernels.gram import add_to_gram, move_to_slots
from lsec.rows.rows import KnownNeighbors, Landmarks, Neighbors
from lsec.typing import AnyArray, Bool, Float32, Float64, Int32, Int64, UInt32

if TYPE_CHECKING:
    from lsec.kernels.cuda.device import Device
    from lsec.spectral.on_device import DeviceGram

FIRST_ROOM = 2**14
MOST_DIRECT = 2**23  # cells that have slots of their own: 32 MiB
SLOTS_PER_ROOM = 2  # of a hash table
PIECE = 2**16
TYPICAL_PAIRS = 128  # of landmarks with common rows per landmark, in memory plans
CELLS_PER_TERM = 10  # slots that are cleared and added up in the time of a term


class WeightedNeighbors(NamedTuple):
    """Neighbors of a block, and the number of rows that each row counts as."""

    neighbors: Neighbors
    weights: Int64  # (n,), in the order of the block


class Affinity(NamedTuple):
    """Weights exp(-(rate d^2)^power) of a row for its nearest landmarks at distances d."""

    n_neighbors: int  # landmarks with a weight, K
    rate: np.float32
    power: int  # 1 (Gaussian) or 2 (quartic)


@dataclass(frozen=True)
class Kernel:
    """A family of affinities whose rate follows from distances.

    "gaussian" is the kernel of the paper, exp(-d^2 / (2 sigma^2)). "quartic" squares the
    distance once more, as the authors' program does: exp(-d^4 / (2 mean(d^2)^2)).
    """

    name: str
    power: int

    def rate(self, squared: Float32) -> np.float32:
        """Rate for squared distances (n, K) of rows to their nearest landmarks.

        Gaussian: 1 / (2 sigma^2) with sigma the mean distance. Quartic: 1 / (sqrt(2) mean d^2),
        since the kernel squares rate * d^2.
        """
        values = squared.astype(np.float64)
        quartic = self.power == 2
        scale = np.sqrt(2) * values.mean() if quartic else 2 * np.sqrt(values).mean() ** 2
        return np.float32(1 / scale) if scale > 0 else np.float32(0)

    def affinity(self, squared: Float32) -> Affinity:
        """Affinity whose rate follows from squared distances (n, K)."""
        return Affinity(squared.shape[1], self.rate(squared), self.power)


KERNELS = {kernel.name: kernel for kernel in (Kernel("gaussian", 1), Kernel("quartic", 2))}


@dataclass(frozen=True)
class GramTask:
    """The Gram matrices to sum for a landmark set."""

    landmarks: Landmarks
    affinities: list[Affinity]  # one per member, `n_neighbors` ascending
    known: KnownNeighbors | None = None  # of rows that are not searched again

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
        p = len(self.landmarks)
        return p * (p + 1) // 2

    @property
    def is_direct(self) -> bool:
        """Whether all cells have slots, of which there are few; else those that are met have."""
        return self.n_cells <= MOST_DIRECT

    @property
    def _n_filled(self) -> int:
        """Cells that are not zero, in memory plans."""
        return min(self.n_cells, TYPICAL_PAIRS * len(self.landmarks))

    @property
    def n_bytes(self) -> int:
        """Memory of the matrices: slots of cells, and sums of those that are not zero."""
        slots = self.n_cells if self.is_direct else 2 * SLOTS_PER_ROOM * self._n_filled
        return 4 * slots + 8 * len(self.affinities) * self._n_filled

    def useful_totals(self, n_rows: int) -> int:
        """Number of totals with which the threads are done first.

        Each further one shares the work on the terms, but must be cleared and added up.
        """
        terms = n_rows * self.n_neighbors * (self.n_neighbors + 1) // 2
        slots = self.n_cells if self.is_direct else self._n_filled
        return max(1, math.isqrt(CELLS_PER_TERM * terms // slots))

    @property
    def n_bytes_on_device(self) -> int:
        """Memory of the matrices on a device: sums of all cells, and whether they are zero."""
        return 9 * len(self.affinities) * self.n_cells

    def zero(self) -> GramTable:
        """Matrices of no rows."""
        return GramTable(self)

    def zero_on(self, device: Device) -> DeviceGram:
        """Matrices of no rows on a device."""
        from lsec.spectral.on_device import DeviceGram

        return DeviceGram(self, device)


class GramTable:
    """Gram matrices of one landmark set, with room for the pairs of landmarks met so far.

    Touching the memory of all pairs would cost more than adding a million rows.
    """

    def __init__(self, task: GramTask):
        rates = np.array([affinity.rate for affinity in task.affinities], np.float32)
        self._affinities = task.first_member, rates, task.affinities[0].power
        self._n_cells, self._n_filled = task.n_cells, 0
        self._values = np.zeros((min(FIRST_ROOM, task.n_cells), len(rates)), np.int64)
        self._keys: UInt32 | None = None  # cell + 1 in every slot of a hash table, or zero
        if task.is_direct:
            self._places = np.zeros(task.n_cells, np.uint32)
        else:
            self._make_slots()

    def _make_slots(self) -> None:
        """An empty hash table for as many cells as there is room for."""
        n_slots = 1 << (SLOTS_PER_ROOM * len(self._values) - 1).bit_length()
        self._places, self._keys = np.zeros((2, n_slots), np.uint32)

    def add(self, neighbors: Neighbors | WeightedNeighbors) -> None:
        """Add the rows of a block."""
        weights: tuple[Int64, ...] = ()
        if isinstance(neighbors, WeightedNeighbors):
            neighbors, of_row = neighbors
            weights = (of_row[neighbors.order],)
        rows, done = neighbors[1:], 0
        while True:
            table = (self._places, self._keys), self._n_filled, self._values
            done, self._n_filled = add_to_gram(*rows, *self._affinities, done, *table, *weights)
            if done == len(neighbors.landmarks):
                return
            self._grow()

    def _grow(self) -> None:
        """Make room for twice as many pairs, or for all."""
        room, q = self._values.shape
        more = room if self._keys is not None else min(room, self._n_cells - room)
        self._values = np.concatenate([self._values, np.zeros((more, q), np.int64)])
        if self._keys is not None:
            filled = np.flatnonzero(self._keys)
            known = self._keys[filled] - np.uint32(1), self._places[filled]
            self._make_slots()
            move_to_slots(*known, self._keys, self._places)

    def take(self) -> GramSums:
        """Return the sums and start again from zero."""
        slots = _nonzero(self._places)
        cells = slots
        if self._keys is not None:
            cells = self._keys[slots].astype(np.int64) - 1
            order = np.argsort(cells)
            cells, slots = cells[order], slots[order]
            self._keys[slots] = 0
        values = self._values[self._places[slots] - 1]
        self._places[slots] = 0
        self._values[: self._n_filled] = 0
        self._n_filled = 0
        filled = values.any(axis=1)
        if not filled.all():  # terms of rows far apart may round to zero
            cells, values = cells[filled], values[filled]
        return GramSums(self._n_cells, cells, values)


def _nonzero(values: UInt32) -> Int64:
    """Positions of values (n,) that are not zero.

    Piece by piece, compared first: a search of bytes in cache takes a third of the time.
    """
    pieces = [
        low + np.flatnonzero(values[low : low + PIECE] != 0) for low in range(0, len(values), PIECE)
    ]
    return np.concatenate(pieces)


@dataclass(frozen=True)
class GramSums:
    """Gram matrices of a landmark set without their zeros."""

    n_cells: int  # of one triangle, p (p + 1) / 2
    where: Int64  # (e,), cells that are not zero, ascending
    values: Int64  # (e, q), their fixed-point sums, a column per member

    def of_member(self, j: int) -> SparseGram:
        """The matrix of one member; a few of its cells may be zero."""
        p = math.isqrt(2 * self.n_cells)
        return SparseGram(p, self.where, np.ascontiguousarray(self.values[:, j]))

    def __add__(self, other: GramSums) -> GramSums:
        where = np.union1d(self.where, other.where)
        values = np.zeros((len(where), self.values.shape[1]), np.int64)
        for part in (self, other):
            values[np.searchsorted(where, part.where)] += part.values
        return GramSums(self.n_cells, where, values)


@dataclass(frozen=True)
class SparseGram:
    """A symmetric matrix (p, p) by the cells of one triangle."""

    n_landmarks: int  # side of the matrix, p
    cells: Int64  # (e,), of columns a <= b: b (b + 1) / 2 + a
    sums: AnyArray  # float64 or int64 (e,), their values in any unit; all other cells are zero

    @cached_property
    def columns(self) -> tuple[Int64, Int64]:
        """The two columns a <= b of every cell, int64 (e,) each."""
        high = ((np.sqrt(8.0 * self.cells + 1) - 1) / 2).astype(np.int64)  # exact for squares
        return self.cells - high * (high + 1) // 2, high

    @cached_property
    def degree(self) -> Float64:
        """Sum of every column, float64 (p,)."""
        (low, high), values = self.columns, self.sums.astype(np.float64)
        beyond = np.where(low == high, 0.0, values)
        degree: AnyArray = np.bincount(low, values, self.n_landmarks)
        degree += np.bincount(high, beyond, self.n_landmarks)
        return degree

    def components(self) -> tuple[Int32, Float64]:
        """Connected component of every landmark, int32 (p,), and share of each in the weight."""
        filled = self.sums != 0  # a stored zero would be an edge
        low, high = (side[filled] for side in self.columns)
        shape = self.n_landmarks, self.n_landmarks
        graph = sparse.coo_array((np.ones(len(low), bool), (low, high)), shape)
        n_components, component = connected_components(graph, directed=False)
        weights = np.bincount(component, self.degree, n_components)
        return component, weights / max(weights.sum(), 1e-300)

    def without(self, dropped: Bool) -> SparseGram:
        """The matrix with zeros in some columns, bool (p,)."""
        low, high = self.columns
        kept = ~(dropped[low] | dropped[high])
        return SparseGram(self.n_landmarks, self.cells[kept], self.sums[kept])
