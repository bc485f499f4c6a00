"""Co-association: how much micro-clusters have in common, over all base clusterings.

Two rows are as similar as the mean, over the base clusterings in which both have a
label, of the value of the base cluster they share (zero where they share none). With a
value of one for every base cluster that is the share of clusterings that put them
together (evidence accumulation).
"""

from __future__ import annotations

import numpy as np

from lsec.consensus.micro_clusters import MicroClusters
from lsec.execution.memory import parse_bytes
from lsec.execution.threads import Workers
from lsec.kernels.agreement import shared_values

ROWS_AT_ONCE = 32  # their similarities to all micro-clusters stay in the cache
MOST_BITS = 30
APART = np.float32(2.0**-24)


class CoAssociation:
    """Similarities of label rows to micro-clusters, computed as they are needed.

    Parameters
    ----------
    micro : MicroClusters
    values : float64 (C,), optional
        Value of every base cluster, in [0, 1]; one by default.
    """

    def __init__(self, micro: MicroClusters, values: np.ndarray | None = None):
        self.micro = micro
        self._columns = np.ascontiguousarray(micro.labels.T)
        self._starts = np.concatenate([[0], np.cumsum(micro.n_labels)[:-1]])
        self._complete = bool(micro.takes_part.all())
        # Fixed point: whole units add up to the same sum in any order of the columns.
        if values is None:
            self._unit = 1.0
            self._values = np.ones(micro.n_base_clusters, np.min_scalar_type(micro.n_base))
        else:
            self._unit = float(2 ** (MOST_BITS - int(np.ceil(np.log2(micro.n_base)))))
            self._values = np.rint(values * self._unit).astype(np.int32)

    def similarities(self, labels: np.ndarray) -> np.ndarray:
        """Similarity of label rows (r, m) to all micro-clusters, float32 (r, n')."""
        out = np.empty((len(labels), len(self.micro)), np.float32)
        self._fill(labels, out)
        return out

    def distances(self, workers: Workers) -> np.ndarray:
        """One less the similarity of every two micro-clusters, float32 (n', n').

        Missing labels can make micro-clusters fully similar; they stay a little apart, so
        that rows with the same labels are always nearer to each other than to any others.
        """
        n = len(self.micro)
        out = np.empty((n, n), np.float32)

        def fill(low: int) -> None:
            part = out[low : low + ROWS_AT_ONCE]
            self._fill(self.micro.labels[low : low + ROWS_AT_ONCE], part)
            np.maximum(1 - part, APART, out=part)

        workers.map(fill, range(0, n, ROWS_AT_ONCE))
        np.fill_diagonal(out, 0)
        return out

    def _fill(self, labels: np.ndarray, out: np.ndarray) -> None:
        shared_values(
            np.ascontiguousarray(labels),
            self._columns,
            self.micro.n_labels,
            self._complete,
            self._starts,
            self._values,
            self._unit,
            out,
        )


def require_memory(n_micro: int, memory_limit: int | float | str, method: str) -> None:
    """Refuse a matrix of all pairs of micro-clusters that exceeds the limit."""
    needed, limit = 4 * n_micro**2, parse_bytes(memory_limit)
    if needed > limit:
        raise ValueError(
            f"{method!r} compares every two of {n_micro:,} micro-clusters, which takes "
            f"{needed / 2**30:.3g} GiB; memory_limit is {limit / 2**30:.3g} GiB. Raise "
            f"memory_limit, use fewer or coarser base clusterings, or choose 'linkage', "
            f"'bipartite', 'lwgp', 'kcc' or 'sec', whose memory is linear."
        )
