"""Typical rows of clusters: those that the members agree on most."""

from __future__ import annotations

import numpy as np

from lsec.consensus.consensus import NOISE, Consensus
from lsec.typing import Int64


def typical_rows(consensus: Consensus, n_rows: int) -> list[Int64]:
    """Positions of at most `n_rows` rows of every cluster, the most typical first.

    Micro-clusters are ordered by their confidence, then by their weight; each gives one row, the
    first, before any gives a second.
    """
    micro, labels = consensus.micro, consensus.labels_of_micro
    order = np.lexsort((-micro.weights, -consensus.micro_confidence, labels))
    start = np.searchsorted(labels[order], labels[order])  # of the cluster
    order = order[(np.arange(len(order)) - start < n_rows) & (labels[order] != NOISE)]
    place = np.full(len(micro) + 1, -1)
    place[order] = np.arange(len(order))
    rows = np.flatnonzero(place[micro.of_row] >= 0)
    places = place[micro.of_row[rows]]
    by_place = np.argsort(places, kind="stable")
    rows, places = rows[by_place], places[by_place]
    turn = np.arange(len(rows)) - np.searchsorted(places, places)
    early = turn < n_rows
    rows, places, turn = rows[early], places[early], turn[early]
    clusters = labels[order[places]]
    first = rows[np.lexsort((places, turn, clusters))]
    borders = np.cumsum(np.bincount(clusters, minlength=consensus.n_clusters))[:-1]
    return [part[:n_rows] for part in np.split(first, borders)]
