"""Linkage consensus: clusterings from several views of the ensemble, and the one they agree on.

A function of this library. A *view* embeds micro-clusters by the transfer cut of their bipartite
graph (equations 4 to 6), edges weighted by the cluster index of [2]_, in more dimensions than
clusters. Groups of micro-clusters are merged by the mean cosine of their embeddings, and the
dendrogram is cut in several ways. No single criterion tells the best candidate. Four are weighed:

- *votes*, the mean NMI of a candidate to all candidates, which any kind of cluster may win;
- *lead*, how much nearer rows are to their own cluster than to the next;
- *doubt*, how badly base clusters predict the cluster of a row, 1 - tau [1]_: clusters that stand
  apart have none, whatever their sizes, but a giant among tiny clusters is predicted easily, too;
- the *entropy* of the sizes of the clusters, which prefers even ones.

The candidate with the best votes, to which lead and entropy add little, is elected, unless the one
with the largest worth, in which doubt counts, is clearly worth more. Votes are steady, but prefer
clusters of similar size.

References
----------
.. [1] Goodman, L. A., Kruskal, W. H. "Measures of association for cross classifications", Journal
   of the American Statistical Association 49, 1954.
.. [2] Huang, D., Wang, C.-D., Lai, J.-H. "Locally weighted ensemble clustering", IEEE
   Transactions on Cybernetics 48(5), 2018.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from lsec.consensus.dendrogram import MIN_RELATIVE_WEIGHT, UNASSIGNED
from lsec.consensus.groups import MAX_GROUPS, Groups, Space, link
from lsec.consensus.memory import graph_bytes, labels_bytes, pairs_bytes
from lsec.consensus.methods import Joined, Tasks
from lsec.consensus.micro_clusters import (
    MicroClusters,
    cluster_entropy,
    number_base_clusters,
    sum_over_labels,
)
from lsec.consensus.number_of_clusters import MAX_CLUSTERS, Evidence, lifetime, worth
from lsec.rows.frame import rows_of
from lsec.spectral.kmeans import (
    ROWS_AT_ONCE,
    MakePoints,
    group_rows,
    kmeans,
    mean_vectors,
    nearest_direction,
    spherical_kmeans,
)
from lsec.spectral.transfer_cut import unit_rows
from lsec.typing import AnyArray, Float64, Int32

THETAS = (np.inf, 1.0, 0.4)
DIMENSIONS_PER_CLUSTER = 6
VIEWS = ((4, 0.0), (6, 0.0), (6, 1.5))
JUDGING_DIMENSIONS_PER_CLUSTER = 2
BALANCES = (0.0, 0.5)
VOTES_LEAD, VOTES_ENTROPY = 0.25, 0.05
WORTH_LEAD, WORTH_ENTROPY = 0.75, 1.5
CLEARLY_MORE = 0.135  # worth, the logarithm of a ratio of doubts
LEAST_DOUBT, LEAST_LEAD = 1e-4, 1e-3  # less tells nothing
LIGHTER = 5  # clusters of another candidate may have so much less weight
GROUPS_PER_CLUSTER = 10
CANDIDATE_STEPS, REFINEMENT_STEPS = 3, 20
MOST_COUNTED, COUNTED_GROUPS, GROUPING_DIMENSIONS = 128, 800, 80
MOST_MICRO_CLUSTERS = 100_000  # that clusters are made of; more are drawn from
CUT_ITERATIONS, CUT_INITS = 100, 10
ROUNDING = 1e-9
TINY = 1e-300

View = tuple[int, float]
"""Dimensions per cluster, and power of the eigenvalues."""
MeansOf = Callable[[int, float], Float64]
"""Mean vectors (g, d) of groups in d dimensions, scaled by eigenvalue^power."""


@dataclass(frozen=True)
class Linkage:
    """Clusterings from several views of the ensemble, and the one they agree on."""

    chooses_k = True

    def n_bytes(self, micro: MicroClusters, n_clusters: int, n_threads: int) -> int:
        """Several transfer cuts at a time, with views of all micro-clusters."""
        all_labels = labels_bytes(micro)
        if len(micro) > MOST_MICRO_CLUSTERS:
            micro = micro.some(np.arange(MOST_MICRO_CLUSTERS), micro.weights[:MOST_MICRO_CLUSTERS])
        n_cuts = min(n_threads, len(THETAS))
        cut = graph_bytes(micro, DIMENSIONS_PER_CLUSTER * n_clusters)
        n_groups = min(len(micro), max(MAX_GROUPS, GROUPS_PER_CLUSTER * n_clusters))
        return all_labels + n_cuts * (cut + pairs_bytes(n_groups))

    def join(self, micro: MicroClusters, n_clusters: int | None, tasks: Tasks) -> Joined:
        """Make candidates from all views and elect one."""
        if len(micro) > MOST_MICRO_CLUSTERS:
            return _join_drawn(micro, n_clusters, tasks)
        evidence, winner = _elected(micro, n_clusters, tasks)
        return Joined(winner.labels, evidence)


def _join_drawn(micro: MicroClusters, n_clusters: int | None, tasks: Tasks) -> Joined:
    """Clusters of micro-clusters that are drawn by weight; the others join the nearest cluster.

    Rows of many columns may all have base labels of their own.
    """
    which, some = micro.drawn(MOST_MICRO_CLUSTERS, tasks.rng)
    evidence, winner = _elected(some, n_clusters, tasks)
    view = winner.n_dimensions, winner.power
    means, _ = mean_vectors(
        winner.space.view(some, *view), some.weights, winner.labels, int(winner.labels.max()) + 1
    )
    # The product with a direction of a sum over labels is the sum of their products with it.
    products = winner.space.scaled(*view) @ unit_rows(means).T

    def nearest_to(low: int) -> AnyArray:
        part = slice(low, low + ROWS_AT_ONCE)
        base_clusters = number_base_clusters(micro.labels[part], micro.n_labels)
        nearest: AnyArray = sum_over_labels(products, base_clusters).argmax(axis=1)
        return nearest

    parts = tasks.map(nearest_to, range(0, len(micro), ROWS_AT_ONCE))
    labels = np.concatenate(parts).astype(np.int32)
    labels[which] = winner.labels
    return Joined(labels, evidence)


def _elected(
    micro: MicroClusters, n_clusters: int | None, tasks: Tasks
) -> tuple[Evidence | None, Candidate]:
    """Evidence for the number of clusters if it is chosen, and the elected clustering."""
    evidence, entropy = None, cluster_entropy(micro)
    if n_clusters is None:
        evidence = _choose_clusters(micro, entropy, tasks)
        n_clusters = evidence.best
    k = n_clusters
    of_theta = partial(Space.of, micro, DIMENSIONS_PER_CLUSTER * k)
    spaces = tasks.map(of_theta, [np.exp(-entropy / theta) for theta in THETAS])
    view = spaces[-1].view(micro, VIEWS[0][0] * k)
    max_groups = max(MAX_GROUPS, GROUPS_PER_CLUSTER * k)
    groups = Groups.of(micro, group_rows(view, micro.weights, max_groups, tasks.rng, tasks.points))
    seeds = tasks.rng.integers(2**32, size=len(spaces))

    def candidates_of(space: Space, view: View | None, seed: int) -> list[Candidate]:
        def means_of(n_dimensions: int, power: float) -> Float64:
            return groups.means(space.view(micro, n_dimensions, power))

        if view is None:
            return [_spectral_cut(groups, k, space, means_of, seed)]
        return _candidates(groups, k, space, means_of, view)

    pairs = zip(spaces, seeds, strict=True)
    some = [(space, view, seed) for space, seed in pairs for view in (*VIEWS, None)]
    found = tasks.map(lambda one: candidates_of(*one), some)
    candidates = [one for some in found for one in some]
    judging = groups.means(spaces[-1].view(micro, JUDGING_DIMENSIONS_PER_CLUSTER * k))
    winner = candidates[_elect([one.labels for one in candidates], groups, judging, k)]
    labels = winner.labels[groups.of_micro]
    view = winner.space.view(micro, winner.n_dimensions, winner.power)
    labels = spherical_kmeans(view, micro.weights, labels, k, REFINEMENT_STEPS)
    return evidence, replace(winner, labels=labels)


@dataclass(frozen=True)
class Candidate:
    """A clustering of groups, int32 (g,), and the view that it was made in."""

    labels: Int32
    space: Space
    n_dimensions: int
    power: float = 0.0


def _candidates(
    groups: Groups, n_clusters: int, space: Space, means_of: MeansOf, view: View
) -> list[Candidate]:
    """Clusterings of the groups by several cuts of the dendrogram of a view."""
    k, (per_cluster, power) = n_clusters, view
    least = MIN_RELATIVE_WEIGHT * groups.weights.sum() / k
    means = means_of(per_cluster * k, power)
    tree = link(means, groups.weights)
    branches = tree.branches(tree.enough_splits(k - 1, least)[: 2 * k - 1])
    counts = branches.totals(groups.cluster_counts(branches.labels, len(branches.divided) + 1))
    worths = [_information(counts, groups.counts.sum(axis=0), b) for b in BALANCES]
    cuts = [tree.balanced_cut(k, weight) for weight in (least, least / LIGHTER)]
    cuts += [branches.best_cut(worth, k) for worth in worths]
    settled = [_settle(means, groups.weights, labels, k) for labels in cuts]
    return [Candidate(labels, space, per_cluster * k, power) for labels in settled]


def _spectral_cut(
    groups: Groups, n_clusters: int, space: Space, means_of: MeansOf, seed: int
) -> Candidate:
    """The clustering of the groups that "bipartite" would find: k-means in k dimensions."""
    cut = kmeans(
        rows_of(unit_rows(means_of(n_clusters, 0.0))),
        n_clusters,
        np.random.default_rng(seed),
        init="k-means++",
        max_iter=CUT_ITERATIONS,
        n_init=CUT_INITS,
        weights=groups.weights,
    )
    return Candidate(cut.labels, space, n_clusters)


def _information(counts: Float64, sizes: Float64, balance: float) -> Float64:
    """What each of some sets of rows, as a cluster, adds to I - balance * H.

    I is the mutual information of base labels and clusters, averaged over base clusterings, H
    the entropy of the clusters. `counts` (s, C) are the rows of every set in each base cluster,
    `sizes` (C,) those of all rows.
    """
    n_labels = sizes.sum()
    share = counts.sum(axis=1, keepdims=True) / n_labels
    expected = np.maximum(share * sizes, TINY)
    terms = counts * np.log(np.maximum(counts, TINY) / expected)
    entropy = -share[:, 0] * np.log(np.maximum(share[:, 0], TINY))
    return np.asarray(terms.sum(axis=1) / n_labels - balance * entropy)


def _settle(means: Float64, weights: Float64, labels: Int32, n_clusters: int) -> Int32:
    """Assign the unassigned groups, and take some steps of spherical k-means."""
    known = labels != UNASSIGNED
    centers, _ = mean_vectors(means[known], weights[known], labels[known], n_clusters)
    labels = np.where(known, labels, nearest_direction(means, centers)).astype(np.int32)
    return spherical_kmeans(means, weights, labels, n_clusters, CANDIDATE_STEPS)


def _elect(labels: list[Int32], groups: Groups, judging: Float64, n_clusters: int) -> int:
    """Number of the candidate that wins by votes, or by worth if that is clearly more.

    Values that agree up to rounding tie; the first candidate wins.
    """
    counts = [groups.cluster_counts(one, n_clusters) for one in labels]
    entropy = np.array([_entropy(one) for one in counts])
    doubt = np.log(np.maximum([_doubt(one) for one in counts], LEAST_DOUBT))
    leads = [mean_lead(judging, groups.weights, one, n_clusters) for one in labels]
    lead = np.log(np.maximum(leads, LEAST_LEAD))
    votes = _agreement(labels, groups.weights, n_clusters).mean(axis=1)
    elected = _first_best(votes + VOTES_LEAD * lead + VOTES_ENTROPY * entropy)
    worths = WORTH_LEAD * lead + WORTH_ENTROPY * entropy - doubt
    best = _first_best(worths)
    return best if worths[best] > worths[elected] + CLEARLY_MORE else elected


def _first_best(values: Float64) -> int:
    """Position of the first of the largest values."""
    return int(np.argmax(values >= values.max() - ROUNDING))


def _agreement(labels: list[Int32], weights: Float64, n_clusters: int) -> Float64:
    """Normalized mutual information (c, c) of every two of c labelings of weighted objects."""
    total = weights.sum()

    def entropy(counts: AnyArray) -> float:
        shares = counts[counts > 0] / total
        return -float(shares @ np.log(shares))

    marginal = np.array([entropy(np.bincount(one, weights)) for one in labels])
    agreement = np.eye(len(labels))
    for i, one in enumerate(labels):
        for j, other in enumerate(labels[:i]):
            joint = entropy(np.bincount(one * np.int64(n_clusters) + other, weights))
            shared = marginal[i] + marginal[j] - joint
            mean = np.sqrt(max(marginal[i] * marginal[j], TINY))
            agreement[i, j] = agreement[j, i] = shared / mean
    return agreement


def _entropy(counts: Float64) -> float:
    """Entropy of the sizes of clusters, from counts (k, C)."""
    shares = counts.sum(axis=1) / counts.sum()
    return -float(shares @ np.log(np.maximum(shares, TINY)))


def _doubt(counts: Float64) -> float:
    """1 - tau: the part of the diversity of clusters that base clusters leave unexplained.

    From the rows in each cluster and base cluster, counts (k, C).
    """
    sizes, n_labels = counts.sum(axis=0), counts.sum()
    diversity = 1 - float(np.square(counts.sum(axis=1) / n_labels).sum())
    unexplained = 1 - float((np.square(counts).sum(axis=0) / np.maximum(sizes, 1)).sum()) / n_labels
    return float(unexplained / max(diversity, TINY))


def _choose_clusters(micro: MicroClusters, entropy: Float64, tasks: Tasks) -> Evidence:
    """Evidence for every number of clusters up to that of the largest base clustering."""
    most = min(int(micro.n_labels.max()), MOST_COUNTED, len(micro))
    of_theta = partial(Space.of, micro, DIMENSIONS_PER_CLUSTER * most)
    spaces = tasks.map(of_theta, [np.exp(-entropy / theta) for theta in THETAS])
    view = spaces[-1].view(micro, GROUPING_DIMENSIONS)
    rng = tasks.rng.spawn(1)[0]  # the clustering is that of a number that was passed
    of_micro = group_rows(view, micro.weights, COUNTED_GROUPS, rng, tasks.points)
    groups = Groups.of(micro, of_micro)
    views = [partial(_group_view, groups.counts @ s.vectors[:-1], s.eigenvalues) for s in spaces]

    def judge(k: int) -> tuple[float, float]:
        pairs = zip(spaces, views, strict=True)
        some = [(*pair, view) for pair in pairs for view in VIEWS]
        labels = [one.labels for given in some for one in _candidates(groups, k, *given)]
        judging = views[-1](JUDGING_DIMENSIONS_PER_CLUSTER * k)
        counts = groups.cluster_counts(labels[_elect(labels, groups, judging, k)], k)
        return _doubt(counts), _entropy(counts)

    numbers = range(2, min(most, len(groups.weights)) + 1)
    doubts, entropies = np.array(tasks.map(judge, numbers)).T
    return worth(doubts, entropies, _lifetimes(micro, rng, tasks.points))


def _group_view(rows: Float64, eigenvalues: Float64, n_dims: int, power: float = 0.0) -> Float64:
    """Unit vectors (g, d) of groups whose rows (g, d) are summed, as those of `Space.view`."""
    return unit_rows(rows[:, :n_dims] * eigenvalues[:n_dims] ** power).astype(np.float64)


def _lifetimes(micro: MicroClusters, rng: np.random.Generator, points_of: MakePoints) -> Evidence:
    """Lifetimes of the numbers of clusters, over balanced splits only."""
    view = Space.of(micro, MAX_CLUSTERS, np.ones(micro.n_base_clusters)).view(micro, MAX_CLUSTERS)
    groups = Groups.of(micro, group_rows(view, micro.weights, MAX_GROUPS, rng, points_of))
    tree = link(groups.means(view), groups.weights)
    splits = tree.balanced_splits(MIN_RELATIVE_WEIGHT * micro.weights.sum() / MAX_CLUSTERS)
    if not len(splits):  # nearly all rows have the same labels
        splits = tree.balanced_splits(0.0)
    return lifetime(tree.heights[splits[::-1]])


def mean_lead(rows: AnyArray, weights: Float64, labels: Int32, n_clusters: int) -> float:
    """Mean lead of rows (n, d): how much nearer they are to their cluster than to the next.

    The lead of a row is its mean cosine with the rows of its own cluster minus that with the
    rows of the best other cluster. It is averaged over the rows of each cluster, then over the
    clusters, with equal weights.
    """
    means, sizes = mean_vectors(rows, weights, labels, n_clusters)
    lead = np.zeros(n_clusters)
    for low in range(0, len(rows), ROWS_AT_ONCE):
        part = slice(low, low + ROWS_AT_ONCE)
        cosine = rows[part] @ means.T
        own = np.take_along_axis(cosine, labels[part, None], 1)[:, 0]
        np.put_along_axis(cosine, labels[part, None], -np.inf, 1)
        ahead = weights[part] * (own - cosine.max(axis=1))
        lead += np.bincount(labels[part], ahead, n_clusters)
    return float((lead / sizes).mean())
