"""The micro-cluster nearest to a label row."""

from __future__ import annotations

import numpy as np

from lsec.consensus.co_association import ROWS_AT_ONCE, CoAssociation
from lsec.consensus.micro_clusters import MicroClusters
from lsec.execution.distinct import Table, as_words


def nearest_micro_cluster(micro: MicroClusters, labels: np.ndarray) -> np.ndarray:
    """Micro-cluster int32 (n,) of distinct label rows (n, m).

    The one with the same labels; failing that, the one with which the row shares most
    base clusters, relative to the clusterings in which both have a label; the first of
    those that tie.
    """
    known = _position(micro, labels)
    unseen = np.flatnonzero(known < 0)
    association = CoAssociation(micro) if unseen.size else None
    for low in range(0, len(unseen), ROWS_AT_ONCE):
        some = unseen[low : low + ROWS_AT_ONCE]
        assert association is not None
        known[some] = association.similarities(labels[some]).argmax(axis=1)
    return known


def _position(micro: MicroClusters, labels: np.ndarray) -> np.ndarray:
    """Micro-cluster with exactly these labels, or -1; int32 (n,)."""
    dtype = np.promote_types(micro.labels.dtype, np.min_scalar_type(int(micro.n_labels.max())))
    both = np.concatenate([micro.labels, np.minimum(labels, micro.n_labels)]).astype(dtype)
    words = as_words(both)
    # Micro-clusters come first and differ: they keep their numbers.
    found = Table(words.shape[1]).add(words, 0)[len(micro) :]
    return np.where(found < len(micro), found, -1).astype(np.int32)
