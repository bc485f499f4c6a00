"""The search for nearest landmarks: the tree that is searched, and the neighbors it finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from lsec.typing import Float32, Int32, UInt16


@dataclass(frozen=True, eq=False)
class LandmarkTree:
    """Landmarks, the tree that routes a row to one of them, and their nearest landmarks.

    Hashed by identity: keys the neighbor cache.

    Attributes
    ----------
    centers : float32 (nodes, d)
        Center of every node; node 0 is the root, the children of a node are consecutive.
    first_child, n_children : int32 (nodes,)
    landmark_of : int32 (nodes,)
        Landmark of a leaf, -1 for an inner node.
    landmarks : float32 (p, d)
    candidates : uint16 (p, c)
        The landmarks nearest to each landmark, itself first, sorted by distance.
    gaps : float32 (p, c)
        Their distances.
    """

    centers: Float32
    first_child: Int32
    n_children: Int32
    landmark_of: Int32
    landmarks: Float32
    candidates: UInt16
    gaps: Float32


class Neighbors(NamedTuple):
    """The K nearest landmarks of the rows of one block, rows grouped by nearest landmark.

    Attributes
    ----------
    order : int32 (n,)
        Row of the block at each grouped position.
    landmarks : uint16 (n, K)
        Nearest first.
    squared : float32 (n, K)
        Squared distances, ascending.
    """

    order: Int32
    landmarks: UInt16
    squared: Float32
