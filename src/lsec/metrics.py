"""Comparison of clusterings: with a reference labeling, and of base clusterings with each other.

Every score is a function of the contingency table alone::

    labels_true ─┐
                 ├─► contingency_table ─► accuracy, mutual information, purity, Rand index
    labels_pred ─┘        (r × c)
"""

from __future__ import annotations

from dataclasses import replace
from reprlib import repr as short
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lsec import checks
from lsec.contingency import AVERAGES, ari_of_table, contingency_table, nmi_of_table
from lsec.docstrings import documented
from lsec.typing import Float32, Float64, Int64

__all__ = [
    "adjusted_rand_index",
    "agreement_matrix",
    "align_labels",
    "clustering_accuracy",
    "coassociation",
    "contingency_table",
    "diversity",
    "normalized_mutual_information",
    "purity",
]

SCORES = {"nmi": nmi_of_table, "ari": ari_of_table}

metric_docs = documented("""
labels_true, labels_pred : array-like of shape (n_samples,)
    Reference labels and cluster labels, of any names.
label_matrix : array-like of shape (n_samples, n_base), data frame, list of label vectors, \
or MicroClusters
    One column per base clustering; negative or NaN: no label. Two clusterings are compared on
    the rows that have a label in both.
score : {"nmi", "ari"}, default="nmi"
    Normalized mutual information (geometric) or adjusted Rand index.
""")


