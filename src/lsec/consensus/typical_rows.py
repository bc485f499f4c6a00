"""Typical rows of clusters: those that the members agree on most."""

from __future__ import annotations

import numpy as np

from lsec.consensus.consensus import NOISE, Consensus
from lsec.typing import AnyArray, Int32, Int64


def typical_rows(consensus: Consensus, n_rows: int) -> list[Int64]:
    """Positions of at most `n_rows` rows of every cluster, the most typical first."""
    micro, labels = consensus.micro, consensus.labels_of_micro
    sure = consensus.micro_confidence
    rows = rows_in_order(micro.of_row, labels, sure, micro.weights, n_rows)
    clusters = labels[micro.of_row[rows]]
    borders = np.cumsum(np.bincount(clusters, minlength=consensus.n_clusters))[:-1]
    return np.split(rows[np.argsort(clusters, kind="stable")], borders)


def rows_in_order(
    of_row: Int32, labels: Int32, confidence: AnyArray, weights: AnyArray, n_rows: int
) -> Int64:
    """At most `n_rows` rows of every label, the most typical of all first; none of noise.

    The rows of micro-clusters (n',) with the highest confidence, the heaviest first; each gives one
    row, the first, before any gives a second. With the confidence negated, the least typical.
    """
    order = np.lexsort((-weights, -confidence, labels))
    order = order[(_turns(labels[order]) < n_rows) & (labels[order] != NOISE)]
    place = np.full(len(labels) + 1, -1)
    place[order] = np.arange(len(order))
    rows = np.flatnonzero(place[of_row] >= 0)
    rows = rows[np.argsort(place[of_row[rows]], kind="stable")]
    turn = _turns(place[of_row[rows]])
    rows, turn = rows[turn < n_rows], turn[turn < n_rows]
    micro = of_row[rows]
    rows = rows[np.lexsort((micro, -weights[micro], -confidence[micro], turn))]
    by_label = np.argsort(labels[of_row[rows]], kind="stable")
    early = _turns(labels[of_row[rows[by_label]]]) < n_rows
    return rows[np.sort(by_label[early])]


def _turns(values: AnyArray) -> Int64:
    """Number of equal values before each of some ascending ones."""
    return np.arange(len(values)) - np.searchsorted(values, values)
