"""Probability trajectories: micro-clusters are similar if random walks from them spread alike.

A random walk on the graph of elite neighbors has a distribution over micro-clusters after each
of its T steps. These distributions, one after the other, are the trajectory of the
micro-cluster where the walk starts; the similarity of two micro-clusters is the cosine of their
trajectories, whose inner products are G = sum over t of P^t (P^t)'. No power of P is formed:
walks start from a few micro-clusters at a time, go T steps forward, and return by Horner's
rule, with T products with a sparse matrix each way. See `PTA` for the paper.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import reverse_cuthill_mckee

from lsec.consensus.co_association import ROWS_AT_ONCE, CoAssociation
from lsec.consensus.methods import Map, Tasks
from lsec.consensus.micro_clusters import MicroClusters
from lsec.kernels.co_association import keep_largest
from lsec.kernels.trajectories import (
    LANES,
    REACHED,
    begin_walks,
    walk_back,
    walk_forward,
    walk_lengths,
)
from lsec.typing import AnyArray, Float32, Float64, Int32, Int64

MAX_STEPS = 20
# Walks do not continue from a micro-cluster with a lower probability. On the elite neighbors of
# MNIST, Covertype and TB-1M with fifty members, relative changes of squared lengths are then
# below 1e-6; rounding alone changes them by up to 5e-7.
MIN_PROBABILITY = 1e-8
ISOLATED_SIMILARITY = 1e-20  # of a micro-cluster without neighbors to any other


def walk_length(n_micro: int) -> int:
    """Number of elite neighbors K, and of steps T: half the root of n', at most 20."""
    return max(1, min(MAX_STEPS, int(np.sqrt(n_micro) / 2)))


def walks_bytes(n_micro: int, n_threads: int) -> int:
    """Paths of the walks that all threads hold, float32 (T, n', LANES) each."""
    return 4 * n_threads * (walk_length(n_micro) + 2) * n_micro * LANES


def elite_neighbors(micro: MicroClusters, rank: int, map: Map) -> sparse.csr_matrix:
    """Co-association of micro-clusters if either is among the `rank` nearest of the other.

    All neighbors that tie with the last one are kept. Symmetric float32 CSR (n', n') with a
    zero diagonal.
    """
    association = CoAssociation(micro)
    rank = min(rank, len(micro))

    def nearest(low: int) -> tuple[Int64, Int32, Float32]:
        part = association.similarities(micro.labels[low : low + ROWS_AT_ONCE])
        np.fill_diagonal(part[:, low:], 0)
        return keep_largest(part, rank)  # type: ignore[no-any-return]

    found = map(nearest, range(0, len(micro), ROWS_AT_ONCE))
    counts, columns, values = (np.concatenate(parts) for parts in zip(*found, strict=True))
    pointers = np.concatenate([[0], np.cumsum(counts)])
    graph = sparse.csr_matrix((values, columns, pointers), shape=(len(micro), len(micro)))
    return graph.maximum(graph.T)


