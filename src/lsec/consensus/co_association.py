"""Co-association: similarity of micro-clusters over all base clusterings.

The similarity of two rows is the mean value of the base clusters they share, over the base
clusterings in which both have a label; a clustering that separates them counts as zero. With
all values equal to one it is the share of clusterings that put both rows in the same cluster
(evidence accumulation); LWEA uses the ensemble-driven index as value.
"""

from __future__ import annotations

import numpy as np

from lsec.consensus.methods import Map
from lsec.consensus.micro_clusters import MicroClusters
from lsec.kernels.co_association import shared_values
from lsec.typing import AnyArray, Float32, Float64, Int32

ROWS_AT_ONCE = 32  # their similarities to all micro-clusters stay in the cache
VALUE_BITS = 30
MIN_DISTANCE = np.float32(2.0**-24)


class CoAssociation:
    """Similarities of label rows to micro-clusters, computed on demand.

    `values` float64 (C,) are those of the base clusters, in [0, 1]; one by default.
    """

    def __init__(self, micro: MicroClusters, values: Float64 | None = None):
        self.micro = micro
        unit, units = 1.0, np.ones(micro.n_base_clusters, np.min_scalar_type(micro.n_base))
        if values is not None:
            # Fixed point: sums do not depend on the order of the columns.
            unit = float(2 ** (VALUE_BITS - int(np.ceil(np.log2(micro.n_base)))))
            units = np.rint(values * unit).astype(np.int32)
        columns = np.ascontiguousarray(micro.labels.T)
        starts = np.cumsum(micro.n_labels) - micro.n_labels
        complete = bool(micro.takes_part.all())
        self._inputs = columns, micro.n_labels, complete, starts, units, unit

    def similarities(self, labels: AnyArray) -> Float32:
        """Similarity of label rows (r, m) to all micro-clusters, float32 (r, n')."""
        out = np.empty((len(labels), len(self.micro)), np.float32)
        self._fill(labels, out)
        return out

    def distances(self, map: Map) -> Float32:
        """1 − similarity of every two micro-clusters, float32 (n', n').

        A minimum distance keeps rows with equal labels nearer to each other than to those that
        differ by missing labels only.
        """
        n = len(self.micro)
        out = np.empty((n, n), np.float32)

        def fill(low: int) -> None:
            part = out[low : low + ROWS_AT_ONCE]
            self._fill(self.micro.labels[low : low + ROWS_AT_ONCE], part)
            np.maximum(1 - part, MIN_DISTANCE, out=part)

        map(fill, range(0, n, ROWS_AT_ONCE))
        np.fill_diagonal(out, 0)
        return out

    def _fill(self, labels: AnyArray, out: Float32) -> None:
        shared_values(np.ascontiguousarray(labels), *self._inputs, out)


def nearest_micro_cluster(
    micro: MicroClusters, labels: AnyArray, among: tuple[Int32, Int32] | None = None
) -> Int32:
    """Micro-cluster int32 (n,) nearest to each distinct label row (n, m).

    The one with the same labels; failing that, the one with the largest co-association, the
    first of those that tie. With `among`, clusters (n,) of the label rows and (n',) of the
    micro-clusters, the nearest in the same cluster.
    """
    nearest = micro.find(labels)
    unseen = np.flatnonzero(nearest < 0)
    if unseen.size:
        association = CoAssociation(micro)
        for low in range(0, len(unseen), ROWS_AT_ONCE):
            some = unseen[low : low + ROWS_AT_ONCE]
            similarities = association.similarities(labels[some])
            if among is not None:
                similarities[among[0][some, None] != among[1]] = -1
            nearest[some] = similarities.argmax(axis=1)
    return nearest
