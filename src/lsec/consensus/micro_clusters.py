"""Micro-clusters: the distinct rows of a label matrix, with weights; sums over them.

Rows with equal base labels are indistinguishable to every consensus function, so that
consensus on weighted micro-clusters equals consensus on all rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from reprlib import repr as short
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from lsec.consensus.label_matrix import LabelMatrix
from lsec.execution.distinct import LabelCounter, Table, as_words
from lsec.execution.threads import Workers, thread_count
from lsec.kernels.prototypes import count_moves, sum_rows
from lsec.output.labels import MemorySpool
from lsec.typing import AnyArray, Bool, Float64, Int32, Int64

MAX_DENSE = 5000  # base clusters; eigenvectors of a dense matrix cost the cube of their number

BaseClusterMatrix: TypeAlias = Any
"""A symmetric matrix (C, C) of base clusters: float64 ndarray, or CSR with sorted columns."""


@dataclass(frozen=True, eq=False, repr=False)
class MicroClusters:
    """Distinct label rows in the order of their first occurrence.

    That order depends neither on label names nor on the order of the columns.

    Attributes
    ----------
    labels : unsigned (n', m)
        Column j holds 0 .. n_labels[j] - 1, or n_labels[j] where the label is missing.
    weights : float64 (n',)
        Number of rows with these labels.
    of_row : int32 (n,)
        Micro-cluster of every row; empty if it was not stored.
    n_labels : int64 (m,)
        Number of labels of each base clustering; some may not occur.
    names : list of ndarray, or None
        Original label of each number, per column; None where numbers are their own names.
    members : int64 (m,), or None
        Base clustering of every column, if some stand in several; None if none does.

    Examples
    --------
    >>> from lsec import MicroClusters
    >>> micro = MicroClusters.from_labels([[7, 7, 7, 2], [0, 0, 1, -1]])
    >>> len(micro), micro.weights.tolist(), micro.of_row.tolist()
    (3, [2.0, 1.0, 1.0], [0, 0, 1, 2])
    """

    labels: AnyArray
    weights: Float64
    of_row: Int32
    n_labels: Int64
    names: list[AnyArray] | None = None
    members: Int64 | None = None

    @classmethod
    def from_labels(cls, label_matrix: Any, *, n_jobs: int | None = None) -> MicroClusters:
        """Micro-clusters of base labels in any form.

        Parameters
        ----------
        label_matrix : array-like of shape (n, m), data frame, list or dict of m label vectors
            Integers of any type and range, text or categories. Negative, NaN or None: the row
            takes no part in that base clustering. Memory maps are read block by block.
        n_jobs : int or None, default=None
            Threads; None and -1 use all cores.
        """
        matrix = LabelMatrix(label_matrix)
        counter = LabelCounter(matrix.shape[1], matrix.dtype, MemorySpool(matrix.shape[0]))
        with Workers(thread_count(n_jobs)) as workers:
            workers.map(lambda rows: counter.add(rows, matrix.codes(rows)), matrix.spans())
        rows = counter.finish()
        labels, names = _number(rows.labels, matrix.missing if matrix.has_missing else None)
        n_labels = np.array([len(name) for name in names])
        for column, texts in matrix.texts.items():
            names[column] = texts[names[column].astype(np.intp)]
        micro = cls(labels, rows.weights, rows.of_row(), n_labels, names)
        unlabeled = np.flatnonzero(~micro.takes_part.any(axis=1))
        if unlabeled.size:
            row = int(np.flatnonzero(micro.of_row == unlabeled[0])[0])
            raise ValueError(
                f"Row {row} has no label in any base clustering. Remove such rows; there are "
                f"{int(micro.weights[unlabeled].sum())}."
            )
        return micro

    def weighted(self, member_weights: ArrayLike) -> MicroClusters:
        """The same with a weight for each base clustering, int (m,): as many columns have it."""
        given = np.asarray(member_weights)
        valid = given.shape == (self.n_base,) and given.dtype.kind in "iu" and given.min() > 0
        if not valid or self.members is not None:
            raise ValueError(
                f"member_weights must be positive integers, one for each of the {self.n_base} base "
                f"clusterings; got {short(member_weights)}. Scale and round others."
            )
        members = np.repeat(np.arange(self.n_base), given)
        names = None if self.names is None else [self.names[j] for j in members]
        labels = np.ascontiguousarray(self.labels[:, members])
        n_labels = self.n_labels[members]
        return replace(self, labels=labels, n_labels=n_labels, names=names, members=members)

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        n_rows = int(self.weights.sum())
        return f"MicroClusters(n_micro_clusters={len(self)}, n_rows={n_rows}, n_base={self.n_base})"

    @property
    def n_base(self) -> int:
        """Number of base clusterings, m."""
        return int(self.labels.shape[1])

    @property
    def n_base_clusters(self) -> int:
        """Number of base clusters in all base clusterings, C."""
        return int(self.n_labels.sum())

    def some(self, which: Int64, weights: Float64) -> MicroClusters:
        """The micro-clusters at some positions (n',), with other weights and without rows."""
        rows = np.empty(0, np.int32)
        return MicroClusters(self.labels[which], weights, rows, self.n_labels, self.names)

    def drawn(self, size: int, rng: np.random.Generator) -> tuple[Int64, MicroClusters]:
        """Positions of micro-clusters drawn by weight, and these, weighing how often they were."""
        draws = rng.choice(len(self), size, p=self.weights / self.weights.sum())
        which, times = np.unique(draws, return_counts=True)
        return which, self.some(which, times.astype(np.float64))

    @cached_property
    def spans(self) -> list[slice]:
        """Numbers of the base clusters of each base clustering."""
        ends = np.concatenate([[0], np.cumsum(self.n_labels)])
        return [slice(low, high) for low, high in pairwise(ends)]

    @cached_property
    def clustering_of(self) -> Int64:
        """Base clustering of each base cluster, int64 (C,)."""
        return np.repeat(np.arange(self.n_base), self.n_labels)

    @cached_property
    def takes_part(self) -> Bool:
        """Whether the micro-cluster has a label in the base clustering, bool (n', m)."""
        present: Bool = self.labels < self.n_labels
        return present

    @cached_property
    def base_clusters(self) -> Int32:
        """Base cluster in each base clustering, int32 (n', m); C for a missing label."""
        return number_base_clusters(self.labels, self.n_labels)

    @cached_property
    def indicator(self) -> sparse.csr_matrix:
        """Membership in the base clusters, 0/1, float64 CSR (n', C)."""
        present, shape = self.takes_part, (len(self), self.n_base_clusters)
        pointers = np.concatenate([[0], np.cumsum(present.sum(axis=1))])
        columns = self.base_clusters[present]
        return sparse.csr_matrix((np.ones(len(columns)), columns, pointers), shape=shape)

    @cached_property
    def sizes(self) -> Float64:
        """Number of rows in each base cluster, float64 (C,)."""
        sizes: Float64 = self.indicator.T @ self.weights
        return sizes

    def translate(self, other: MicroClusters) -> Int64:
        """Labels (n, m) of other micro-clusters, renumbered as in these.

        Labels that do not occur in these count as missing.
        """
        columns = np.arange(self.n_base) if self.members is None else self.members
        if other.n_base != columns[-1] + 1:
            raise ValueError(
                f"The label matrix has {other.n_base} columns, the consensus was made from "
                f"{columns[-1] + 1}. Pass the same base clusterings in the same order."
            )
        out = np.empty((len(other), self.n_base), np.int64)
        for j, column in enumerate(columns.tolist()):
            known, names = self._names(j), other._names(column)
            if (known.dtype == object) != (names.dtype == object) and len(names):
                new, old = ("text", "numbers") if names.dtype == object else ("numbers", "text")
                raise ValueError(
                    f"Base clustering {column} has {new} as labels here, and had {old} before."
                )
            ascending = np.argsort(known)
            place = np.searchsorted(known, names, sorter=ascending)
            same = place < len(known)
            place[same] = ascending[place[same]]
            same[same] = known[place[same]] == names[same]
            number = np.append(np.where(same, place, len(known)), len(known))
            out[:, j] = number[other.labels[:, column]]
        return out

    def find(self, labels: AnyArray) -> Int32:
        """Micro-cluster int32 (n,) with exactly the labels of each distinct row (n, m), or -1."""
        dtype = np.promote_types(self.labels.dtype, np.min_scalar_type(int(self.n_labels.max())))
        both = np.concatenate([self.labels, np.minimum(labels, self.n_labels)]).astype(dtype)
        words = as_words(both)
        # Micro-clusters come first and are distinct: their numbers in the table are their own.
        found = Table(words.shape[1]).add(words, 0)[len(self) :]
        return np.where(found < len(self), found, -1).astype(np.int32)

    def _names(self, column: int) -> AnyArray:
        """Original label of each number of a column."""
        return np.arange(self.n_labels[column]) if self.names is None else self.names[column]


def number_base_clusters(labels: AnyArray, n_labels: Int64) -> Int32:
    """Number all base clusters from 0 to C - 1, int32 (n, m); C for a missing label."""
    starts = np.concatenate([[0], np.cumsum(n_labels)])
    numbers = labels.astype(np.int32) + starts[:-1].astype(np.int32)
    return np.where(labels < n_labels, numbers, np.int32(starts[-1]))


def with_missing(table: Float64) -> Float64:
    """A table (C, c) of the base clusters, with a last row of zeros for missing labels."""
    return np.concatenate([table, np.zeros((1, table.shape[1]))])


def sum_over_labels(table: Float64, base_clusters: Int32) -> Float64:
    """Sum of the table rows (C + 1, c) of the base clusters (n, m) of each label row, (n, c)."""
    total = np.empty((len(base_clusters), table.shape[1]))
    sum_rows(base_clusters, np.ascontiguousarray(table, np.float64), total)
    return total


def _number(keys: AnyArray, missing: int | None) -> tuple[AnyArray, list[AnyArray]]:
    """Number the labels of every column by first occurrence, the missing one last; also names."""
    columns, names = [], []
    for column in keys.T:
        distinct, first, numbers = np.unique(column, return_index=True, return_inverse=True)
        known = distinct != missing
        order = np.argsort(np.where(known, first, len(column)))
        columns.append(np.argsort(order)[numbers])
        names.append(distinct[order[: known.sum()]])
    dtype = np.min_scalar_type(max(len(name) for name in names))
    return np.stack(columns, axis=1).astype(dtype), names


# Sums over micro-clusters, by base cluster


def cooccurrence(micro: MicroClusters, weights: Float64) -> BaseClusterMatrix:
    """Total of the weights (n',) of the micro-clusters in both of two base clusters, (C, C).

    Sparse if there are more than `MAX_DENSE` base clusters. Whole numbers add up exactly, below
    2^53.
    """
    if micro.n_base_clusters <= MAX_DENSE:
        return _contingency_tables(micro, weights)
    z = micro.indicator  # empty cells of Z' diag(weights) Z take neither time nor memory
    product = sparse.csr_matrix(z.T @ sparse.diags_array(weights) @ z)
    product.eliminate_zeros()
    product.sort_indices()
    return product


def cluster_counts(micro: MicroClusters, labels: Int32, n_clusters: int) -> Float64:
    """Number of rows in each base cluster and consensus cluster, float64 (C, k).

    Micro-clusters with a negative label are left out.
    """
    counts = np.zeros((micro.n_base_clusters + 1, n_clusters))
    before = np.full(len(micro), -1, np.int32)
    count_moves(micro.base_clusters, micro.weights, before, labels.astype(np.int32), counts)
    return counts[:-1]


def base_cluster_affinity(micro: MicroClusters, values: Float64) -> BaseClusterMatrix:
    """Affinity B' D^-1 B (C, C) of the base clusters, with B = Z diag(values) and Z the indicator.

    1 / D is rounded to multiples of a power of two, one power for all rows of similar degree, so
    that sums over rows are exact: the same for weighted micro-clusters and for all rows.
    """
    degree = micro.indicator @ values
    mantissa, exponent = np.frexp(1 / degree)
    bits = 52 - int(np.ceil(np.log2(micro.weights.sum())))
    units = micro.weights * np.rint(np.ldexp(mantissa, bits))
    total = sum(
        cooccurrence(micro, np.where(exponent == power, units, 0)) * np.ldexp(1.0, power - bits)
        for power in np.unique(exponent)
    )
    if sparse.issparse(total):
        return sparse.diags_array(values) @ total @ sparse.diags_array(values)
    return total * values[:, None] * values


def cluster_entropy(micro: MicroClusters) -> Float64:
    """Mean entropy (base 2) of the labels that base clusterings give to each base cluster (C,).

    The mean is over all base clusterings; in each, rows without a label are left out.
    """
    shared = sparse.coo_matrix(cooccurrence(micro, micro.weights))
    # Rows of each base cluster that have a label in each base clustering.
    cells = shared.row.astype(np.int64) * micro.n_base + micro.clustering_of[shared.col]
    present = np.bincount(cells, shared.data, micro.n_base_clusters * micro.n_base)
    share = shared.data / present[cells]
    entropy = np.bincount(shared.row, -share * np.log2(share), micro.n_base_clusters)
    return np.maximum(entropy, 0) / micro.n_base


def ensemble_driven_index(micro: MicroClusters, theta: float) -> Float64:
    """Ensemble-driven cluster index exp(-H / theta) of every base cluster, float64 (C,), in (0, 1].

    H is the `cluster_entropy`, 0 for clusters that no base clustering divides. See `LWEA`.
    """
    return np.exp(-cluster_entropy(micro) / theta)


def _contingency_tables(micro: MicroClusters, weights: Float64) -> Float64:
    """A contingency table for every two base clusterings, each small enough for the cache."""
    counted = weights > 0
    columns, weights = np.ascontiguousarray(micro.labels[counted].T), weights[counted]
    out = np.empty((micro.n_base_clusters, micro.n_base_clusters))
    width = int(micro.n_labels.max()) + 1  # the last column: missing labels
    for i, first in enumerate(micro.spans):
        starts = columns[i].astype(np.intp) * width
        n_cells = (micro.n_labels[i] + 1) * width
        for j, second in enumerate(micro.spans[: i + 1]):
            cells = np.bincount(starts + columns[j], weights, n_cells).reshape(-1, width)
            out[first, second] = cells[: micro.n_labels[i], : micro.n_labels[j]]
            out[second, first] = out[first, second].T
    return out
