"""Combine base clusterings by any consensus function: `lsec.consensus`."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, fields
from difflib import get_close_matches
from functools import cached_property
from importlib import import_module
from typing import Any, Literal, cast, overload

import numpy as np

from lsec import checks
from lsec.consensus.co_association import nearest_micro_cluster
from lsec.consensus.merge_tree import MergeTree
from lsec.consensus.methods import ConsensusMethod, Joined, Tasks
from lsec.consensus.micro_clusters import (
    MicroClusters,
    cluster_counts,
    number_base_clusters,
    sum_over_labels,
    with_missing,
)
from lsec.consensus.number_of_clusters import Evidence
from lsec.execution.threads import Lent, Workers, thread_count, working
from lsec.typing import AnyArray, Float32, Float64, Int32, Int64

AUTO = "auto"
CEILING, FEW_CANDIDATES = 0.8, 20
MIN_LEAD = 1e-6  # of the assigned cluster in soft memberships: above the rounding of float32
CLASSES = ("Linkage", "Bipartite", "EAC", "LWEA", "LWGP", "KCC", "SEC", "PTA", "PTGP")
METHODS = {name.lower(): name for name in CLASSES}
"""Class of every consensus function, in the module of `methods` that has the function's name."""


@dataclass(frozen=True)
class Votes:
    """Share of the rows of every base cluster that lies in each consensus cluster."""

    shares: Float64  # (C + 1, k); zero for a missing label
    n_labels: Int64  # (m,)

    @classmethod
    def of(cls, micro: MicroClusters, micro_labels: Int32, n_clusters: int) -> Votes:
        """Votes of the base clusters in a consensus with the given micro-cluster labels."""
        counts = cluster_counts(micro, micro_labels, n_clusters)
        sizes = counts.sum(axis=1, keepdims=True)
        return cls(with_missing(counts / np.where(sizes > 0, sizes, 1)), micro.n_labels)

    def mean(self, labels: AnyArray) -> Float64:
        """Mean share in each cluster over the base clusters of label rows (n, m), (n, k).

        Uniform for rows without a known base cluster.
        """
        total = sum_over_labels(self.shares, number_base_clusters(labels, self.n_labels))
        votes = total.sum(axis=1, keepdims=True)
        return np.where(votes > 0, total / np.where(votes > 0, votes, 1), 1 / total.shape[1])

    def confidence(self, labels: AnyArray, clusters: Int32) -> Float32:
        """Mean share in the assigned clusters (n,) of label rows (n, m), float32 (n,)."""
        own = np.take_along_axis(self.mean(labels), clusters[:, None], 1)[:, 0]
        return np.minimum(own, 1).astype(np.float32)

    def membership(self, labels: AnyArray, clusters: Int32) -> Float32:
        """Soft membership float32 (n, k) of label rows (n, m) with assigned clusters (n,).

        The mean shares v if the assigned cluster leads; otherwise mass is shifted to it until
        it leads: (1 − x) v, plus x for the assigned cluster, with the smallest such x.
        """
        votes = self.mean(labels)
        rows = np.arange(len(votes))
        own = votes[rows, clusters]
        votes[rows, clusters] = -1
        rival = votes.max(axis=1)
        votes[rows, clusters] = own
        behind = np.maximum(rival + MIN_LEAD - own, 0)
        shift = behind / (1 + np.maximum(rival - own, -0.5))  # zero if the cluster leads
        votes *= (1 - shift)[:, None]
        votes[rows, clusters] += shift
        return votes.astype(np.float32)


