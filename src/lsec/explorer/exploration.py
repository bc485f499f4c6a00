"""What the page of a model shows, computed from the model and rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from lsec.consensus.typical_rows import rows_in_order
from lsec.plot.rows import Places, features_of, is_fitted_to, some_rows, standardized_means
from lsec.sources import Source
from lsec.typing import AnyArray, Float32, Float64, Int32, Int64

MOST_ROWS = 1_000_000
MOST_FEATURES = 30
CARD_ROWS = 3
RANGE_ROWS = 20_000  # sample for the ranges of features
OUTER = 0.002  # share of the sample beyond either end of a range
SEED = 0


@dataclass(frozen=True, eq=False)
class Feature:
    """Values of a feature, as steps between the ends of its range.

    Attributes
    ----------
    name : str
    low, high : float
        Values of the first and of the last step; others lie beyond them.
    steps : uint8 (r,)
        Of the drawn rows.
    """

    name: str
    low: float
    high: float
    steps: AnyArray


@dataclass(frozen=True, eq=False)
class Tree:
    """The merge tree, and what is known of its g groups.

    Attributes
    ----------
    pairs : int32 (g - 1, 2)
        Mergers in their order, as the lowest groups of both sides, the lower first.
    counts : int64 (g,)
        Rows.
    confidence : float64 (g,)
        Mean over the rows.
    profile : float64 (g, f)
        Means of features minus those of all rows, in standard deviations of all.
    n_clusters : int
        Clusters of the fitted layer.
    """

    pairs: Int32
    counts: Int64
    confidence: Float64
    profile: Float64
    n_clusters: int


@dataclass(frozen=True, eq=False)
class Exploration:
    """Rows to draw, and the tree that makes clusters of them.

    Attributes
    ----------
    n_rows : int
        All rows, of which r are drawn.
    positions : int64 (r,)
        Of the drawn rows, ascending.
    coordinates : float64 (r, 2)
    axes : (str, str)
        Names of the coordinates.
    groups : int32 (r,)
        Group in the merge tree; -1 for noise.
    confidence : float32 (r,)
    names : list of str or None
        Of the drawn rows.
    features : list of Feature
        Those that differ most between the clusters, in this order.
    n_features : int
        All features.
    tree : Tree
    typical, unsure : int64
        Places among the drawn rows of at most `CARD_ROWS` rows of every group: those that the
        members agree on most, and least, in this order.
    """

    n_rows: int
    positions: Int64
    coordinates: Float64
    axes: tuple[str, str]
    groups: Int32
    confidence: Float32
    names: list[str] | None
    features: list[Feature]
    n_features: int
    tree: Tree
    typical: Int64
    unsure: Int64

    @classmethod
    def of(
        cls,
        model: Any,
        rows: Source,
        *,
        coordinates: Any = None,
        names: Sequence[Any] | None = None,
        feature_names: Sequence[Any] | None = None,
        most_rows: int = MOST_ROWS,
    ) -> Exploration:
        """Exploration of a fitted ensemble with some rows."""
        n = rows.shape[0]
        places = Places.of(rows, coordinates)
        features = features_of(model, rows, feature_names, "feature {}")
        of_rows = None if names is None else _one_each_row(names, n)
        sample = _sample(n, most_rows)
        grouped = Grouped.of(model, rows, sample)
        typical, unsure = grouped.card_rows(CARD_ROWS), grouped.card_rows(CARD_ROWS, least=True)
        positions = np.union1d(sample, np.concatenate([typical, unsure]))
        profile = _padded(standardized_means(features, grouped.groups), grouped.n_groups)
        clusters = model.tree_.dendrogram.cut(model.n_clusters_)
        chosen = _telling(profile, grouped.counts, clusters)
        return cls(
            n_rows=n,
            positions=positions,
            coordinates=np.concatenate([places.take(part) for part in _parts(rows, positions)]),
            axes=places.names,
            groups=grouped.groups[positions],
            confidence=grouped.confidence_at(positions),
            names=None if of_rows is None else [of_rows[i] for i in positions.tolist()],
            features=_read_features(features, positions, chosen),
            n_features=features.shape[1],
            tree=Tree(
                model.tree_.dendrogram.pairs,
                grouped.counts,
                grouped.mean_confidence,
                profile[:, chosen],
                int(model.n_clusters_),
            ),
            typical=np.searchsorted(positions, typical),
            unsure=np.searchsorted(positions, unsure),
        )


@dataclass(frozen=True, eq=False)
class Grouped:
    """Rows in the groups of the merge tree, and how sure the members are of them.

    The confidence is known for all rows of the fit, and for a sample of others.
    """

    groups: Int32  # (n,), -1 for noise
    n_groups: int
    known: Int64 | None  # ascending positions (r,) of the sample, None for all rows
    micro: Int32  # (r,), micro-cluster of every known row
    group_of_micro: Int32
    confidence_of_micro: Float32
    weights: AnyArray  # of micro-clusters

    @classmethod
    def of(cls, model: Any, rows: Source, sample: Int64) -> Grouped:
        """Groups of the rows of the fit as they are, of others as in `labels_at`."""
        g = len(model.tree_.weights)
        if is_fitted_to(model, rows):
            found = model.consensus_
            of_micro = np.where(found.is_noise, np.int32(-1), model.tree_.groups)
            micro, sure = found.micro, found.micro_confidence
            return cls(of_micro[micro.of_row], g, None, micro.of_row, of_micro, sure, micro.weights)
        groups = model.labels_at(g, rows)
        parts = _parts(rows, sample)
        sure = [model.predict_membership(some_rows(rows, part)).max(axis=1) for part in parts]
        each, ones = np.arange(len(sample), dtype=np.int32), np.ones(len(sample))
        return cls(groups, g, sample, each, groups[sample], np.concatenate(sure), ones)

    @property
    def counts(self) -> Int64:
        """Rows of every group, int64 (g,)."""
        return np.bincount(self.groups[self.groups >= 0], minlength=self.n_groups)

    @property
    def mean_confidence(self) -> Float64:
        """Mean confidence in every group, float64 (g,), of the rows for which it is known."""
        size = np.bincount(self.micro, minlength=len(self.weights))
        kept = self.group_of_micro >= 0
        groups, size = self.group_of_micro[kept], size[kept]
        total = np.bincount(groups, size * self.confidence_of_micro[kept], self.n_groups)
        return total / np.maximum(np.bincount(groups, size, self.n_groups), 1)

    def confidence_at(self, positions: Int64) -> Float32:
        """Confidence (r,) of known rows."""
        places = positions if self.known is None else np.searchsorted(self.known, positions)
        return self.confidence_of_micro[self.micro[places]]

    def card_rows(self, n_rows: int, least: bool = False) -> Int64:
        """Known rows that the members agree on most, or least, so many of every group."""
        sure = -self.confidence_of_micro if least else self.confidence_of_micro
        found = rows_in_order(self.micro, self.group_of_micro, sure, self.weights, n_rows)
        return found if self.known is None else self.known[found]


def _sample(n_rows: int, most: int) -> Int64:
    """Ascending positions of at most so many rows: all, or random ones in equal intervals."""
    if n_rows <= most:
        return np.arange(n_rows)
    within = np.random.default_rng(SEED).random(most)
    return np.unique(((np.arange(most) + within) * (n_rows / most)).astype(np.int64))


def _parts(rows: Source, positions: Int64) -> Iterator[Int64]:
    """Positions (r,) in parts as long as a block."""
    for start in range(0, len(positions), rows.rows_per_block):
        yield positions[start : start + rows.rows_per_block]


def _one_each_row(given: Sequence[Any], n: int) -> list[str]:
    """Names of n rows as text."""
    names = [str(name) for name in given]
    if len(names) != n:
        raise ValueError(
            f"names has {len(names)} names, X has {n} rows. Pass one each. feature_names names the "
            f"features."
        )
    return names


def _padded(values: Float64, n: int) -> Float64:
    """Rows (n, f) that begin with some values; the others are zero."""
    return np.vstack([values, np.zeros((n - len(values), values.shape[1]))])


def _telling(profile: Float64, counts: Int64, clusters: Int32) -> Int64:
    """Features in which clusters of groups (g,) differ most, at most `MOST_FEATURES`."""
    k = int(clusters.max()) + 1
    shape = k, len(clusters)
    of_groups = sparse.csr_array((counts, (clusters, np.arange(len(clusters)))), shape=shape)
    means = of_groups @ profile / np.maximum(of_groups.sum(axis=1), 1)[:, None]
    spread = means.max(axis=0) - means.min(axis=0)
    return np.argsort(-spread, kind="stable")[:MOST_FEATURES]


def _read_features(rows: Source, positions: Int64, chosen: Int64) -> list[Feature]:
    """Chosen features of the rows at some positions, under the names of their columns."""
    names = rows.columns
    assert names is not None
    r = len(positions)
    some = positions[np.linspace(0, r - 1, min(r, RANGE_ROWS)).astype(np.int64)]
    low, high = np.quantile(_columns(rows, some, chosen), [OUTER, 1 - OUTER], axis=0)
    width = np.where(high > low, high - low, 1.0)
    steps = np.empty((len(chosen), r), np.uint8)
    start = 0
    for part in _parts(rows, positions):
        scaled = np.clip((_columns(rows, part, chosen) - low) / width, 0, 1)
        steps[:, start : start + len(part)] = np.rint(255 * scaled).T
        start += len(part)
    return [
        Feature(names[j], float(low[i]), float(high[i]), steps[i])
        for i, j in enumerate(chosen.tolist())
    ]


def _columns(rows: Source, positions: Int64, chosen: Int64) -> Float64:
    """Some columns of the rows at ascending positions, (r, f), in the units of the data."""
    found = rows.take(positions)[:, chosen]
    values = np.asarray(found.toarray() if sparse.issparse(found) else found, np.float64)
    return values if rows.scales is None else values * rows.scales[chosen]
