"""A fitted ensemble: landmark sets, their members, and the base labels these give rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from lsec.rows.frame import Frame
from lsec.rows.rows import LandmarkTree, Neighbors
from lsec.spectral.member import Member
from lsec.spectral.sweep import Sweeper


@dataclass(frozen=True)
class LandmarkSet:
    """Landmarks with the members that use them."""

    tree: LandmarkTree
    members: list[Member]

    @property
    def n_neighbors(self) -> int:
        """Neighbors to search: the most any member uses."""
        return max(member.n_neighbors for member in self.members)


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
    def n_labels(self) -> np.ndarray:
        """Number of labels in each column, int64 (m,)."""
        return np.array(self.n_clusters + [self.sets[0].tree.n_landmarks] * self.finest)

    @property
    def dtype(self) -> np.dtype:
        """Smallest unsigned type that holds the labels."""
        return np.dtype(np.uint8 if self.n_labels.max() <= 256 else np.uint16)

    def neighbors(self, sweeper: Sweeper, block: int) -> Iterator[Neighbors]:
        """Neighbors of a block in one landmark set after the other."""
        trees = [(group.tree, group.n_neighbors) for group in self.sets]
        return sweeper.neighbors(self.frame, trees, block)

    def finer(self, sweeper: Sweeper) -> Ensemble:
        """The ensemble with one more base clustering that tells most rows apart."""
        return replace(self, finest=True)

    def labels(self, sweeper: Sweeper, block: int) -> np.ndarray:
        """Base labels of a block of rows, unsigned (n, m)."""
        span = sweeper.source.span(block)
        labels: np.ndarray = np.empty((span.stop - span.start, len(self.n_labels)), self.dtype)
        columns = iter(labels.T)
        near_landmarks = self.neighbors(sweeper, block)
        for group, near in zip(self.sets, near_landmarks, strict=True):
            for member in group.members:
                member.label(near, next(columns))
            if self.finest and group is self.sets[0]:
                labels[near.order, -1] = near.index[:, 0]
        return labels
