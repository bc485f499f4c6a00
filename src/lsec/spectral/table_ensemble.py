"""An ensemble whose members are joined by categorical columns, each as a base clustering.

A category is a base cluster, and a missing value a missing label: the row takes no part. A column
votes with a weight: its base clustering is repeated.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lsec.rows.categories import Categories
from lsec.rows.frame import Frame
from lsec.spectral.base_clustering import Member
from lsec.spectral.ensemble import Ensemble, EnsemblePlan, TakeRows
from lsec.typing import AnyArray, Int64


@dataclass(frozen=True)
class TablePlan:
    """Decisions about the members of the numeric columns, and about the categorical ones."""

    numeric: EnsemblePlan | None  # None if no column is numeric
    categories: Categories
    weight: int  # base clusterings that a categorical column counts as

    @property
    def n_bytes(self) -> int:
        """Memory of the fitted members."""
        return 0 if self.numeric is None else self.numeric.n_bytes


@dataclass(frozen=True)
class TableEnsemble:
    """A fitted ensemble of numeric columns, and categorical columns beside it."""

    numeric: Ensemble | None
    categories: Categories
    weight: int

    @property
    def n_labels(self) -> Int64:
        """Number of labels in each column (m,): of the members, then of categorical columns."""
        members = [] if self.numeric is None else [self.numeric.n_labels]
        return np.concatenate([*members, np.repeat(self.categories.n_levels, self.weight)])

    @property
    def n_clusters(self) -> list[int]:
        """Number of base clusters of each member, and of each vote of a categorical column."""
        return [int(n) for n in self.n_labels]

    @property
    def dtype(self) -> np.dtype[Any]:
        """Smallest unsigned type that holds the labels."""
        own = self.categories.dtype
        return own if self.numeric is None else np.promote_types(own, self.numeric.dtype)

    @property
    def members(self) -> list[Member]:
        """The spectral members."""
        return [] if self.numeric is None else self.numeric.members

    @property
    def frame(self) -> Frame | None:
        """Frame of the numeric columns."""
        return None if self.numeric is None else self.numeric.frame

    def finer(self, n_rows: int, take: TakeRows) -> TableEnsemble:
        """The ensemble with one more base clustering, if it has members."""
        if self.numeric is None:
            return self
        return replace(self, numeric=self.numeric.finer(n_rows, take))

    def label(self, members: AnyArray | None, codes: AnyArray) -> AnyArray:
        """Base labels (n, m) from those of the members, and from codes (n, c)."""
        votes = np.repeat(codes, self.weight, axis=1)
        parts = [votes] if members is None else [members, votes]
        return np.concatenate(parts, axis=1, dtype=self.dtype)
