"""The single spectral clusterings, DnC-SC and U-SPEC."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from lsec import checks
from lsec.estimators.base import EnsembleEstimator, StartRun
from lsec.estimators.entries import estimator_docs
from lsec.output.labels import LabelOutput
from lsec.sources import Source
from lsec.typing import AnyArray, Float64, Int32

if TYPE_CHECKING:
    from lsec.rows.rows import Landmarks

MAX_ITER = 100
N_INIT = 3


@dataclass(eq=False, repr=False)
class SingleSpectralClustering(EnsembleEstimator):
    """An ensemble of one member whose base labels are the result."""

    n_clusters: int = 8
    _: KW_ONLY
    n_neighbors: int = 5
    n_landmarks: int | str = 1000
    projection: int | str | None = "auto"
    metric: str = "euclidean"
    kernel: str = "gaussian"
    random_state: Any = None
    n_jobs: int | None = None
    device: str = "cpu"
    memory_limit: int | float | str | None = None
    verbose: int = 0

    def _check_parameters(self) -> None:
        super()._check_parameters()
        checks.integer("n_neighbors", self.n_neighbors, 1, checks.MOST_NEIGHBORS)

    def _landmark_rule(self) -> Callable[..., Landmarks]:
        """Rule that selects landmarks: (sample, K, rng, *, n_landmarks) -> Landmarks."""
        raise NotImplementedError

    def _fit(
        self, source: Source, seed: np.random.SeedSequence, output: LabelOutput, start: StartRun
    ) -> Self:
        from lsec import pipeline, sweeps
        from lsec.spectral.base_clustering import MemberPlan
        from lsec.spectral.ensemble import EnsemblePlan

        k = self.n_clusters
        if not isinstance(self.n_landmarks, str) and self.n_landmarks < k:
            raise ValueError(
                f"n_landmarks={self.n_landmarks} should be >= n_clusters={k}; raise n_landmarks."
            )
        sets = [[MemberPlan(self.n_neighbors, k, "k-means++", MAX_ITER, N_INIT, np.float64)]]
        p = self._landmarks_for(*source.shape)
        select = partial(self._landmark_rule(), n_landmarks=p)
        is_cosine = self.metric == "cosine"
        plan = EnsemblePlan(sets, p, select, self._kernel, self._projection, MAX_ITER, is_cosine)
        with start(plan.n_bytes) as run:
            ensemble = pipeline.generate_ensemble(source, plan, seed, run)
            rows = sweeps.label_rows(source, ensemble, run, output.spool)
            if len(rows.labels) < k:
                raise ValueError(
                    f"X supports only {len(rows.labels)} clusters, n_clusters={k} were asked: "
                    f"its rows are too alike, or k-means left some clusters empty. Lower "
                    f"n_clusters, remove duplicated rows or try another random_state."
                )
            labels = output.labels(rows, self._clusters(rows.labels))
        self.eigenvalues_ = ensemble.members[0].eigenvalues
        self._describe(ensemble, run)
        return self._keep(source.like(labels))

    @property
    def landmarks_(self) -> Float64:
        """Landmarks in the units of the data, of shape (n_landmarks, n_features)."""
        return self._landmark_points()[0]

    def _clusters(self, base_labels: AnyArray) -> Int32:
        return base_labels[:, 0].astype(np.int32)


@estimator_docs
@dataclass(kw_only=True, eq=False, repr=False)
class DnCSC(SingleSpectralClustering):
    """Divide-and-conquer spectral clustering: one spectral clustering of many rows.

    Landmarks result from splitting the data recursively by light-k-means; every row is connected
    to its nearest landmarks, the bipartite graph is cut, and k-means labels the rows in the space
    of the leading eigenvectors.

    Parameters
    ----------
    n_clusters : int, default=8
    {n_neighbors, n_landmarks, projection, metric, alpha, kernel}
    {random_state, n_jobs, device}
    {memory_limit, verbose}

    Attributes
    ----------
    {labels_}
    landmarks_ : ndarray of shape (n_landmarks, n_features)
    eigenvalues_ : ndarray of shape (n_clusters,)
        Of the cut, in [0, 1], descending.
    n_base_clusters_ : ndarray of shape (1,)
    {timings_, n_features_in_}

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

    alpha: int = 200

    def _landmark_rule(self) -> Callable[..., Landmarks]:
        from lsec.spectral.landmarks import divide_and_conquer

        return partial(divide_and_conquer, alpha=self.alpha)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        checks.integer("alpha", self.alpha, 2)


@estimator_docs
class USPEC(SingleSpectralClustering):
    """Ultra-scalable spectral clustering with hybrid representatives.

    Representatives are the centers of a k-means on a random sample of ten times as many rows. Rows
    of at most four features search the nearest ones by groups of representatives. All else is as
    in `DnCSC`.

    Parameters
    ----------
    n_clusters : int, default=8
    {n_neighbors, n_landmarks, projection, metric, kernel, random_state, n_jobs, device}
    {memory_limit, verbose}

    Attributes
    ----------
    {labels_}
    landmarks_ : ndarray of shape (n_landmarks, n_features)
        The representatives.
    eigenvalues_ : ndarray of shape (n_clusters,)
    n_base_clusters_ : ndarray of shape (1,)
    {timings_, n_features_in_}

    References
    ----------
    {Huang2020}

    Examples
    --------
    >>> from lsec import USPEC, datasets
    >>> X, y = datasets.make_two_bananas(3000, random_state=0)
    >>> sorted(set(USPEC(2, n_landmarks=200, random_state=0).fit_predict(X).tolist()))
    [0, 1]
    """

    def _landmark_rule(self) -> Callable[..., Landmarks]:
        from lsec.spectral.landmarks import hybrid_representatives

        return hybrid_representatives