@dataclass(frozen=True, eq=False, repr=False)
class Consensus:
    """A consensus of base clusterings.

    Attributes
    ----------
    micro : MicroClusters
        The base clusterings.
    micro_labels : int32 (n',)
        Cluster of every micro-cluster, numbered in the order of their first rows.
    n_clusters : int
    evidence : Evidence or None
        For the number of clusters, if it was chosen.

    Examples
    --------
    >>> from lsec import consensus
    >>> result = consensus([[0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 1, 1]], 2, "eac", full_output=True)
    >>> result.labels.tolist()
    [0, 0, 1, 1]
    >>> [f"{sure:.2f}" for sure in result.confidence]
    ['1.00', '0.78', '0.89', '0.89']
    >>> result.predict([[1, 0], [1, 0], [0, 0]]).tolist()
    [1, 0]
    >>> result.labels_at(3).tolist(), result.tree.weights.tolist()
    ([0, 1, 2, 2], [1.0, 1.0, 2.0])
    """

    micro: MicroClusters
    micro_labels: Int32
    n_clusters: int
    evidence: Evidence | None
    _joined: Joined
    _rank: Int32

    def __repr__(self) -> str:
        sizes = f"n_micro_clusters={len(self.micro)}, n_base={self.micro.n_base}"
        return f"Consensus(n_clusters={self.n_clusters}, {sizes})"

    @property
    def labels(self) -> Int32:
        """Cluster of every row, int32 (n,)."""
        return self.micro_labels[self.micro.of_row]

    @property
    def confidence(self) -> Float32:
        """Agreement of the base clusterings with each row's label, float32 (n,), in [0, 1].

        The mean, over the base clusterings in which the row has a label, of the share of its
        base cluster that has the row's consensus label.
        """
        return self.micro_confidence[self.micro.of_row]

    @cached_property
    def micro_confidence(self) -> Float32:
        """Confidence of the rows of every micro-cluster, float32 (n',)."""
        return self.votes.confidence(self.micro.labels, self.micro_labels)

    @property
    def membership(self) -> Float32:
        """Soft membership float32 (n, k): sums to one, largest at the row's label.

        As `confidence`, for each consensus cluster. If another cluster than the assigned one
        would get more, mass is shifted to the assigned one until it leads.
        """
        return self.votes.membership(self.micro.labels, self.micro_labels)[self.micro.of_row]

    @cached_property
    def votes(self) -> Votes:
        """Shares of the base clusters in the consensus clusters."""
        return Votes.of(self.micro, self.micro_labels, self.n_clusters)

    @cached_property
    def tree(self) -> MergeTree:
        """Merge tree of the clusters and of their parts."""
        with Workers(thread_count(None)) as workers:
            return MergeTree.of(self.micro, self.micro_labels, self.n_clusters, workers.map)

    def labels_at(self, n_clusters: int) -> Int32:
        """Coarser or finer clusters of every row, int32 (n,), without another fit.

        More clusters divide those of fewer, by the merge tree; `labels` are one of the layers.
        """
        return self.tree.cut(n_clusters)[self.micro.of_row]

    def predict(self, label_matrix: Any) -> Int32:
        """Clusters int32 (n,) of new rows from their base labels.

        A row whose combination of base labels occurred gets its cluster. Other rows go to the
        nearest consensus center ("bipartite", "lwgp"), or to the cluster of the micro-cluster
        that shares most base clusters with them, the first of those that tie. Labels that did
        not occur count as missing.

        Parameters
        ----------
        label_matrix : array-like of shape (n, m), data frame, list of label vectors
            The same base clusterings in the same order.
        """
        new = MicroClusters.from_labels(label_matrix)
        labels = self.micro.translate(new)
        unknown = np.flatnonzero((labels >= self.micro.n_labels).all(axis=1))
        if unknown.size:
            row = int(np.flatnonzero(new.of_row == unknown[0])[0])
            raise ValueError(
                f"Row {row} has no base label that the consensus was made from. Remove such rows."
            )
        return self.predict_numbers(labels)[new.of_row]

    def predict_numbers(self, labels: AnyArray) -> Int32:
        """Clusters int32 (n,) of distinct label rows (n, m), numbered as in `micro.labels`."""
        if self._joined.predict is not None:
            return self._rank[self._joined.predict(labels)]
        return self.micro_labels[nearest_micro_cluster(self.micro, labels)]

    def predict_numbers_at(self, n_clusters: int, labels: AnyArray) -> Int32:
        """As `predict_numbers`, in coarser or finer clusters; finer ones divide its clusters."""
        among = self.predict_numbers(labels), self.micro_labels
        return self.tree.cut(n_clusters)[nearest_micro_cluster(self.micro, labels, among)]


def make_method(name: str, options: dict[str, Any], parameter: str = "method") -> ConsensusMethod:
    """The consensus function with the given name and options; `parameter` is the one to blame."""
    if not isinstance(name, str) or name not in METHODS:
        listed = ", ".join(map(repr, METHODS))
        close = get_close_matches(str(name), METHODS, 1)
        meant = f" Did you mean {close[0]!r}?" if close else ""
        raise ValueError(f"{parameter} must be one of {listed}; got {name!r}.{meant}")
    kind = getattr(import_module(f"lsec.consensus.methods.{name}"), METHODS[name])
    allowed = [option.name for option in fields(kind)]
    unknown = [option for option in options if option not in allowed]
    if unknown:
        listed = f"has the options {', '.join(allowed)}" if allowed else "has no options"
        raise ValueError(f"The consensus function {name!r} {listed}; got {unknown[0]!r}.")
    return cast(ConsensusMethod, kind(**options))


def requested_clusters(n_clusters: Any, method: ConsensusMethod, name: str) -> int | None:
    """The number of clusters, or None for "auto" if the function can choose it."""
    number: int | str = checks.integer("n_clusters", n_clusters, 1, words=(AUTO,))
    if isinstance(number, int):
        return number
    if not method.chooses_k:
        raise ValueError(
            f"n_clusters='auto' has no criterion for {name!r}. Pass a number, or choose "
            f"'bipartite', 'lwgp' or 'ptgp' (eigengap), or 'linkage', 'eac', 'lwea' or 'pta' "
            f"(lifetime)."
        )
    return None


@dataclass(frozen=True)
class ConsensusPlan:
    """A consensus function and its number of clusters."""

    method: ConsensusMethod
    n_clusters: int | None  # None lets the function choose
    advice: str = "add base clusterings"  # if those there are tell too few rows apart


