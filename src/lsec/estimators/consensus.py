"""Base of the ensemble clusterings, LSEC and U-SENC."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from lsec.estimators import checks
from lsec.estimators.base import EnsembleEstimator

if TYPE_CHECKING:
    from lsec.consensus_methods.bipartite import BipartiteConsensus
    from lsec.consensus_methods.micro_clusters import MicroClusters
    from lsec.stages.ensemble import Ensemble, EnsemblePlan
    from lsec.stages.sweep import Sweeper

CONSENSUS = ("bipartite",)


class SpectralEnsembleClustering(EnsembleEstimator):
    """An ensemble of many members, joined by a consensus function."""

    n_clusters: int
    random_state: object
    n_base: int
    base_clusters: tuple[int, int]

    def _check_parameters(self) -> None:
        super()._check_parameters()
        checks.integer("n_base", self.n_base, 1)
        checks.bounds("base_clusters", self.base_clusters)

    def _plan(self, n_rows: int, rng: np.random.Generator) -> EnsemblePlan:
        """The members to fit."""
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
        plan_seed, fit_seed, consensus_seed = checks.seed(self.random_state).spawn(3)
        source = self._open(X, reset=True)
        plan = self._plan(source.shape[0], np.random.default_rng(plan_seed))
        checks.enough_rows(source.shape[0], self.n_clusters)
        from lsec.stages.ensemble import fit_ensemble

        with self._sweeping(source) as sweeper:
            ensemble = fit_ensemble(sweeper, plan, fit_seed)
            base, micro, ids = self._collect(sweeper, ensemble)
            self.n_micro_clusters_ = len(micro)
            if len(micro) < self.n_clusters:
                # The members agree on too much: tell rows apart by their landmark, too.
                ensemble = replace(ensemble, finest=True)
                _, micro, ids = self._collect(sweeper, ensemble, keep_base=False)
            with sweeper.stages.whole("consensus"):
                rng = np.random.default_rng(consensus_seed)
                self._consensus = self._join(micro, ensemble.n_labels, rng)
                np.take(self._consensus.predict(micro.labels), ids, out=ids)
        self.labels_ = ids
        self.base_labels_ = base
        self._describe(ensemble, sweeper.stages)
        self.landmarks_ = [ensemble.frame.original(s.tree.landmarks) for s in ensemble.sets]
        self.eigenvalues_ = [member.eigenvalues for member in ensemble.members]
        return self

    def predict(self, X):
        """Label rows by the clusters found in `fit`.

        A row gets its base labels from the members, and from these the nearest
        consensus centre; rows seen in `fit` get their `labels_` again.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of shape (n_samples,), int32
        """
        source = self._open_for_predict(X)
        with self._sweeping(source) as sweeper:
            _, micro, ids = self._collect(sweeper, self._ensemble, keep_base=False)
        return self._consensus.predict(micro.labels)[ids]

    def _join(
        self, micro: MicroClusters, n_labels: np.ndarray, rng: np.random.Generator
    ) -> BipartiteConsensus:
        """The consensus of the members, with as many clusters as asked."""
        from lsec.consensus_methods.bipartite import bipartite

        asked = f"n_clusters={self.n_clusters} were asked"
        if len(micro) < self.n_clusters:
            raise ValueError(
                f"X has only {len(micro)} rows that can be told apart, {asked}. Lower n_clusters, "
                f"or raise n_landmarks (now {self.n_landmarks}) if X has more distinct rows."
            )
        joined = bipartite(micro, n_labels, self.n_clusters, rng)
        if len(joined.centres) < self.n_clusters:
            raise ValueError(
                f"The base clusterings support only {len(joined.centres)} clusters, {asked}. "
                f"Lower n_clusters or raise n_base (now {self.n_base})."
            )
        return joined

    @staticmethod
    def _collect(
        sweeper: Sweeper, ensemble: Ensemble, keep_base: bool = True
    ) -> tuple[np.ndarray, MicroClusters, np.ndarray]:
        """Base labels (n, m), micro-clusters, and the micro-cluster of every row."""
        from lsec.consensus_methods.micro_clusters import MicroClusterCollector
        from lsec.stages.ensemble import sweep_labels

        shape = (sweeper.source.shape[0], len(ensemble.n_labels))
        collector = MicroClusterCollector(*shape, ensemble.dtype)
        base: np.ndarray = np.empty(shape if keep_base else (0, shape[1]), ensemble.dtype)

        def consume(rows: slice, labels: np.ndarray) -> None:
            collector.add(rows, labels)
            if keep_base:
                base[rows] = labels

        sweep_labels(sweeper, ensemble, consume)
        return base, collector.finish(), collector.ids


def fit_bounds(bounds: tuple[int, int], n_rows: int, n_clusters: int) -> tuple[int, int]:
    """Bounds on the clusters of a member, for the rows there are.

    A member with nearly as many clusters as rows says nothing. Where the upper
    bound exceeds the root of the number of rows, both bounds shrink in proportion;
    the upper one stays at least `n_clusters`.

    >>> fit_bounds((20, 60), 10_000, 8)
    (20, 60)
    >>> fit_bounds((20, 60), 900, 8)
    (10, 30)
    >>> fit_bounds((20, 60), 25, 8)
    (2, 8)
    """
    low, high = bounds
    factor = min(1.0, np.sqrt(n_rows) / high)
    high = max(int(high * factor), n_clusters) if factor < 1 else high
    low = n_clusters if n_rows == n_clusters else max(2, int(low * factor))
    return min(low, high), high
