"""Base of the single spectral clusterings, DnC-SC and U-SPEC."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lsec import checks
from lsec.estimators.base import EnsembleEstimator
from lsec.output.labels import LabelOutput

if TYPE_CHECKING:
    from lsec.spectral.generation import SelectLandmarks

MAX_ITER = 100
N_INIT = 3


class SingleSpectralClustering(EnsembleEstimator):
    """An ensemble of one member whose base labels are the result."""

    n_clusters: int
    n_neighbors: int
    random_state: object

    def _check_parameters(self) -> None:
        super()._check_parameters()
        checks.integer("n_neighbors", self.n_neighbors, 1, checks.MOST_NEIGHBORS)

    def _landmark_rule(self, n_landmarks: int) -> SelectLandmarks:
        """How landmarks are chosen: a callable (sample, K, rng) -> LandmarkTree."""
        raise NotImplementedError

    def fit(self, X, y=None, *, labels_out=None, checkpoint=None, client=None):
        """Cluster the rows of X.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features), Dask array or data frame, \
path, or list of paths
            Files are read block by block (see `lsec.open_rows`) and may be larger than
            memory. Rows of Dask collections stay on the workers.
        y : ignored
        labels_out : path, optional
            Write labels to this .npy, .csv or .parquet file and hold nothing per row in
            memory: `labels_` is the file mapped into memory (.npy) or not set.
        checkpoint : path, optional
            A folder where finished stages are kept. A fit that was interrupted goes on from
            them when it is called again in the same way; the labels are the same. Needs a
            `random_state` that is a number. Remove the folder when the fit is done.
        client : distributed.Client, optional
            Run on the workers of this Dask cluster; files must be within their reach. Dask
            collections run on the active client by default.

        Returns
        -------
        self
        """
        self._check_parameters()
        output = LabelOutput(labels_out)
        source = self._open(X, reset=True)
        checks.enough_rows(source.shape[0], self.n_clusters)
        if self.n_landmarks < self.n_clusters:
            raise ValueError(
                f"n_landmarks={self.n_landmarks} should be >= n_clusters={self.n_clusters}; "
                f"raise n_landmarks."
            )
        from lsec.spectral.generation import EnsemblePlan, fit_ensemble
        from lsec.spectral.member import MemberPlan

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
        with self._sweeping(source, client, checkpoint, new_members=1) as sweeper:
            ensemble = fit_ensemble(sweeper, plan, checks.seed(self.random_state))
            rows = sweeper.label(ensemble, output.spool)
            if len(rows.labels) < self.n_clusters:
                raise ValueError(
                    f"X supports only {len(rows.labels)} clusters, n_clusters={self.n_clusters} "
                    f"were asked: its rows are too alike, or k-means gave some no rows. Lower "
                    f"n_clusters, remove duplicated rows or try another random_state."
                )
            self._keep(output.labels(rows, rows.labels[:, 0].astype(np.int32)))
        self._describe(ensemble, sweeper.stages)
        self.landmarks_ = ensemble.frame.original(ensemble.sets[0].tree.landmarks)
        self.eigenvalues_ = ensemble.members[0].eigenvalues
        return self

    def predict(self, X, *, labels_out=None):
        """Label rows by the clusters found in `fit`.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features), Dask array or data frame, \
path, or list of paths
        labels_out : path, optional
            Write labels to this .npy, .csv or .parquet file and hold nothing per row in
            memory.

        Returns
        -------
        labels : ndarray of shape (n_samples,), int32
            A Dask array for Dask collections. With `labels_out`, the file mapped into memory
            (.npy) or None.
        """
        output = LabelOutput(labels_out)
        source = self._open_for_predict(X)
        with self._sweeping(source) as sweeper:
            rows = sweeper.label(self._ensemble, output.spool)
            return output.labels(rows, rows.labels[:, 0].astype(np.int32))
