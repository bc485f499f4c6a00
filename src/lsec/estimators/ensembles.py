"""Ensembles of independent members: U-SENC, and any generator with any consensus function."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from lsec import checks
from lsec.estimators.consensus import ConsensusEstimator, WeightedFit
from lsec.estimators.entries import estimator_docs

if TYPE_CHECKING:
    from lsec.spectral.ensemble import EnsemblePlan, SelectLandmarks
    from lsec.spectral.kmeans_ensemble import KMeansPlan

GENERATORS = ("kmeans", "dncsc", "uspec")
MEMBER_ITERATIONS = 5
ALPHA = 50


@dataclass(eq=False, repr=False)
class IndependentMembers(ConsensusEstimator):
    """An ensemble whose members share nothing: each selects landmarks, or rows, of its own."""

    n_clusters: int | str = 8
    _: KW_ONLY
    n_base: int = 20
    base_clusters: tuple[int, int] | str = (20, 60)
    n_neighbors: int = 5
    n_landmarks: int | str = 1000
    projection: int | str | None = "auto"
    metric: str = "euclidean"
    random_state: Any = None
    n_jobs: int | None = None
    device: str = "cpu"
    memory_limit: int | float | str | None = None
    verbose: int = 0

    generator = "uspec"

    def _check_parameters(self) -> None:
        super()._check_parameters()
        checks.integer("n_neighbors", self.n_neighbors, 1, checks.MOST_NEIGHBORS)

    def _plan(self, shape: tuple[int, int], rng: np.random.Generator) -> EnsemblePlan | KMeansPlan:
        from lsec.spectral.base_clustering import MemberPlan
        from lsec.spectral.ensemble import EnsemblePlan
        from lsec.spectral.kmeans_ensemble import KMeansPlan
        from lsec.spectral.landmarks import divide_and_conquer, hybrid_representatives

        low, high = self._member_bounds(shape[0])
        clusters = [int(c) for c in rng.integers(low, high + 1, self.n_base)]
        is_cosine = self.metric == "cosine"
        if self.generator == "kmeans":
            return KMeansPlan(clusters, is_cosine)
        p = self._landmarks_for(*shape)
        select: SelectLandmarks = partial(hybrid_representatives, n_landmarks=p)
        if self.generator == "dncsc":
            select = partial(divide_and_conquer, n_landmarks=p, alpha=ALPHA)
        sets = [[MemberPlan(self.n_neighbors, c, "k-means++", MEMBER_ITERATIONS)] for c in clusters]
        return EnsemblePlan(
            sets, p, select, self._kernel, self._projection, MEMBER_ITERATIONS, is_cosine
        )


@estimator_docs
@dataclass(kw_only=True, eq=False, repr=False)
class USENC(IndependentMembers):
    """Ultra-scalable ensemble clustering: independent U-SPEC runs, joined.

    Every member selects and searches representatives of its own; the consensus function is
    "bipartite". `EnsembleClustering(generator="uspec")` joins the same members by any other
    function.

    Parameters
    ----------
    n_clusters : int or "auto", default=8
        "auto" chooses by the largest eigengap of the consensus graph.
    {n_base, n_neighbors, n_landmarks, base_clusters, projection, metric, kernel}
    {random_state, n_jobs, device, memory_limit, verbose}

    Attributes
    ----------
    {labels_, n_clusters_, confidence_, probabilities_, agreement_, diversity_, evidence_}
    {micro_clusters_, tree_}
    {base_labels_, n_base_clusters_, n_micro_clusters_}
    {timings_, n_features_in_}
    landmarks_ : list of ndarray of shape (n_landmarks, n_features)
        The representatives of each member.
    eigenvalues_ : list of ndarray

    References
    ----------
    {Huang2020}

    Examples
    --------
    >>> from lsec import USENC, datasets
    >>> X, y = datasets.make_two_bananas(5000, random_state=0)
    >>> USENC(n_clusters=2, n_landmarks=200, random_state=0).fit(X).base_labels_.shape
    (5000, 20)
    """

    kernel: str = "gaussian"


@estimator_docs
@dataclass(kw_only=True, eq=False, repr=False)
class EnsembleClustering(WeightedFit, IndependentMembers):
    """Independent base clusterings, joined by a consensus function.

    With k-means as the generator, these are the ensembles on which the literature compares
    consensus functions. `LSEC` generates spectral members at a fraction of the cost.

    Parameters
    ----------
    {n_clusters}
    generator : {"kmeans", "dncsc", "uspec"}, default="kmeans"
        Method of the members: k-means on the rows (on a random sample of at most 500 rows per
        cluster, which differs from member to member), or the spectral clusterings of `DnCSC` or
        `USPEC`, which alone take `n_neighbors`, `n_landmarks` and `projection`.
    {n_base, base_clusters, consensus, consensus_options, noise, min_cluster_size}
    {n_neighbors, n_landmarks, projection, metric, random_state, n_jobs, device}
    {memory_limit, verbose}

    Attributes
    ----------
    {labels_, n_clusters_, confidence_, probabilities_, agreement_, diversity_, evidence_}
    {micro_clusters_, tree_}
    {base_labels_}
    landmarks_, eigenvalues_
        As for `LSEC`, with spectral generators.
    {n_base_clusters_, n_micro_clusters_, timings_, n_features_in_}

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
    _weights_need = ("generator", "kmeans")

    generator: str = "kmeans"
    consensus: str = "linkage"
    consensus_options: dict[str, Any] | None = None
    noise: float | tuple[str, float] | None = None
    min_cluster_size: int = 1

    def _check_parameters(self) -> None:
        super()._check_parameters()
        checks.choice("generator", self.generator, GENERATORS)

    @property
    def _advice(self) -> str:
        if self.generator != "kmeans":
            return super()._advice
        return f"raise n_base (now {self.n_base}) or base_clusters (now {self.base_clusters})"
