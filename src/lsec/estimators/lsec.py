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

    Makes many diverse spectral clusterings of the same rows cheaply (members that
    share landmarks differ in the number of neighbors and of clusters; landmark
    sets differ in their random choices) and joins them through the bipartite graph of
    rows and base clusters. Time and memory are linear in the rows.

    Parameters
    ----------
    n_clusters : int or "auto", default=8
        "auto" chooses by the consensus function: the largest eigengap ("bipartite", "lwgp",
        "ptgp") or the longest lifetime ("linkage", "eac", "lwea", "pta").
    n_base : int, default=20
        Number of base clusterings (members).
    n_neighbors : int or ascending tuple of int, default=(2, 3, 4, 5, 6)
        Nearest landmarks each row is tied to: at most 16 values up to 100, one per member
        of a landmark set. A last set that is not full uses the largest values.
    n_landmarks : int, default=1000
        At most one for nine rows (or three times the root of the number of rows), and
        no more than there are distinct rows.
    base_clusters : (int, int), default=(20, 60)
        Every member draws its number of clusters uniformly from this range, ends
        included. With fewer rows than the square of the upper end, the range shrinks
        to end at the square root of the number of rows.
    alpha : int, default=50
        Most parts of one split while landmarks are chosen.
    kernel : {"gaussian", "quartic"}, default="gaussian"
        Affinity exp(-d^2 / (2 sigma^2)) with sigma the mean distance, or with the
        distance squared once more, as the authors' program has it.
    discretization : {"light", "kmeans"}, default="light"
        How embedded rows become base clusters: k-means on a sample whose centers
        the other rows join, or k-means on all rows.
    reuse_neighbors : bool, default=True
        Members of a landmark set share one search. False chooses fresh landmarks
        and searches again for every member.
    consensus : {"linkage", "bipartite", "eac", "lwea", "lwgp", "kcc", "sec", "pta", "ptgp"}, \
default="linkage"
        How members are joined; see `lsec.consensus`. The paper's own is "bipartite";
        "linkage" finds better clusters on most data.
    consensus_options : dict or None, default=None
        Options of the consensus function, such as ``{"theta": 0.2}`` for "lwea".
    random_state : int, RandomState instance or None, default=None
        The same seed gives the same labels, whatever the number of threads.
    n_jobs : int or None, default=None
        Threads; None and -1 use all cores.
    device : {"cpu"}, default="cpu"
    memory_limit : int, str or None, default=None
        Most memory to use, in bytes or such as "2GiB": of the whole process where rows are
        read from files, beside the rows and their labels where they are in memory. None
        takes a sixteenth of what the machine has free. Less is slower, never different.
    verbose : int, default=0
        1 shows a progress bar per stage.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
    n_clusters_ : int
    confidence_ : ndarray of shape (n_samples,), float32
        How strongly the members agree with each label, in [0, 1].
    agreement_ : ndarray of shape (n_base, n_base)
        Normalized mutual information of every two members.
    diversity_ : float
        One less the mean agreement of two members.
    evidence_ : Evidence or None
        What spoke for the number of clusters, with ``n_clusters="auto"``: `candidates`,
        their `scores`, and the eigenvalues or merger heights behind them (`values`).
    micro_clusters_ : MicroClusters
        Distinct rows of base labels, with weights and the row each belongs to.
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
    Rows are not scaled: features with large values dominate the distances.
    Landmarks are chosen from a uniform sample of at most 500 rows per landmark.

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
