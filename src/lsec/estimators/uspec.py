"""U-SPEC: ultra-scalable spectral clustering."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from lsec.estimators.single import SingleSpectralClustering

if TYPE_CHECKING:
    from lsec.spectral.ensemble import SelectLandmarks


class USPEC(SingleSpectralClustering):
    """Ultra-scalable spectral clustering with hybrid representatives.

    Representatives are the centers of a k-means on a random sample of ten times as many rows; a
    row finds its nearest ones by means of the nearest group of representatives. All else is as in
    `DnCSC`.

    Parameters
    ----------
    n_clusters : int, default=8
    n_neighbors : int, default=5
        Nearest representatives that each row is connected to, at most 100.
    n_landmarks : int, default=1000
        Number of representatives.
        Reduced to one for nine rows (or three times the square root of the number of rows, if
        that is more), and to the number of distinct rows.
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
    landmarks_ : ndarray of shape (n_landmarks, n_features)
        The representatives.
    eigenvalues_ : ndarray of shape (n_clusters,)
    n_base_clusters_ : ndarray of shape (1,)
    timings_ : dict
        Seconds per stage.
    n_features_in_ : int

    References
    ----------
    .. [1] Huang, D., Wang, C.-D., Wu, J.-S., Lai, J.-H., Kwoh, C.-K. "Ultra-scalable spectral
       clustering and ensemble clustering", IEEE TKDE 32(6), 2020, arXiv:1903.01057.

    Examples
    --------
    >>> from lsec import USPEC
    >>> from lsec.datasets import make_two_bananas
    >>> X, y = make_two_bananas(3000, random_state=0)
    >>> model = USPEC(n_clusters=2, n_landmarks=200, random_state=0).fit(X)
    >>> sorted(set(model.labels_.tolist()))
    [0, 1]
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_neighbors: int = 5,
        n_landmarks: int = 1000,
        kernel: str = "gaussian",
        random_state: Any = None,
        n_jobs: int | None = None,
        memory_limit: int | float | str | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.n_landmarks = n_landmarks
        self.kernel = kernel
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory_limit = memory_limit
        self.verbose = verbose

    def _landmark_rule(self, n_landmarks: int) -> SelectLandmarks:
        from lsec.spectral.landmarks import hybrid_representatives

        return partial(hybrid_representatives, n_landmarks=n_landmarks)