@metric_docs
def clustering_accuracy(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """Share of rows labeled correctly under the best one-to-one matching of clusters and classes.

    The matching is found by the Hungarian method. If the numbers of clusters and classes differ,
    the surplus ones stay unmatched and their rows count as errors.

    Parameters
    ----------
    {labels_true}

    Returns
    -------
    accuracy : float
        Between 0 and 1; 1 for a perfect clustering.

    Examples
    --------
    >>> from lsec.metrics import clustering_accuracy
    >>> clustering_accuracy([0, 0, 1, 1], [7, 7, 3, 7])
    0.75
    """
    from scipy.optimize import linear_sum_assignment

    table = contingency_table(labels_true, labels_pred)
    classes, clusters = linear_sum_assignment(table, maximize=True)
    return float(table[classes, clusters].sum() / table.sum())


@metric_docs
def normalized_mutual_information(
    labels_true: ArrayLike, labels_pred: ArrayLike, *, average: str = "geometric"
) -> float:
    """Mutual information of two labelings, divided by an average of their entropies.

    Parameters
    ----------
    {labels_true}
    average : {"geometric", "joint", "max", "arithmetic", "min"}, default="geometric"
        The divisor: the geometric mean of both entropies, the joint entropy, or the maximum, the
        arithmetic mean or the minimum of both entropies. Published values use different ones;
        compare like with like.

    Returns
    -------
    nmi : float
        Between 0 and 1; 0 if the divisor is 0, that is if one of the labelings ("geometric",
        "min") or both have a single cluster.

    Examples
    --------
    >>> from lsec.metrics import normalized_mutual_information
    >>> normalized_mutual_information([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    >>> round(normalized_mutual_information([0, 0, 1, 1], [0, 1, 2, 2], average="max"), 4)
    0.6667
    """
    checks.choice("average", average, tuple(AVERAGES))
    return nmi_of_table(contingency_table(labels_true, labels_pred), average)


@metric_docs
def purity(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """Share of rows that belong to the most frequent class of their cluster.

    Unlike in `clustering_accuracy`, several clusters may stand for the same class, so that purity
    never falls when a cluster is split.

    Parameters
    ----------
    {labels_true}

    Returns
    -------
    purity : float
        Between 0 and 1; 1 if no cluster mixes classes.

    Examples
    --------
    >>> from lsec.metrics import purity
    >>> purity([0, 0, 1, 1], [0, 1, 2, 2])
    1.0
    """
    table = contingency_table(labels_true, labels_pred)
    return float(table.max(axis=0).sum() / table.sum())


@metric_docs
def adjusted_rand_index(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """Agreement of two labelings over pairs of rows, corrected for chance.

    Parameters
    ----------
    {labels_true}

    Returns
    -------
    ari : float
        1 for equal partitions, 0 on average for independent ones, at least -0.5.

    Examples
    --------
    >>> from lsec.metrics import adjusted_rand_index
    >>> round(adjusted_rand_index([0, 0, 1, 1], [0, 0, 1, 2]), 4)
    0.5714
    """
    return ari_of_table(contingency_table(labels_true, labels_pred))


def align_labels(new: ArrayLike, old: ArrayLike) -> Int64:
    """Number the clusters of a new clustering as those of an old one, as far as they agree.

    Clusters are matched one to one so that as many rows as possible keep their number (Hungarian
    method). A new cluster without a partner gets a number that the old clustering does not have.

    Parameters
    ----------
    new, old : array-like of shape (n_samples,)
        Labels of the same rows in the same order, integers; negative ones stay, and take no part
        in the matching.

    Returns
    -------
    labels : ndarray of shape (n_samples,), int64
        The clusters of `new` with other numbers.

    Examples
    --------
    >>> from lsec.metrics import align_labels
    >>> align_labels([0, 0, 1, 1, 2, -1], [7, 7, 3, 3, 3, 3]).tolist()
    [7, 7, 3, 3, 8, -1]
    """
    from scipy.optimize import linear_sum_assignment

    after, before = _whole(new, "new"), _whole(old, "old")
    table = contingency_table(before, after)  # refuses different lengths
    names, numbers = np.unique(after), np.unique(before)
    numbered, named = numbers >= 0, names >= 0
    table, names, numbers = table[numbered][:, named], names[named], numbers[numbered]
    aligned = np.full(len(names), -1, np.int64)
    partners, clusters = linear_sum_assignment(table, maximize=True)
    shared = table[partners, clusters] > 0
    aligned[clusters[shared]] = numbers[partners[shared]]
    unmatched = aligned < 0
    aligned[unmatched] = numbers.max(initial=-1) + 1 + np.arange(unmatched.sum())
    place = np.searchsorted(names, after)
    return np.where(after < 0, after, np.append(aligned, 0)[place])


def _whole(labels: ArrayLike, name: str) -> Int64:
    """Labels (n,) as int64; an error if they are not integers."""
    values = np.asarray(labels)
    if values.dtype.kind not in "iu" or values.ndim != 1:
        raise ValueError(
            f"{name} must be integers, one label per row; got the type {values.dtype} and the "
            f"shape {values.shape}. Number the clusters, or pass a single column."
        )
    return values.astype(np.int64, copy=False)


@metric_docs
def agreement_matrix(label_matrix: Any, *, score: str = "nmi") -> Float64:
    """Pairwise agreement of base clusterings of the same rows.

    Parameters
    ----------
    {label_matrix, score}

    Returns
    -------
    agreement : ndarray of shape (n_base, n_base)
        Symmetric, with ones on the diagonal.

    Examples
    --------
    >>> from lsec.metrics import agreement_matrix
    >>> agreement_matrix([[0, 0, 1, 1], [5, 5, 2, 2], [0, 1, 0, 1]]).tolist()
    [[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    from scipy import sparse

    from lsec.consensus.micro_clusters import MicroClusters, cooccurrence

    checks.choice("score", score, tuple(SCORES))
    known = isinstance(label_matrix, MicroClusters)
    micro = label_matrix if known else MicroClusters.from_labels(label_matrix)
    shared = cooccurrence(micro, micro.weights)
    out = np.ones((micro.n_base, micro.n_base))
    for i, first in enumerate(micro.spans):
        for j, second in enumerate(micro.spans[:i]):
            part = shared[first, second]
            table = (part.toarray() if sparse.issparse(part) else part).astype(np.int64)
            filled = table > 0
            same = filled.any() and filled.sum(axis=0).max() == filled.sum(axis=1).max() == 1
            out[i, j] = out[j, i] = 1.0 if same else SCORES[score](table)
    return out


@metric_docs
def coassociation(label_matrix: Any, rows: ArrayLike) -> Float32:
    """Co-association of chosen rows: how often base clusterings put two of them together.

    Parameters
    ----------
    {label_matrix}
    rows : array-like of int of shape (n_rows,)
        Positions of the rows, which may repeat.

    Returns
    -------
    shares : ndarray of shape (n_rows, n_rows), float32
        Share of the base clusterings, among those in which both rows have a label, that have the
        two rows in the same cluster. Symmetric, with ones on the diagonal.

    Examples
    --------
    >>> from lsec.metrics import coassociation
    >>> coassociation([[0, 0, 1, 1], [5, 5, 5, 2]], [0, 1, 2]).tolist()
    [[1.0, 1.0, 0.5], [1.0, 1.0, 0.5], [0.5, 0.5, 1.0]]
    """
    from lsec.consensus.co_association import CoAssociation
    from lsec.consensus.micro_clusters import MicroClusters

    known = isinstance(label_matrix, MicroClusters)
    micro = label_matrix if known else MicroClusters.from_labels(label_matrix)
    chosen, n = np.asarray(rows), len(micro.of_row)
    valid = chosen.ndim == 1 and chosen.size and chosen.dtype.kind in "iu"
    if not valid or chosen.min() < 0 or chosen.max() >= n:
        raise ValueError(
            f"rows must be positions from 0 to {n - 1}; got {short(rows)}. Pass "
            f"numpy.flatnonzero of a mask."
        )
    labels = micro.labels[micro.of_row[chosen]]
    return CoAssociation(replace(micro, labels=labels)).similarities(labels)


@metric_docs
def diversity(label_matrix: Any, *, score: str = "nmi") -> float:
    """Diversity of base clusterings: 1 − their mean pairwise agreement.

    Parameters
    ----------
    {label_matrix, score}

    Returns
    -------
    diversity : float
        0 if all base clusterings are the same, or there is only one.

    Examples
    --------
    >>> from lsec.metrics import diversity
    >>> diversity([[0, 0, 1, 1], [0, 1, 0, 1]])
    1.0
    """
    return diversity_of(agreement_matrix(label_matrix, score=score))


def diversity_of(agreement: Float64) -> float:
    """1 − mean pairwise agreement (m, m); 0 for a single base clustering."""
    m = len(agreement)
    return float(1 - (agreement.sum() - np.trace(agreement)) / (m * (m - 1))) if m > 1 else 0.0
