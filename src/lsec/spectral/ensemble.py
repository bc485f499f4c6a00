"""An ensemble of spectral base clusterings: its plan, its landmark sets, labels and refinement.

Members that share landmarks form a *landmark set*: one search of K_q neighbors per row serves
all of them, since the K_j nearest are its first K_j columns (Algorithm 1, step 3). Refinement by
k-means on all rows is an ablation of LSEC, and the discretization of DnC-SC, U-SPEC and U-SENC.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lsec.rows.frame import Frame, Projection
from lsec.rows.rows import KnownNeighbors, Landmarks, Neighbors, Rows, SearchedRows, Spread
from lsec.spectral.base_clustering import Member, MemberPlan
from lsec.spectral.gram import GramTask, Kernel
from lsec.typing import AnyArray, Float32, Float64, Int64, RawRows

CENTER_TOLERANCE = 1e-4  # centers of unit vectors that move less have settled

TakeRows = Callable[[Int64], RawRows]  # at ascending positions
SelectLandmarks = Callable[[Rows, int, np.random.Generator, Spread], Landmarks]  # of a sample


@dataclass(frozen=True)
class EnsemblePlan:
    """Decisions about an ensemble that precede all data but its size."""

    sets: list[list[MemberPlan]]  # the members of every landmark set, `n_neighbors` ascending
    n_landmarks: int
    select: SelectLandmarks
    kernel: Kernel
    projection: Projection | None
    n_passes: int = 0  # of k-means over all rows, which follow the k-means on the sample
    unit_rows: bool = False  # whether rows are divided by their length

    @property
    def n_bytes(self) -> int:
        """Memory of the fitted members."""
        n_members = sum(len(members) for members in self.sets)
        return n_members * MemberPlan.n_bytes(self.n_landmarks, self.n_passes > 0)


@dataclass(frozen=True)
class SetPlan:
    """A landmark set with landmarks and bandwidths, whose members are not learned yet."""

    members: list[MemberPlan]
    task: GramTask
    sample: Neighbors  # of the rows of the sample, which members learn their centers from


def plan_set(
    landmarks: Landmarks,
    members: list[MemberPlan],
    sample: SearchedRows,
    kernel: Kernel,
    spread: Spread = map,
    positions: Int64 | None = None,
) -> SetPlan:
    """Clip plans to the number of landmarks, and take bandwidths from a sample (equation 3).

    With the positions of its rows (n',), ascending, neighbors of the sample that were found by a
    scan are known from then on.
    """
    p = len(landmarks)
    members = [
        replace(m, n_neighbors=min(m.n_neighbors, p), n_clusters=min(m.n_clusters, p))
        for m in members
    ]
    near = sample.neighbors(landmarks, members[-1].n_neighbors, spread)
    affinities = [kernel.affinity(near.squared[:, : m.n_neighbors]) for m in members]
    known = None
    if positions is not None and landmarks.routes is None:
        known = KnownNeighbors.of(near, positions)
    return SetPlan(members, GramTask(landmarks, affinities, known), near)


@dataclass(frozen=True)
class LandmarkSet:
    """Landmarks with the members that use them."""

    landmarks: Landmarks
    members: list[Member]

    @property
    def n_neighbors(self) -> int:
        """Neighbors to search: the largest number that a member uses."""
        return max(member.affinity.n_neighbors for member in self.members)


@dataclass(frozen=True)
class Ensemble:
    """A fitted ensemble: gives any rows their base labels.

    With `finest`, the landmark of a row joins as one more base clustering.
    """

    frame: Frame
    sets: list[LandmarkSet]
    finest: bool = False

    @property
    def members(self) -> list[Member]:
        """All members, set by set."""
        return [member for group in self.sets for member in group.members]

    @property
    def n_clusters(self) -> list[int]:
        """Number of base clusters of each member."""
        return [member.n_clusters for member in self.members]

    @property
    def n_labels(self) -> Int64:
        """Number of labels in each column (m,)."""
        return np.array(self.n_clusters + [len(self.sets[0].landmarks)] * self.finest)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Smallest unsigned type that holds the labels."""
        return np.dtype(np.uint8 if self.n_labels.max() <= 256 else np.uint16)

    @property
    def searches(self) -> list[tuple[Landmarks, int]]:
        """Landmarks and number of neighbors of each landmark set."""
        return [(group.landmarks, group.n_neighbors) for group in self.sets]

    def finer(self, n_rows: int, take: TakeRows) -> Ensemble:
        """The ensemble with one more base clustering, which tells most rows apart."""
        return replace(self, finest=True)

    def label(self, neighbors: Iterable[Neighbors], n_rows: int) -> AnyArray:
        """Base labels of a block of rows, unsigned (n, m), from its neighbors in every set."""
        labels: AnyArray = np.empty((n_rows, len(self.n_labels)), self.dtype)
        columns = iter(labels.T)
        for group, near in zip(self.sets, neighbors, strict=True):
            for member in group.members:
                member.label(near, next(columns))
            if self.finest and group is self.sets[0]:
                labels[near.order, -1] = near.landmarks[:, 0]
        return labels


# Refinement: Lloyd steps over all rows, from the centers that k-means on a sample found


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

    `sums` has "sums-j" (k, c) and "counts-j" (k,) of the j-th member over all rows. Centers
    without rows stay.
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
