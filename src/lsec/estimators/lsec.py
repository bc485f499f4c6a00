"""LSEC: large-scale spectral ensemble clustering."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from lsec import checks
from lsec.estimators.consensus import ConsensusEstimator, fit_bounds

if TYPE_CHECKING:
    from lsec.spectral.ensemble import EnsemblePlan

MEMBER_ITERATIONS = 10
REFINE_ITERATIONS = 5
MOST_VALUES = 16  # with MOST_LANDMARKS: cells of the Gram matrices fit 32 bits


class LSEC(ConsensusEstimator):
    """Large-scale spectral ensemble clustering.

    Generates many diverse spectral clusterings of the same rows at low cost (members that share
    landmarks differ in their numbers of neighbors and clusters; landmark sets differ in their
    random choices), and joins them by a consensus function. Time and memory are linear in the
    number of rows.

    Parameters
    ----------
    n_clusters : int or "auto", default=8
        "auto" chooses by the consensus function: the largest eigengap ("bipartite", "lwgp",
        "ptgp") or the longest lifetime ("linkage", "eac", "lwea", "pta").
    n_base : int, default=20
        Number of base clusterings (members).
    n_neighbors : int or ascending tuple of int, default=(2, 3, 4, 5, 6)
        Nearest landmarks that each row is connected to: at most 16 values up to 100, one per
        member of a landmark set. An incomplete last set uses the largest values.
    n_landmarks : int, default=1000
        Reduced to one for nine rows (or three times the square root of the number of rows, if
        that is more), and to the number of distinct rows.
    base_clusters : (int, int), default=(20, 60)
        Range from which every member draws its number of clusters uniformly, ends included.
        With fewer rows than the square of the upper end, the range shrinks to end at the
        square root of the number of rows.
    alpha : int, default=50
        Maximum number of parts of one split in the selection of landmarks.
    kernel : {"gaussian", "quartic"}, default="gaussian"
        Affinity exp(-d^2 / (2 sigma^2)) with sigma the mean distance, or with the
        distance squared once more, as the authors' program has it.
    discretization : {"light", "kmeans"}, default="light"
        Clustering of the embedded rows: k-means on a sample, after which the other rows join
        the nearest center, or k-means on all rows.
    reuse_neighbors : bool, default=True
        Whether the members of a landmark set share one search. False selects new landmarks and
        searches again for every member.
    consensus : {"linkage", "bipartite", "eac", "lwea", "lwgp", "kcc", "sec", "pta", "ptgp"}, \
default="linkage"
        Consensus function; see `lsec.consensus`. The paper's is "bipartite"; "linkage" finds
        better clusters on most data.
    consensus_options : dict or None, default=None
        Options of the consensus function, such as ``{"theta": 0.2}`` for "lwea".
    random_state : int, RandomState instance or None, default=None
        The same seed gives the same labels, whatever the number of threads.
    n_jobs : int or None, default=None
        Threads; None and -1 use all cores.
    device : {"cpu"}, default="cpu"
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
        With ``n_clusters="auto"``: the `candidates`, their `scores`, and the eigenvalues or
        merger heights that the scores derive from (`values`).
    micro_clusters_ : MicroClusters
        Distinct rows of base labels, with weights and the micro-cluster of each row.
    base_labels_ : ndarray of shape (n_samples, n_base), uint8 or uint16
        Labels of the members, set by set.
    n_base_clusters_ : ndarray of shape (n_base,)
        Clusters of each member.
    n_micro_clusters_ : int
        Distinct rows of `base_labels_`.
    landmarks_ : list of ndarray of shape (n_landmarks, n_features)
        One per landmark set.
    eigenvalues_ : list of ndarray
        Of each member's cut, in [0, 1], descending.
    timings_ : dict
        Seconds per stage.
    n_features_in_ : int

    Notes
    -----
    Features are not scaled: those with large values dominate the distances. Landmarks are
    selected from a uniform sample of at most 500 rows per landmark.

    References
    ----------
    .. [1] Li, H., Ye, X., Imakura, A., Sakurai, T. "LSEC: Large-scale spectral ensemble
       clustering", Intelligent Data Analysis 27(1), 2023, arXiv:2106.09852.

    Examples
    --------
    >>> from lsec import LSEC
    >>> from lsec.datasets import make_smiling_face
    >>> from lsec.metrics import clustering_accuracy
    >>> X, y = make_smiling_face(20_000, random_state=0)
    >>> model = LSEC(n_clusters=4, n_landmarks=300, random_state=0).fit(X)
    >>> model.base_labels_.shape
    (20000, 20)
    >>> bool((model.predict(X) == model.labels_).all())
    True
    """

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        n_base: int = 20,
        n_neighbors: int | Sequence[int] = (2, 3, 4, 5, 6),
        n_landmarks: int = 1000,
        base_clusters: tuple[int, int] = (20, 60),
        alpha: int = 50,
        kernel: str = "gaussian",
        discretization: str = "light",
        reuse_neighbors: bool = True,
        consensus: str = "linkage",
        consensus_options: dict[str, Any] | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        device: str = "cpu",
        memory_limit: int | float | str | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_base = n_base
        self.n_neighbors = n_neighbors
        self.n_landmarks = n_landmarks
        self.base_clusters = base_clusters
        self.alpha = alpha
        self.kernel = kernel
        self.discretization = discretization
        self.reuse_neighbors = reuse_neighbors
        self.consensus = consensus
        self.consensus_options = consensus_options
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.device = device
        self.memory_limit = memory_limit
        self.verbose = verbose

    def _check_parameters(self) -> None:
        super()._check_parameters()
        checks.ascending("n_neighbors", self.n_neighbors, most=MOST_VALUES)
        checks.integer("alpha", self.alpha, 2)
        checks.choice("discretization", self.discretization, ("light", "kmeans"))
        checks.choice("device", self.device, ("cpu",))
        checks.boolean("reuse_neighbors", self.reuse_neighbors)

    def _plan(self, n_rows: int, rng: np.random.Generator) -> EnsemblePlan:
        from lsec.spectral.base_clustering import MemberPlan
        from lsec.spectral.ensemble import EnsemblePlan
        from lsec.spectral.landmarks import divide_and_conquer

        neighbors = checks.ascending("n_neighbors", self.n_neighbors, most=MOST_VALUES)
        groups = share_out(self.n_base, neighbors, self.reuse_neighbors)
        low, high = fit_bounds(self.base_clusters, n_rows, self._least_clusters)
        refines = self.discretization == "kmeans"
        iterations = REFINE_ITERATIONS if refines else MEMBER_ITERATIONS
        p = self._landmarks_for(n_rows)

        def member(n_neighbors: int) -> MemberPlan:
            return MemberPlan(n_neighbors, int(rng.integers(low, high + 1)), max_iter=iterations)

        return EnsemblePlan(
            [[member(k) for k in group] for group in groups],
            p,
            partial(divide_and_conquer, n_landmarks=p, alpha=self.alpha),
            self._kernel,
            REFINE_ITERATIONS if refines else 0,
        )


def share_out(n_base: int, neighbors: tuple[int, ...], reuse: bool) -> list[list[int]]:
    """Neighbors of the members of every landmark set.

    >>> share_out(5, (2, 3, 4), reuse=True)
    [[2, 3, 4], [3, 4]]
    >>> share_out(3, (2, 3), reuse=False)
    [[2], [3], [2]]
    """
    q = len(neighbors)
    if not reuse:
        return [[neighbors[i % q]] for i in range(n_base)]
    full, rest = divmod(n_base, q)
    return [list(neighbors)] * full + ([list(neighbors[-rest:])] if rest else [])
