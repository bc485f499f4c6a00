"""Consensus functions, one file each, and the protocol they share.

A function joins `MicroClusters` into clusters: it takes a number of clusters (or chooses it) and
a `Tasks`, and returns `Joined`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, TypeAlias

import numpy as np

from lsec.consensus.micro_clusters import MicroClusters
from lsec.consensus.number_of_clusters import Evidence
from lsec.spectral.kmeans import MakePoints, MappedRows
from lsec.typing import AnyArray, Int32

Map: TypeAlias = Callable[[Callable[[Any], Any], Iterable[Any]], list[Any]]
Lend: TypeAlias = Callable[[Callable[[], Any]], "Pool"]


@dataclass(frozen=True)
class Joined:
    """A consensus of micro-clusters.

    Functions with a rule for unseen rows return it as `predict`: clusters int32 (n,) of label
    rows (n, m), the same as `labels` for micro-clusters.
    """

    labels: Int32  # (n',), cluster of every micro-cluster, in any numbering
    evidence: Evidence | None = None  # for the number of clusters
    predict: Callable[[AnyArray], Int32] | None = None


class Pool(Protocol):
    """States that are lent to one task at a time."""

    @property
    def states(self) -> Sequence[Any]:
        """All states made so far."""

    def one(self) -> AbstractContextManager[Any]:
        """A state that no other task holds meanwhile."""


@dataclass(frozen=True)
class Tasks:
    """Randomness of a consensus function, and how it runs tasks (without effect on results)."""

    rng: np.random.Generator
    map: Map  # results of independent tasks in their order, possibly from several threads
    lend: Lend  # a pool that makes a further state when all others are lent
    n_threads: int = 1  # that run tasks: bounds the states
    points: MakePoints = MappedRows  # points (n, d) that k-means can cluster


class ConsensusMethod(Protocol):
    """A consensus function with its options: a frozen dataclass."""

    chooses_k: ClassVar[bool]
    """Whether the function can choose the number of clusters."""

    def n_bytes(self, micro: MicroClusters, n_clusters: int, n_threads: int) -> int:
        """Estimate of the memory that `join` takes, for at most `n_clusters`."""

    def join(self, micro: MicroClusters, n_clusters: int | None, tasks: Tasks) -> Joined:
        """Join at least two micro-clusters into at most as many clusters; None chooses how many."""
