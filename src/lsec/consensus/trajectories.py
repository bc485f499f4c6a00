"""Probability trajectories: similar micro-clusters send random walks the same way.

A walk on the graph of elite neighbors has, after each of the first T steps, a
distribution over micro-clusters; the trajectory of a micro-cluster strings them together
and two micro-clusters are as similar as the cosine of their trajectories. Inner products
of trajectories are G = sum over t of P^t (P^t)'. No power of P is ever formed: walks
start from a few micro-clusters at a time, go T steps forward, and come back by Horner's
rule, which costs T products with a sparse matrix each way.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import reverse_cuthill_mckee

from lsec.consensus.co_association import ROWS_AT_ONCE, CoAssociation
from lsec.consensus.micro_clusters import MicroClusters
from lsec.execution.threads import Lent, Workers
from lsec.kernels.agreement import keep_largest
from lsec.kernels.trajectories import (
    LANES,
    REACHED,
    begin_walks,
    walk_back,
    walk_forward,
    walk_lengths,
)

MOST_STEPS = 20
# Walks do not go on where they are less likely than this. On the elite neighbors of MNIST,
# Covertype and TB-1M with fifty members squared lengths then change by less than 1e-6 of
# themselves; rounding alone changes them by up to 5e-7.
FAINT = 1e-8
ISOLATED = 1e-20  # similarity of a micro-cluster without neighbors to anything


def walk_length(n_micro: int) -> int:
    """Number of elite neighbors, and of steps: half the root of n', at most 20."""
    return max(1, min(MOST_STEPS, int(np.sqrt(n_micro) / 2)))