class Walks:
    """Random walks on a symmetric graph W that prefer large micro-clusters.

    The transition matrix is P = R^-1 W N with N the sizes and R the row sums of W N. With
    F^2 = R N and S = F^-1 (N W N) F^-1, which is symmetric, P^t = F^-1 S^t F; G is
    F^-1 (sum over t of S^t F^2 S^t) F^-1 and a step is one product with S. The graph is float32
    CSR (n', n') with a zero diagonal, sizes are float64 (n',).
    """

    def __init__(self, graph: sparse.csr_matrix, sizes: Float64, n_steps: int, tasks: Tasks):
        # Neighbors get numbers close to each other: a step finds them in the cache.
        self._order = reverse_cuthill_mckee(graph, symmetric_mode=True)
        graph = graph[self._order][:, self._order].astype(np.float64)
        sizes = sizes[self._order] / sizes.mean()  # avoids tiny numbers, does not change P
        reach = graph @ sizes
        self._isolated = reach == 0
        root = np.sqrt(sizes / np.where(self._isolated, np.inf, reach))
        step = sparse.csr_matrix(sparse.diags_array(root) @ graph @ sparse.diags_array(root))
        step.sort_indices()
        pointers, neighbors = step.indptr.astype(np.int64), step.indices.astype(np.uint32)
        self._graph = pointers, neighbors, step.data.astype(np.float32)
        self._volume = (sizes * reach).astype(np.float32)
        self._inverse_root_volume = self._inverse_root(sizes * reach)
        self._n_steps = n_steps
        self._tasks = tasks
        self._paths = tasks.lend(lambda: np.empty((n_steps, len(sizes), LANES), np.float32))

    @classmethod
    def on(cls, micro: MicroClusters, tasks: Tasks) -> Walks:
        """Walks on the elite neighbors of micro-clusters."""
        length = walk_length(len(micro))
        return cls(elite_neighbors(micro, length, tasks.map), micro.weights, length, tasks)

    def similarities(self) -> Float32:
        """Cosine of every two trajectories, float32 (n', n'), symmetric up to rounding."""
        n = len(self._order)
        place = np.argsort(self._order)
        out = np.empty((n, n), np.float32)

        def fill(low: int) -> None:
            start, state = np.eye(n, LANES, -low, np.float32), np.empty(n, np.uint8)
            begin_walks(*self._graph[:2], low, min(n, low + LANES), state)
            columns = self._products(start, state).T[: n - low]
            out[self._order[low : low + LANES]] = columns[:, place]

        self._tasks.map(fill, range(0, n, LANES))
        inverse = self._inverse_root(np.diagonal(out)[self._order])[place]
        isolated = self._isolated[place]

        def scale(low: int) -> None:
            part = out[low : low + ROWS_AT_ONCE]
            part *= inverse
            part *= inverse[low : low + ROWS_AT_ONCE, None]
            part[isolated[low : low + ROWS_AT_ONCE]] = ISOLATED_SIMILARITY
            part[:, isolated] = ISOLATED_SIMILARITY

        self._tasks.map(scale, range(0, n, ROWS_AT_ONCE))
        np.fill_diagonal(out, 1)
        return out

    def similarity_times(self, columns: Float32) -> Float32:
        """Matrix of cosines (n', n') times columns (n', c), float32, without forming the matrix."""
        n, c = columns.shape
        columns = columns[self._order]
        inverse = self._inverse_root(self._squared_lengths())[:, None]

        def times(low: int) -> Float32:
            some = np.zeros((n, LANES), np.float32)
            width = min(LANES, c - low)
            some[:, :width] = columns[:, low : low + width] * inverse
            return (self._products(some, np.full(n, REACHED)) * inverse)[:, :width]

        found = np.concatenate(self._tasks.map(times, range(0, c, LANES)), axis=1)
        found += ISOLATED_SIMILARITY * columns[self._isolated].sum(axis=0)
        total = ISOLATED_SIMILARITY * columns.sum(axis=0)
        found[self._isolated] = total + columns[self._isolated]
        out = np.empty_like(found)
        out[self._order] = found
        return out

    def _products(self, start: Float32, state: AnyArray) -> Float32:
        """G start, float32 (n', LANES), for walks whose initial state is uint8 (n',)."""
        start = start * self._inverse_root_volume[:, None]
        out = np.empty_like(start)
        with self._paths.one() as path:
            walk_forward(*self._graph, self._volume, start, MIN_PROBABILITY, state, path)
            walk_back(*self._graph, self._volume, path, out)
        return out * self._inverse_root_volume[:, None]

    def _squared_lengths(self) -> Float64:
        """Diagonal of G, float64 (n',)."""
        n = len(self._order)
        pairs = self._tasks.lend(lambda: np.zeros((2, n, LANES), np.float32))

        def lengths(low: int) -> Float64:
            out = np.empty(LANES)
            span, limits = (low, min(n, low + LANES)), (MIN_PROBABILITY, self._n_steps)
            with pairs.one() as pair:
                walk_lengths(*self._graph, self._volume, *span, *limits, pair, out)
            return out

        return np.concatenate(self._tasks.map(lengths, range(0, n, LANES)))[:n]

    def _inverse_root(self, values: AnyArray) -> Float32:
        """1 / the root of values (n',); zero for isolated micro-clusters."""
        positive = np.where(self._isolated, np.inf, np.maximum(values, 1e-300))
        return (1 / np.sqrt(positive)).astype(np.float32)
