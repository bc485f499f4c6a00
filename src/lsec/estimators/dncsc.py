"""DnC-SC: divide-and-conquer based large-scale spectral clustering."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from lsec import checks
from lsec.estimators.single import SingleSpectralClustering

if TYPE_CHECKING:
    from lsec.spectral.ensemble import SelectLandmarks


class DnCSC(SingleSpectralClustering):
    """Divide-and-conquer spectral clustering: one spectral clustering of many rows.

    Landmarks result from splitting the data recursively by light-k-means; every row is connected
    to its nearest landmarks, the bipartite graph is cut, and k-means labels the rows in the space
    of the leading eigenvectors.

    Parameters
    ----------
    n_clusters : int, default=8
    n_neighbors : int, default=5
        Nearest landmarks that each row is connected to, at most 100.
    n_landmarks : int, default=1000
        Reduced to one for nine rows (or three times the square root of the number of rows, if
        that is more), and to the number of distinct rows.
    alpha : int, default=200
        Maximum number of parts of one split in the selection of landmarks.
    kernel : {"gaussian", "quartic"}, default="gaussian"
        Affinity exp(-d^2 / (2 sigma^2)) with sigma the mean distance, or with the
        distance squared once more, as the authors' program has it.
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
    landmarks_ : ndarray of shape (n_landmarks, n_features)
    eigenvalues_ : ndarray of shape (n_clusters,)
        Of the cut, in [0, 1], descending.
    n_base_clusters_ : ndarray of shape (1,)
    timings_ : dict
        Seconds per stage.
    n_features_in_ : int

    Notes
    -----
    A single clustering depends more on its kernel than an ensemble does. "quartic" is sharper:
    better for thin shapes in the plane, worse for data such as handwritten digits.

    References
    ----------
    .. [1] Li, H., Ye, X., Imakura, A., Sakurai, T. "Divide-and-conquer based large-scale spectral
       clustering", arXiv:2104.15042, 2021.

    Examples
    --------
    >>> from lsec import DnCSC
    >>> from lsec.datasets import make_concentric_circles
    >>> X, y = make_concentric_circles(3000, random_state=0)
    >>> model = DnCSC(n_clusters=3, n_landmarks=200, random_state=0).fit(X)
    >>> model.labels_.shape
    (3000,)
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_neighbors: int = 5,
        n_landmarks: int = 1000,
        alpha: int = 200,
        kernel: str = "gaussian",
        random_state: Any = None,
        n_jobs: int | None = None,
        memory_limit: int | float | str | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.n_landmarks = n_landmarks
        self.alpha = alpha
        self.kernel = kernel
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory_limit = memory_limit
        self.verbose = verbose

    def _check_parameters(self) -> None:
        super()._check_parameters()
        checks.integer("alpha", self.alpha, 2)

    def _landmark_rule(self, n_landmarks: int) -> SelectLandmarks:
        from lsec.spectral.landmarks import divide_and_conquer

        return partial(divide_and_conquer, n_landmarks=n_landmarks, alpha=self.alpha)
