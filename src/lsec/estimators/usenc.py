"""U-SENC: ultra-scalable ensemble clustering."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from lsec import checks
from lsec.estimators.consensus import ConsensusEstimator

if TYPE_CHECKING:
    from lsec.spectral.ensemble import EnsemblePlan

MEMBER_ITERATIONS = 5


class USENC(ConsensusEstimator):
    """Ultra-scalable ensemble clustering: independent U-SPEC runs, joined.

    Every member selects and searches representatives of its own; the consensus function is
    "bipartite". `EnsembleClustering(generator="uspec")` joins the same members by any other
    function.

    Parameters
    ----------
    n_clusters : int or "auto", default=8
        "auto" chooses by the largest eigengap of the consensus graph.
    n_base : int, default=20
        Number of base clusterings (members).
    n_neighbors : int, default=5
        Nearest representatives that each row is connected to, at most 100.
    n_landmarks : int, default=1000
        Representatives of each member.
        Reduced to one for nine rows (or three times the square root of the number of rows, if
        that is more), and to the number of distinct rows.
    base_clusters : (int, int), default=(20, 60)
        Range from which every member draws its number of clusters uniformly, ends included.
        With fewer rows than the square of the upper end, the range shrinks to end at the
        square root of the number of rows.
    kernel : {"gaussian", "quartic"}, default="gaussian"
    random_state : int, RandomState instance or None, default=None
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
    confidence_, agreement_, diversity_, evidence_, micro_clusters_
        As for `LSEC`.
    base_labels_ : ndarray of shape (n_samples, n_base), uint8 or uint16
    n_base_clusters_ : ndarray of shape (n_base,)
    n_micro_clusters_ : int
    landmarks_ : list of ndarray of shape (n_landmarks, n_features)
        The representatives of each member.
    eigenvalues_ : list of ndarray
    timings_ : dict
        Seconds per stage.
    n_features_in_ : int

    References
    ----------
    .. [1] Huang, D., Wang, C.-D., Wu, J.-S., Lai, J.-H., Kwoh, C.-K. "Ultra-scalable spectral
       clustering and ensemble clustering", IEEE TKDE 32(6), 2020, arXiv:1903.01057.

    Examples
    --------
    >>> from lsec import USENC
    >>> from lsec.datasets import make_two_bananas
    >>> X, y = make_two_bananas(5000, random_state=0)
    >>> model = USENC(n_clusters=2, n_landmarks=200, random_state=0).fit(X)
    >>> model.base_labels_.shape
    (5000, 20)
    """

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        n_base: int = 20,
        n_neighbors: int = 5,
        n_landmarks: int = 1000,
        base_clusters: tuple[int, int] = (20, 60),
        kernel: str = "gaussian",
        random_state: Any = None,
        n_jobs: int | None = None,
        memory_limit: int | float | str | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_base = n_base
        self.n_neighbors = n_neighbors
        self.n_landmarks = n_landmarks
        self.base_clusters = base_clusters
        self.kernel = kernel
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory_limit = memory_limit
        self.verbose = verbose

    def _check_parameters(self) -> None:
        super()._check_parameters()
        checks.integer("n_neighbors", self.n_neighbors, 1, checks.MOST_NEIGHBORS)

    def _plan(self, n_rows: int, rng: np.random.Generator) -> EnsemblePlan:
        from lsec.spectral.base_clustering import MemberPlan
        from lsec.spectral.ensemble import EnsemblePlan
        from lsec.spectral.landmarks import hybrid_representatives

        p = self._landmarks_for(n_rows)
        return EnsemblePlan(
            [
                [MemberPlan(self.n_neighbors, c, "k-means++", MEMBER_ITERATIONS)]
                for c in self._draw_clusters(n_rows, rng)
            ],
            p,
            partial(hybrid_representatives, n_landmarks=p),
            self._kernel,
            MEMBER_ITERATIONS,
        )