def elite_neighbors(micro: MicroClusters, rank: int, workers: Workers) -> sparse.csr_matrix:
    """Similarities of micro-clusters one of which is among the best `rank` of the other.

    All that tie for the last place are kept. Symmetric float32 CSR (n', n'), zero diagonal.
    """
    association = CoAssociation(micro)
    rank = min(rank, len(micro))

    def best_of(low: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        part = association.similarities(micro.labels[low : low + ROWS_AT_ONCE])
        own = np.arange(len(part))
        part[own, low + own] = 0
        return keep_largest(part, rank)

    best = workers.map(best_of, range(0, len(micro), ROWS_AT_ONCE))
    counts, columns, values = (np.concatenate(parts) for parts in zip(*best, strict=True))
    pointers = np.concatenate([[0], np.cumsum(counts)])
    graph = sparse.csr_matrix((values, columns, pointers), shape=(len(micro), len(micro)))
    return graph.maximum(graph.T)


class Walks:
    """Random walks on a symmetric graph W, towards micro-clusters by their size.

    The transition matrix is P = R^-1 W N with N the sizes and R the sums of W N. With
    F^2 = R N and S = F^-1 (N W N) F^-1, which is symmetric, P^t = F^-1 S^t F; so G is
    F^-1 (sum over t of S^t F^2 S^t) F^-1 and a step is one product with S.

    Parameters
    ----------
    graph : float32 CSR (n', n')
        Symmetric, zero diagonal.
    sizes : float64 (n',)
    n_steps : int
    """

    def __init__(self, graph: sparse.csr_matrix, sizes: np.ndarray, n_steps: int):
        # Neighbors get numbers close to each other: a step finds them in the cache.
        self._order = reverse_cuthill_mckee(graph, symmetric_mode=True)
        graph = graph[self._order][:, self._order].astype(np.float64)
        sizes = sizes[self._order] / sizes.mean()  # P does not change, tiny numbers do
        reach = graph @ sizes
        self._isolated = reach == 0
        root = np.sqrt(sizes / np.where(self._isolated, np.inf, reach))
        step = sparse.csr_matrix(sparse.diags_array(root) @ graph @ sparse.diags_array(root))
        step.sort_indices()
        self._pointers = step.indptr.astype(np.int64)
        self._neighbors = step.indices.astype(np.uint32)
        self._weights = step.data.astype(np.float32)
        self._volume = (sizes * reach).astype(np.float32)
        positive = np.where(self._isolated, np.inf, sizes * reach)
        self._inverse_root_volume = (1 / np.sqrt(positive)).astype(np.float32)
        self._n_steps = n_steps
        self._scratch: Lent[np.ndarray] = Lent(
            lambda: np.empty((n_steps, len(sizes), LANES), np.float32)
        )

    @classmethod
    def on(cls, micro: MicroClusters, workers: Workers) -> Walks:
        """Walks on the elite neighbors of micro-clusters."""
        length = walk_length(len(micro))
        return cls(elite_neighbors(micro, length, workers), micro.weights, length)

    def similarities(self, workers: Workers) -> np.ndarray:
        """Cosine of every two trajectories, float32 (n', n'), symmetric up to rounding."""
        n = len(self._order)
        place = np.argsort(self._order)
        out = np.empty((n, n), np.float32)

        def fill(low: int) -> None:
            columns = self._products(*self._units(low)).T[: n - low]
            out[self._order[low : low + LANES]] = columns[:, place]

        workers.map(fill, range(0, n, LANES))
        inverse = self._inverse_lengths(np.diagonal(out)[self._order])[place]
        isolated = self._isolated[place]

        def scale(low: int) -> None:
            part = out[low : low + ROWS_AT_ONCE]
            part *= inverse
            part *= inverse[low : low + ROWS_AT_ONCE, None]
            part[isolated[low : low + ROWS_AT_ONCE]] = ISOLATED
            part[:, isolated] = ISOLATED

        workers.map(scale, range(0, n, ROWS_AT_ONCE))
        np.fill_diagonal(out, 1)
        return out

    def similarity_times(self, columns: np.ndarray, workers: Workers) -> np.ndarray:
        """Cosines of trajectories times columns float32 (n', c), without the matrix of cosines."""
        n, c = columns.shape
        columns = columns[self._order]
        inverse = self._inverse_lengths(self._squared_lengths(workers))[:, None]

        def times(low: int) -> np.ndarray:
            some = np.zeros((n, LANES), np.float32)
            width = min(LANES, c - low)
            some[:, :width] = columns[:, low : low + width] * inverse
            everywhere = np.full(n, REACHED)
            return (self._products(some, everywhere) * inverse)[:, :width]

        found = np.concatenate(workers.map(times, range(0, c, LANES)), axis=1)
        found += ISOLATED * columns[self._isolated].sum(axis=0)
        found[self._isolated] = ISOLATED * columns.sum(axis=0) + columns[self._isolated]
        out = np.empty_like(found)
        out[self._order] = found
        return out

    def _products(self, start: np.ndarray, state: np.ndarray) -> np.ndarray:
        """G start, float32 (n', LANES), with the state uint8 (n',) of walks that begin there."""
        graph = self._pointers, self._neighbors, self._weights
        start = start * self._inverse_root_volume[:, None]
        out = np.empty_like(start)
        with self._scratch.one() as path:
            walk_forward(*graph, self._volume, start, FAINT, state, path)
            walk_back(*graph, self._volume, path, out)
        return out * self._inverse_root_volume[:, None]

    def _squared_lengths(self, workers: Workers) -> np.ndarray:
        """Diagonal of G, float64 (n',)."""
        graph = self._pointers, self._neighbors, self._weights
        n = len(self._order)
        pairs = Lent(lambda: np.zeros((2, n, LANES), np.float32))

        def lengths(low: int) -> np.ndarray:
            out = np.empty(LANES)
            high = min(n, low + LANES)
            with pairs.one() as pair:
                walk_lengths(*graph, self._volume, low, high, FAINT, self._n_steps, pair, out)
            return out

        return np.concatenate(workers.map(lengths, range(0, n, LANES)))[:n]

    def _inverse_lengths(self, squared: np.ndarray) -> np.ndarray:
        positive = np.where(self._isolated, np.inf, np.maximum(squared, 1e-300))
        return (1 / np.sqrt(positive)).astype(np.float32)

    def _units(self, low: int) -> tuple[np.ndarray, np.ndarray]:
        """Unit vectors of some micro-clusters, float32 (n', LANES), and the state of walks."""
        n = len(self._order)
        high = min(n, low + LANES)
        start = np.zeros((n, LANES), np.float32)
        start[np.arange(low, high), np.arange(high - low)] = 1
        state = np.empty(n, np.uint8)
        begin_walks(self._pointers, self._neighbors, low, high, state)
        return start, state
