"""What every consensus function takes and returns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from lsec.consensus.micro_clusters import MicroClusters
from lsec.consensus.number_of_clusters import Evidence
from lsec.execution.threads import Workers

LabelRows = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Joined:
    """A consensus of micro-clusters.

    Attributes
    ----------
    labels : int32 (n',)
        Cluster of every micro-cluster, in any numbering.
    evidence : Evidence, optional
        For the number of clusters.
    predict : callable, optional
        Clusters int32 (n,) of label rows (n, m), for functions that have a rule for rows
        they have not seen; it agrees with `labels` on the micro-clusters.
    """

    labels: np.ndarray
    evidence: Evidence | None = None
    predict: LabelRows | None = None


@dataclass(frozen=True)
class Run:
    """What a run of a consensus function has at hand: randomness and threads."""

    rng: np.random.Generator
    workers: Workers


class ConsensusMethod(Protocol):
    """A consensus function with its options; one class per file."""

    chooses_k: ClassVar[bool]
    """Whether the function finds the number of clusters where it is not given."""

    def join(self, micro: MicroClusters, n_clusters: int | None, run: Run) -> Joined:
        """Join base clusterings.

        Parameters
        ----------
        micro : MicroClusters
            At least two.
        n_clusters : int or None
            At most the number of micro-clusters; None to choose it.
        """
