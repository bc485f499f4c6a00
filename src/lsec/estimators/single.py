"""Base of the single spectral clusterings, DnC-SC and U-SPEC."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from lsec import checks
from lsec.estimators.base import EnsembleEstimator
from lsec.output.labels import LabelOutput

if TYPE_CHECKING:
    from lsec.spectral.ensemble import SelectLandmarks

MAX_ITER = 100
N_INIT = 3


class SingleSpectralClustering(EnsembleEstimator):
    """An ensemble of one member whose base labels are the result."""

    n_neighbors: int

    def _check_parameters(self) -> None:
        super()._check_parameters()
        checks.integer("n_neighbors", self.n_neighbors, 1, checks.MOST_NEIGHBORS)

    def _landmark_rule(self, n_landmarks: int) -> SelectLandmarks:
        """Rule that selects landmarks: a callable (sample, K, rng) -> LandmarkTree."""
        raise NotImplementedError

    def fit(
        self,
        X: Any,
        y: None = None,
        *,
        labels_out: str | PathLike[str] | None = None,
        checkpoint: str | PathLike[str] | None = None,
        client: Any = None,
    ) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features), Dask array or data frame, \
path, or list of paths
            Files are read block by block (see `lsec.open_rows`) and may be larger than memory.
            Rows of Dask collections stay on the workers.
        y : ignored
        labels_out : path, optional
            Write labels to this .npy, .csv or .parquet file and hold nothing per row in
            memory: `labels_` is the file mapped into memory (.npy) or not set.
        checkpoint : path, optional
            Folder for the results of finished sweeps. An interrupted fit goes on from them when
            it is called again in the same way, to the same labels. Needs a `random_state` that
            is a number. On Dask, base labels are not among the results. Remove the folder when
            the fit is done.
        client : distributed.Client, optional
            Dask cluster to run on; its workers must have access to the files. Dask collections
            run on the active client by default.

        Returns
        -------
        self
        """
        from lsec import pipeline
        from lsec.spectral.base_clustering import MemberPlan
        from lsec.spectral.ensemble import EnsemblePlan

        self._check_parameters()
        output = LabelOutput(labels_out)
        source = self._open(X, reset=True)
        checks.enough_rows(source.shape[0], self.n_clusters)
        if self.n_landmarks < self.n_clusters:
            raise ValueError(
                f"n_landmarks={self.n_landmarks} should be >= n_clusters={self.n_clusters}; "
                f"raise n_landmarks."
            )
        member = MemberPlan(
            self.n_neighbors, self.n_clusters, "k-means++", MAX_ITER, N_INIT, np.float64
        )
        p = self._landmarks_for(source.shape[0])
        plan = EnsemblePlan([[member]], p, self._landmark_rule(p), self._kernel, MAX_ITER)
        seed = checks.seed(self.random_state)
        bounds = {"result_bytes": plan.n_bytes}
        with self._run(source, client=client, folder=checkpoint, **bounds) as run:
            ensemble, labels = pipeline.cluster_once(source, plan, seed, run, output)
        self.landmarks_ = ensemble.frame.original(ensemble.sets[0].tree.landmarks)
        self.eigenvalues_ = ensemble.members[0].eigenvalues
        self._describe(ensemble, run)
        return self._keep(labels)

    def predict(self, X: Any, *, labels_out: str | PathLike[str] | None = None) -> Any:
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
        from lsec.sweeps import label_rows

        output = LabelOutput(labels_out)
        source = self._open_for_predict(X)
        with self._run(source) as run:
            rows = label_rows(source, self._ensemble, run, output.spool)
            return output.labels(rows, rows.labels[:, 0].astype(np.int32))
