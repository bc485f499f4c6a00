"""Operations that every kind of rows supports, and the search for nearest landmarks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

import numpy as np

from lsec.typing import Float32, Float64, Int32, Int64, UInt8, UInt16

if TYPE_CHECKING:
    from lsec.kernels.cuda.device import Device

MOST_PLACES = 2**8  # among the candidates of a landmark: packed neighbors are 8-bit numbers

Spread: TypeAlias = Callable[..., Iterable[Any]]
"""The built-in `map`, or that of a pool of threads."""


@dataclass(frozen=True)
class Routes:
    """The tree that routes a row with few features to a landmark, and the landmarks near that.

    Node 0 is the root; the children of a node are consecutive.
    """

    centers: Float32  # (nodes, d)
    first_child: Int32  # (nodes,)
    n_children: Int32  # (nodes,)
    landmark_of: Int32  # (nodes,), landmark of a leaf, -1 for an inner node
    candidates: UInt16  # (p, c), landmarks nearest to each landmark, itself first, by distance
    gaps: Float32  # (p, c), their distances


@dataclass(frozen=True, eq=False)
class Landmarks:
    """Landmarks of a set, and routes to them; hashed by identity, as keys of the neighbor cache."""

    points: Float32  # (p, d)
    routes: Routes | None  # None for rows with many features, whose landmarks a scan finds

    def __len__(self) -> int:
        return len(self.points)

    @property
    def packs_neighbors(self) -> bool:
        """Whether neighbors can be packed: routed rows have few candidates."""
        return self.routes is not None and self.routes.candidates.shape[1] <= MOST_PLACES

    @cached_property
    def panel(self) -> Float32:
        """The landmarks by feature, float32 (d, p)."""
        return np.ascontiguousarray(self.points.T)


class Neighbors(NamedTuple):
    """The K nearest landmarks of the rows of one block, rows grouped by nearest landmark."""

    order: Int32  # (n,), row of the block at each grouped position
    landmarks: UInt16  # (n, K), nearest first
    squared: Float32  # (n, K), squared distances, ascending


class PackedNeighbors(NamedTuple):
    """Neighbors of the rows of one block by their places among candidates, without distances.

    They take a fifth of the memory, and rows with very few features give the distances again.
    """

    order: UInt16  # (n,), row of the block at each grouped position
    starts: Int32  # (p + 1,), first grouped position of the rows that were routed to each landmark
    places: UInt8  # (n, K), of the nearest landmarks, among the candidates of that landmark

    @staticmethod
    def n_bytes(n_rows: int, n_blocks: int, k: int, p: int) -> int:
        """Memory of the k neighbors of all rows among p landmarks."""
        return n_rows * (2 + k) + n_blocks * 4 * (p + 1)


@dataclass(frozen=True)
class KnownNeighbors:
    """The K nearest landmarks of some rows, which were found before."""

    rows: Int64  # (n',), their positions, ascending
    landmarks: UInt16  # (n', K), nearest first
    squared: Float32  # (n', K), squared distances, ascending

    @classmethod
    def of(cls, near: Neighbors, rows: Int64) -> KnownNeighbors:
        """Neighbors of the rows at some positions (n',)."""
        landmarks, squared = np.empty_like(near.landmarks), np.empty_like(near.squared)
        landmarks[near.order], squared[near.order] = near.landmarks, near.squared
        return cls(rows, landmarks, squared)

    def within(self, span: slice) -> KnownNeighbors:
        """Those of the rows of a span, with positions in it."""
        low, high = np.searchsorted(self.rows, [span.start, span.stop])
        rows = self.rows[low:high] - span.start
        return KnownNeighbors(rows, self.landmarks[low:high], self.squared[low:high])


class KMeansRows(Protocol):
    """Rows that k-means can cluster."""

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and features."""

    def points(self, which: Int64 | slice) -> Float32:
        """The given rows as a dense array (len(which), d)."""

    def nearest(self, centers: Float32) -> tuple[Int32, Float32]:
        """Nearest center of every row (n,), and its squared distance (n,)."""

    def means(self, labels: Int32, weights: Float64, n_labels: int) -> tuple[Float32, Float64]:
        """Weighted mean of the rows of every label (k, d), and its weight (k,)."""


class Rows(KMeansRows, Protocol):
    """Rows in the working frame."""

    def take(self, which: Int64) -> Rows:
        """Rows at the given positions."""

    def neighbors(self, landmarks: Landmarks, k: int, spread: Spread = map) -> Neighbors:
        """The k nearest landmarks of every row; `spread` may be the `map` of a pool of threads."""

    def on_device(self, device: Device) -> SearchedRows:
        """The rows with searches on a device, where these are faster."""


class SearchedRows(Protocol):
    """Rows whose nearest landmarks can be searched."""

    def neighbors(self, landmarks: Landmarks, k: int, spread: Spread = map) -> Neighbors:
        """The k nearest landmarks of every row."""