def join(micro: MicroClusters, plan: ConsensusPlan, tasks: Tasks) -> Consensus:
    """Join micro-clusters (Algorithm 2 of LSEC, with any consensus function)."""
    n_clusters = plan.n_clusters
    lower = f"n_clusters={n_clusters} were asked. Lower n_clusters or {plan.advice}."
    if n_clusters is not None and n_clusters > len(micro):
        raise ValueError(
            f"The base clusterings tell only {len(micro)} groups of rows apart, {lower}"
        )
    if n_clusters == 1 or len(micro) == 1:
        joined = Joined(np.zeros(len(micro), np.int32))
    else:
        joined = plan.method.join(micro, n_clusters, tasks)
    found, first = np.unique(joined.labels, return_index=True)
    if n_clusters is not None and len(found) < n_clusters:
        raise ValueError(f"The base clusterings support only {len(found)} clusters, {lower}")
    if joined.evidence is not None:
        _warn_of_ceiling(len(found), int(joined.evidence.candidates[-1]))
    rank = np.empty(int(found[-1]) + 1, np.int32)
    rank[found[np.argsort(first)]] = np.arange(len(found), dtype=np.int32)
    return Consensus(micro, rank[joined.labels], len(found), joined.evidence, joined, rank)


def _warn_of_ceiling(n_clusters: int, most: int) -> None:
    """Warn if the chosen number of clusters is near the largest one considered."""
    if most >= FEW_CANDIDATES and n_clusters > CEILING * most:
        warnings.warn(
            f"n_clusters='auto' chose {n_clusters} and considered at most {most}: there may be "
            "more. Pass the number, or base clusterings with more clusters (base_clusters).",
            stacklevel=3,
        )


@overload
def consensus(
    label_matrix: Any,
    n_clusters: int | str,
    method: str = ...,
    *,
    full_output: Literal[True],
    **_: Any,
) -> Consensus: ...
@overload
def consensus(label_matrix: Any, n_clusters: int | str, method: str = ..., **_: Any) -> Int32: ...
def consensus(
    label_matrix: Any,
    n_clusters: int | str,
    method: str = "linkage",
    *,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    full_output: bool = False,
    **options: Any,
) -> Int32 | Consensus:
    """Combine base clusterings of the same rows into one clustering.

    Parameters
    ----------
    label_matrix : array-like of shape (n_samples, n_base), data frame, list of label vectors, \
or MicroClusters
        One column (or vector) per base clustering: integers of any type and range, whose names
        do not matter. Negative or NaN: the row takes no part in that clustering. Pass
        `MicroClusters` to save time when several functions are tried.
    n_clusters : int or "auto"
        Number of clusters of the result. "auto" chooses it by the largest eigengap
        ("bipartite", "lwgp", "ptgp"), the longest lifetime ("eac", "lwea", "pta"), or a knee of
        the doubt and the lifetime ("linkage"). A warning tells when it is near the largest
        number that was considered.
    method : {"linkage", "bipartite", "eac", "lwea", "lwgp", "kcc", "sec", "pta", "ptgp"}, \
default="linkage"
        The consensus function.
    random_state : int, RandomState instance or None, default=None
        Seed of the functions that make random choices ("eac", "lwea", "pta" make none).
    n_jobs : int or None, default=None
        Threads; None and -1 use all cores. The result does not depend on it.
    verbose : int, default=0
        1 shows a progress bar per stage.
    full_output : bool, default=False
        Return a `Consensus` instead of the labels: with `confidence`, `membership`,
        `evidence`, `labels_at`, `tree` and `predict`.
    **options
        Options of the function: linkage ("eac", "pta"), theta ("lwea", "lwgp"), utility,
        normalized, power, n_init, max_iter ("kcc"), n_init, max_iter ("sec"),
        memory_limit ("eac", "lwea", "pta").

    Returns
    -------
    labels : ndarray of shape (n_samples,), int32
        0 to n_clusters - 1, in order of first occurrence. A `Consensus` if `full_output`.

    Notes
    -----
    All functions work on micro-clusters, the distinct rows of the label matrix with
    weights, and return exactly what they would on all rows. "eac", "lwea" and "pta"
    compare every two micro-clusters and refuse more than `memory_limit` allows.

    Examples
    --------
    >>> from lsec import consensus
    >>> one, two, three = [0, 0, 0, 1, 1, 1], [5, 5, 5, 7, 7, 7], [0, 0, 1, 1, 2, 2]
    >>> consensus([one, two, three], 2, random_state=0).tolist()
    [0, 0, 0, 1, 1, 1]
    """
    function = make_method(method, options)
    wanted = requested_clusters(n_clusters, function, method)
    checks.jobs(n_jobs)
    rng = np.random.default_rng(checks.seed(random_state))
    with working(thread_count(n_jobs), checks.verbosity(verbose)) as (workers, progress):
        micro = label_matrix
        if not isinstance(micro, MicroClusters):
            with progress.stage("micro-clusters"):
                micro = MicroClusters.from_labels(label_matrix, n_jobs=n_jobs)
        with progress.stage("consensus"):
            result = join(micro, ConsensusPlan(function, wanted), Tasks(rng, workers.map, Lent))
    return result if full_output else result.labels
