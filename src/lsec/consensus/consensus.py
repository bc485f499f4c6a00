"""Combine base clusterings by any consensus function: `lsec.consensus`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from functools import cached_property
from importlib import import_module
from typing import Any, Literal, cast, overload

import numpy as np
from numpy.typing import ArrayLike

from lsec import checks
from lsec.consensus.co_association import nearest_micro_cluster
from lsec.consensus.memory import require_free
from lsec.consensus.merge_tree import MergeTree
from lsec.consensus.methods import ConsensusMethod, Joined, Tasks
from lsec.consensus.micro_clusters import MicroClusters, cluster_counts
from lsec.consensus.noise import Noise
from lsec.consensus.number_of_clusters import MAX_CLUSTERS, Evidence, warn_of_ceiling
from lsec.consensus.small_clusters import merge_small
from lsec.consensus.votes import Votes
from lsec.execution.threads import Lent, Workers, thread_count, working
from lsec.typing import AnyArray, Bool, Float32, Float64, Int32

AUTO = "auto"
NOISE = np.int32(-1)
MOST_TRIES = 4  # to find enough clusters of a minimum size
CLASSES = ("Linkage", "Bipartite", "EAC", "LWEA", "LWGP", "KCC", "SEC", "PTA", "PTGP")
METHODS = {name.lower(): name for name in CLASSES}
"""Class of every consensus function, in the module of `methods` that has the function's name."""


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
    least_confidence : float64 (k,) or None
        Rows of a cluster with less confidence are noise; None if there is none.
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
    least_confidence: Float64 | None = None
    votes_for_unseen: bool = False  # base labels that did not occur together: by `votes`

    def __repr__(self) -> str:
        sizes = f"n_micro_clusters={len(self.micro)}, n_base={self.micro.n_base}"
        return f"Consensus(n_clusters={self.n_clusters}, {sizes})"

    @property
    def labels(self) -> Int32:
        """Cluster of every row, int32 (n,); -1 for noise."""
        return self.labels_of_micro[self.micro.of_row]

    @cached_property
    def labels_of_micro(self) -> Int32:
        """Label of the rows of every micro-cluster, int32 (n',): its cluster, or -1 for noise."""
        return np.where(self.is_noise, NOISE, self.micro_labels)

    @cached_property
    def is_noise(self) -> Bool:
        """Whether the rows of a micro-cluster are noise, bool (n',)."""
        if self.least_confidence is None:
            return np.zeros(len(self.micro), bool)
        return self._is_noise(self.micro.labels, self.micro_labels)

    def _is_noise(self, labels: AnyArray, clusters: Int32) -> Bool:
        assert self.least_confidence is not None
        confidence = self.votes.confidence(labels, clusters)
        few: Bool = confidence < self.least_confidence[clusters]
        return few

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
        Noise is the same in all of them.
        """
        labels = np.where(self.is_noise, NOISE, self.tree.cut(n_clusters))
        return labels[self.micro.of_row]

    def predict(self, label_matrix: Any) -> Int32:
        """Clusters int32 (n,) of new rows from their base labels.

        A row whose combination of base labels occurred gets its cluster. Other rows go to the
        nearest consensus center ("bipartite", "lwgp"), or to the cluster of the micro-cluster
        that shares most base clusters with them, the first of those that tie. Labels that did
        not occur count as missing.

        Parameters
        ----------
        label_matrix : array-like of shape (n, m), data frame, list or dict of label vectors
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
        return self.predict_labels(labels)[new.of_row]

    def predict_labels(self, labels: AnyArray, n_clusters: int | None = None) -> Int32:
        """Labels int32 (n,) of distinct label rows (n, m): clusters, or -1 for noise.

        With a number of clusters, those of the merge tree.
        """
        clusters = found = self.predict_numbers(labels)
        if n_clusters is not None:
            found = self.predict_numbers_at(n_clusters, labels)
        if self.least_confidence is None:
            return found
        return np.where(self._is_noise(labels, clusters), NOISE, found)

    def predict_numbers(self, labels: AnyArray) -> Int32:
        """Clusters int32 (n,) of distinct label rows (n, m), numbered as in `micro.labels`."""
        if self._joined.predict is not None:
            return self._rank[self._joined.predict(labels)]
        if self.votes_for_unseen:
            return self.votes.clusters(labels, self.micro.find(labels), self.micro_labels)
        return self.micro_labels[nearest_micro_cluster(self.micro, labels)]

    def with_weightless(self, labels: AnyArray) -> Consensus:
        """The consensus with more rows, whose weight is zero, in the nearest micro-clusters.

        `of_row` has numbers beyond the micro-clusters for the distinct labels (n, m) of these rows.
        """
        clusters = self.predict_numbers(labels)
        nearest = nearest_micro_cluster(self.micro, labels, (clusters, self.micro_labels))
        numbers = np.append(np.arange(len(self.micro), dtype=np.int32), nearest)
        return replace(self, micro=replace(self.micro, of_row=numbers[self.micro.of_row]))

    def predict_numbers_at(self, n_clusters: int, labels: AnyArray) -> Int32:
        """As `predict_numbers`, in coarser or finer clusters; finer ones divide its clusters."""
        among = self.predict_numbers(labels), self.micro_labels
        return self.tree.cut(n_clusters)[nearest_micro_cluster(self.micro, labels, among)]


