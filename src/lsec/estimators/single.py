"""Base of the single spectral clusterings, DnC-SC and U-SPEC."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lsec import checks
from lsec.estimators.base import EnsembleEstimator

if TYPE_CHECKING:
    from lsec.stages.ensemble import LabelsRows, SelectLandmarks
    from lsec.stages.sweep import Sweeper

MAX_ITER = 100
N_INIT = 3


class SingleSpectralClustering(EnsembleEstimator):
    """An ensemble of one member whose base labels are the result."""

    n_clusters: int
    n_neighbors: int
    random_state: object

    def _check_parameters(self) -> None:
        super()._check_parameters()
        checks.integer("n_neighbors", self.n_neighbors, 1)

    def _landmark_rule(self, n_landmarks: int) -> SelectLandmarks:
        """How landmarks are chosen: a callable (sample, K, rng) -> LandmarkTree."""
        raise NotImplementedError

    def fit(self, X, y=None):
        """Cluster the rows of X.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        self._check_parameters()
        source = self._open(X, reset=True)
        checks.enough_rows(source.shape[0], self.n_clusters)
        if self.n_landmarks < self.n_clusters:
            raise ValueError(
                f"n_landmarks={self.n_landmarks} should be >= n_clusters={self.n_clusters}; "
                f"raise n_landmarks."
            )
        from lsec.stages.ensemble import EnsemblePlan, fit_ensemble
        from lsec.stages.member import MemberPlan

        member = MemberPlan(
            self.n_neighbors, self.n_clusters, "k-means++", MAX_ITER, N_INIT, np.float64
        )
        n_landmarks = self._landmarks_for(source.shape[0])
        plan = EnsemblePlan(
            [[member]],
            n_landmarks,
            self._landmark_rule(n_landmarks),
            self.kernel == "quartic",
            MAX_ITER,
        )
        with self._sweeping(source) as sweeper:
            ensemble = fit_ensemble(sweeper, plan, checks.seed(self.random_state))
            labels = self._label(sweeper, ensemble)
        found = len(np.unique(labels))
        if found < self.n_clusters:
            raise ValueError(
                f"X supports only {found} clusters, n_clusters={self.n_clusters} were asked: its "
                f"rows are too alike. Lower n_clusters or remove duplicated rows."
            )
        self.labels_ = labels
        self._describe(ensemble, sweeper.stages)
        self.landmarks_ = ensemble.frame.original(ensemble.sets[0].tree.landmarks)
        self.eigenvalues_ = ensemble.members[0].eigenvalues
        return self

    def predict(self, X):
        """Label rows by the clusters found in `fit`.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of shape (n_samples,), int32
        """
        source = self._open_for_predict(X)
        with self._sweeping(source) as sweeper:
            return self._label(sweeper, self._ensemble)

    @staticmethod
    def _label(sweeper: Sweeper, ensemble: LabelsRows) -> np.ndarray:
        from lsec.stages.ensemble import sweep_labels

        labels = np.empty(sweeper.source.shape[0], np.int32)

        def consume(rows: slice, base: np.ndarray) -> None:
            labels[rows] = base[:, 0]

        sweep_labels(sweeper, ensemble, consume)
        return labels
