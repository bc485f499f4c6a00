"""Ensemble clustering with any generator and any consensus function."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from lsec import checks
from lsec.estimators.consensus import ConsensusEstimator

if TYPE_CHECKING:
    from lsec.spectral.ensemble import EnsemblePlan, SelectLandmarks
    from lsec.spectral.kmeans_ensemble import KMeansPlan

GENERATORS = ("kmeans", "dncsc", "uspec")
MEMBER_ITERATIONS = 5
ALPHA = 50


class EnsembleClustering(ConsensusEstimator):
    """Independent base clusterings, joined by a consensus function.

    With k-means as the generator, these are the ensembles on which the literature compares
    consensus functions. `LSEC` generates spectral members at a fraction of the cost.

    Parameters
    ----------
    n_clusters : int or "auto", default=8
        "auto" chooses by the consensus function: the largest eigengap ("bipartite", "lwgp",
        "ptgp") or the longest lifetime ("linkage", "eac", "lwea", "pta").
    generator : {"kmeans", "dncsc", "uspec"}, default="kmeans"
        Method of the members: k-means on the rows (on a random sample of at most 500 rows per
        cluster, which differs from member to member), or the spectral clusterings of `DnCSC` or
        `USPEC`.
    n_base : int, default=20
        Number of base clusterings (members).
    base_clusters : (int, int), default=(20, 60)
        Range from which every member draws its number of clusters uniformly, ends included.
        With fewer rows than the square of the upper end, the range shrinks to end at the
        square root of the number of rows.
    consensus : {"linkage", "bipartite", "eac", "lwea", "lwgp", "kcc", "sec", "pta", "ptgp"}, \
default="linkage"
        Consensus function; see `lsec.consensus`.
    consensus_options : dict or None, default=None
        Options of the consensus function, such as ``{"theta": 0.2}`` for "lwea".
    n_neighbors : int, default=5
        Nearest landmarks that each row is connected to (spectral generators), at most 100.
    n_landmarks : int, default=1000
        Landmarks of each member (spectral generators).
    random_state : int, RandomState instance or None, default=None
        The same seed gives the same labels, whatever the number of threads.
    n_jobs : int or None, default=None
        Threads; None and -1 use all cores.
    memory_limit : int, str or None, default=None
        Limit on the memory, in bytes or such as "2GiB": of the whole process if rows are read
        from files; if they are in memory, in addition to the rows and their labels. None takes
        a sixteenth of the free memory. A lower limit is slower, never different.
    verbose : int, default=0
        1 shows a progress bar per stage.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
    n_clusters_ : int
    confidence_ : ndarray of shape (n_samples,), float32
        Agreement of the members with each label, in [0, 1].
    agreement_ : ndarray of shape (n_base, n_base)
        Normalized mutual information of every two members.
    diversity_ : float
        1 - mean pairwise agreement of the members.
    evidence_ : Evidence or None
        Scores of the candidate numbers of clusters, with ``n_clusters="auto"``.
    micro_clusters_ : MicroClusters
        Distinct rows of base labels, with weights and the micro-cluster of each row.
    base_labels_ : ndarray of shape (n_samples, n_base), uint8 or uint16
    landmarks_, eigenvalues_
        As for `LSEC`, with spectral generators.
    n_base_clusters_ : ndarray of shape (n_base,)
        Clusters of each member.
    n_micro_clusters_ : int
        Distinct rows of `base_labels_`.
    timings_ : dict
        Seconds per stage.
    n_features_in_ : int

    Examples
    --------
    >>> from lsec import EnsembleClustering
    >>> from lsec.datasets import load_pendigits
    >>> X = load_pendigits().data
    >>> model = EnsembleClustering(10, consensus="lwgp", random_state=0).fit(X)
    >>> model.base_labels_.shape
    (10992, 20)
    """

    kernel = "gaussian"

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        generator: str = "kmeans",
        n_base: int = 20,
        base_clusters: tuple[int, int] = (20, 60),
        consensus: str = "linkage",
        consensus_options: dict[str, Any] | None = None,
        n_neighbors: int = 5,
        n_landmarks: int = 1000,
        random_state: Any = None,
        n_jobs: int | None = None,
        memory_limit: int | float | str | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.generator = generator
        self.n_base = n_base
        self.base_clusters = base_clusters
        self.consensus = consensus
        self.consensus_options = consensus_options
        self.n_neighbors = n_neighbors
        self.n_landmarks = n_landmarks
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory_limit = memory_limit
        self.verbose = verbose

    def _check_parameters(self) -> None:
        super()._check_parameters()
        checks.choice("generator", self.generator, GENERATORS)
        checks.integer("n_neighbors", self.n_neighbors, 1, checks.MOST_NEIGHBORS)

    @property
    def _advice(self) -> str:
        if self.generator != "kmeans":
            return super()._advice
        return f"raise n_base (now {self.n_base}) or base_clusters (now {self.base_clusters})"

    def _plan(self, n_rows: int, rng: np.random.Generator) -> EnsemblePlan | KMeansPlan:
        from lsec.spectral.base_clustering import MemberPlan
        from lsec.spectral.ensemble import EnsemblePlan
        from lsec.spectral.kmeans_ensemble import KMeansPlan
        from lsec.spectral.landmarks import divide_and_conquer, hybrid_representatives

        clusters = self._draw_clusters(n_rows, rng)
        if self.generator == "kmeans":
            return KMeansPlan(clusters)
        p = self._landmarks_for(n_rows)
        select: SelectLandmarks = partial(hybrid_representatives, n_landmarks=p)
        if self.generator == "dncsc":
            select = partial(divide_and_conquer, n_landmarks=p, alpha=ALPHA)
        sets = [[MemberPlan(self.n_neighbors, c, "k-means++", MEMBER_ITERATIONS)] for c in clusters]
        return EnsemblePlan(sets, p, select, self._kernel, MEMBER_ITERATIONS)