def make_method(
    name: str, options: dict[str, Any], parameter: str = "method", words: Sequence[str] = ()
) -> ConsensusMethod:
    """The consensus function of a name; `parameter`, which may take other words, is to blame."""
    if not isinstance(name, str) or name not in METHODS:
        listed = ", ".join(map(repr, [*words, *METHODS]))
        close = get_close_matches(str(name), METHODS, 1)
        meant = f" Did you mean {close[0]!r}?" if close else ""
        raise ValueError(f"{parameter} must be one of {listed}; got {checks.quoted(name)}.{meant}")
    kind = getattr(import_module(f"lsec.consensus.methods.{name}"), METHODS[name])
    allowed = [option.name for option in fields(kind)]
    unknown = [option for option in options if option not in allowed]
    if unknown:
        listed = f"has the options {', '.join(allowed)}" if allowed else "has no options"
        raise ValueError(
            f"The consensus function {name!r} {listed}; got {checks.quoted(unknown[0])}."
        )
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
    """A consensus function, its number of clusters, and which rows have no cluster."""

    method: ConsensusMethod
    n_clusters: int | None  # None lets the function choose
    advice: str = "add base clusterings"  # if those there are tell too few rows apart
    min_cluster_size: int = 1
    noise: Noise | None = None


def join(micro: MicroClusters, plan: ConsensusPlan, tasks: Tasks) -> Consensus:
    """Join micro-clusters (Algorithm 2 of LSEC, with any consensus function).

    If clusters are smaller than the minimum, the function is asked for as many more as it takes to
    find `n_clusters` larger ones, then the small ones are merged with others.
    """
    asked = plan.n_clusters
    for _ in range(MOST_TRIES):
        joined = _join(micro, plan, asked, tasks)
        sizes = np.bincount(joined.labels, micro.weights)
        missing = (plan.n_clusters or 0) - int((sizes >= plan.min_cluster_size).sum())
        if asked is None or missing <= 0 or asked + missing > len(micro):
            break
        asked += missing
    if joined.evidence is not None:
        warn_of_ceiling(int((sizes > 0).sum()), int(joined.evidence.candidates[-1]))
    rank = _number_clusters(micro, plan, joined.labels)
    labels = rank[joined.labels]
    found = Consensus(micro, labels, int(labels.max()) + 1, joined.evidence, joined, rank)
    if plan.noise is None:
        return found
    return replace(found, least_confidence=plan.noise.thresholds(found))


def _join(
    micro: MicroClusters, plan: ConsensusPlan, n_clusters: int | None, tasks: Tasks
) -> Joined:
    """Exactly `n_clusters` clusters by the function of a plan, or as many as it chooses."""
    lower = f"n_clusters={n_clusters} were asked. Lower n_clusters or {plan.advice}."
    if n_clusters is not None and n_clusters > len(micro):
        raise ValueError(
            f"The base clusterings tell only {len(micro)} groups of rows apart, {lower}"
        )
    if n_clusters == 1 or len(micro) == 1:
        return Joined(np.zeros(len(micro), np.int32))
    require_free(plan.method.n_bytes(micro, n_clusters or MAX_CLUSTERS, tasks.n_threads), micro)
    joined = plan.method.join(micro, n_clusters, tasks)
    n_found = len(np.unique(joined.labels))
    if n_clusters is not None and n_found < n_clusters:
        raise ValueError(f"The base clusterings support only {n_found} clusters, {lower}")
    return joined


def _number_clusters(micro: MicroClusters, plan: ConsensusPlan, labels: Int32) -> Int32:
    """Final cluster of every label of a consensus function, in the order of their first rows."""
    found, places = np.unique(labels, return_inverse=True)
    into = np.arange(len(found))
    if plan.min_cluster_size > 1:
        counts = cluster_counts(micro, places.astype(np.int32), len(found))
        sizes = np.bincount(places, micro.weights).astype(np.float64)
        into = merge_small(counts, sizes, plan.min_cluster_size, plan.n_clusters)
    kept, first = np.unique(into[places], return_index=True)
    number = np.empty(len(found), np.int32)
    number[kept[np.argsort(first)]] = np.arange(len(kept), dtype=np.int32)
    rank = np.empty(int(found[-1]) + 1, np.int32)
    rank[found] = number[into]
    return rank


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
    member_weights: ArrayLike | None = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    full_output: bool = False,
    **options: Any,
) -> Int32 | Consensus:
    """Combine base clusterings of the same rows into one clustering.

    Parameters
    ----------
    label_matrix : array-like of shape (n_samples, n_base), data frame, list or dict of label \
vectors, or MicroClusters
        One column (or vector) per base clustering: integers of any type and range, text or
        categories, whose names do not matter. Negative, NaN or None: the row takes no part in that
        clustering. Pass `MicroClusters` to save time when several functions are tried.
    n_clusters : int or "auto"
        Number of clusters of the result. "auto" chooses it by the largest eigengap
        ("bipartite", "lwgp", "ptgp"), the longest lifetime ("eac", "lwea", "pta"), or the worth
        ("linkage"). A warning tells when it is near the largest number that was considered.
    method : {"linkage", "bipartite", "eac", "lwea", "lwgp", "kcc", "sec", "pta", "ptgp"}, \
default="linkage"
        The consensus function.
    member_weights : array-like of int of shape (n_base,), default=None
        Weights of the base clusterings, for example by how much they are trusted: one of weight 3
        counts as three equal ones. By default all have weight 1.
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
    weights, and return exactly what they would on all rows; but "pta" and "ptgp" give
    micro-clusters equal weights once walks between them have regarded their sizes, as their
    paper does. "eac", "lwea" and "pta" compare every two micro-clusters and refuse more than
    `memory_limit` allows. All functions refuse to take more memory than is free.

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
        if member_weights is not None:
            micro = micro.weighted(member_weights)
        with progress.stage("consensus"):
            tasks = Tasks(rng, workers.map, Lent, workers.n_threads)
            result = join(micro, ConsensusPlan(function, wanted), tasks)
    return result if full_output else result.labels
