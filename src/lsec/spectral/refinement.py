"""Refinement: Lloyd steps over all rows, from the centers that k-means on a sample found.

The ablation "k-means instead of light-k-means" of LSEC, and the discretization of DnC-SC,
U-SPEC and U-SENC.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from lsec.rows.rows import Neighbors
from lsec.spectral.ensemble import LandmarkSet
from lsec.typing import Float32, Float64

CENTER_TOLERANCE = 1e-4  # centers of unit vectors that move less have settled


def sums_of_block(sets: Iterable[LandmarkSet], neighbors: Iterable[Neighbors]) -> list[Float64]:
    """Sums (k, c) of the embeddings of a block by label, and row counts (k,), per member."""
    return [
        array
        for group, near in zip(sets, neighbors, strict=True)
        for member in group.members
        for array in member.sums(near)
    ]


def move_centers(group: LandmarkSet, sums: dict[str, Float64]) -> tuple[LandmarkSet, bool]:
    """One Lloyd step of the members of a set, and whether their centers have settled.

    Parameters
    ----------
    group : LandmarkSet
    sums : dict
        "sums-j" (k, c) and "counts-j" (k,) of the j-th member over all rows. Centers without
        rows stay.
    """
    moved = [
        _centers(member.centers, sums[f"sums-{j}"], sums[f"counts-{j}"])
        for j, member in enumerate(group.members)
    ]
    pairs = list(zip(group.members, moved, strict=True))
    settled = all(np.abs(new - m.centers).max() <= CENTER_TOLERANCE for m, new in pairs)
    return replace(group, members=[m.with_centers(new) for m, new in pairs]), settled


def settle(group: LandmarkSet) -> LandmarkSet:
    """The set without the tables that only refinement needs."""
    return replace(group, members=[member.settled() for member in group.members])


def _centers(before: Float32, sums: Float64, counts: Float64) -> Float32:
    centers = before.copy()
    filled = counts > 0
    centers[filled] = sums[filled] / counts[filled, None]
    return centers
