"""Base of the estimators that join an ensemble by a consensus function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from lsec import checks
from lsec.engine.budget import parse_bytes
from lsec.estimators.base import FITTED, EnsembleEstimator, OfRows, missing_of_rows
from lsec.estimators.output import LabelOutput, scratch_array

if TYPE_CHECKING:
    from lsec.consensus_methods.consensus import Consensus
    from lsec.consensus_methods.evidence import Evidence
    from lsec.consensus_methods.method import ConsensusMethod
    from lsec.consensus_methods.micro_clusters import MicroClusterCollector, MicroClusters
    from lsec.stages.ensemble import EnsemblePlan, LabelsRows
    from lsec.stages.sweep import Sweeper


class ConsensusEstimator(EnsembleEstimator):
    """An ensemble of many members, joined by a consensus function."""

    n_clusters: int | str  # type: ignore[assignment]
    random_state: object
    n_base: int
    base_clusters: tuple[int, int]
    consensus: str = "bipartite"
    consensus_options: dict[str, Any] | None = None
    base_labels_: Any = OfRows()

    def _check_parameters(self) -> None:
        super()._check_parameters()
        checks.integer("n_base", self.n_base, 1)
        checks.bounds("base_clusters", self.base_clusters)

    def _check_clusters(self) -> None:
        self._method()

    def _method(self) -> tuple[ConsensusMethod, int | None]:
        """The consensus function and the clusters asked of it; None to choose their number."""
        from lsec.consensus_methods.consensus import requested_clusters
        from lsec.consensus_methods.methods import make_method

        method = make_method(self.consensus, checks.options(self.consensus_options))
        return method, requested_clusters(self.n_clusters, method, self.consensus)

    @property
    def _least_clusters(self) -> int:
        return 2 if isinstance(self.n_clusters, str) else self.n_clusters

    def _plan(self, n_rows: int, rng: np.random.Generator) -> EnsemblePlan:
        """The members to fit."""
        raise NotImplementedError

    def _generate(
        self,
        sweeper: Sweeper,
        plan_seed: np.random.SeedSequence,
        fit_seed: np.random.SeedSequence,
    ) -> LabelsRows:
        """Fit the members, and describe them in fitted attributes."""
        from lsec.stages.ensemble import fit_ensemble

        plan = self._plan(sweeper.source.shape[0], np.random.default_rng(plan_seed))
        ensemble = fit_ensemble(sweeper, plan, fit_seed)
        self.landmarks_ = [ensemble.frame.original(s.tree.landmarks) for s in ensemble.sets]
        self.eigenvalues_ = [member.eigenvalues for member in ensemble.members]
        return ensemble

    def fit(self, X, y=None, *, labels_out=None):
        """Cluster the rows of X.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features), path, or list of paths
            Files are read block by block (see `lsec.open_rows`) and may be larger than
            memory.
        y : ignored
        labels_out : path, optional
            Write labels to this .npy, .csv or .parquet file and hold nothing per row in
            memory: `base_labels_` and `confidence_` are not kept, and `labels_` is the file
            mapped into memory (.npy) or not set.

        Returns
        -------
        self
        """
        self._check_parameters()
        output = LabelOutput(labels_out)
        plan_seed, fit_seed, consensus_seed = checks.seed(self.random_state).spawn(3)
        source = self._open(X, reset=True)
        checks.enough_rows(source.shape[0], self._least_clusters)
        with self._sweeping(source) as sweeper:
            ensemble = self._generate(sweeper, plan_seed, fit_seed)
            base, micro, collector = self._collect(sweeper, ensemble, output, output.in_memory)
            self.n_micro_clusters_ = len(micro)
            if len(micro) < self._least_clusters:
                # The members agree on too much: tell rows apart in one more way.
                ensemble = ensemble.finer(sweeper)
                _, micro, collector = self._collect(sweeper, ensemble, output, keep_base=False)
            with sweeper.stages.whole("consensus"):
                rng = np.random.default_rng(consensus_seed)
                self._consensus = self._join(micro, rng, sweeper)
                clusters = self._consensus.micro_labels
                labels = self._label(micro, collector, clusters, output)
        self._keep(labels, base if output.in_memory else None)
        self.n_clusters_ = self._consensus.n_clusters
        self._describe(ensemble, sweeper.stages)
        self.n_base_clusters_ = self.n_base_clusters_[: self.n_base]
        return self

    def predict(self, X, *, labels_out=None):
        """Label rows by the clusters found in `fit`.

        A row gets its base labels from the members. From these it goes to the nearest
        consensus centre ("bipartite", "lwgp"), or to the cluster of the rows with the same
        base labels; where there were none, of those that share most base clusters with it.
        Rows seen in `fit` get their `labels_` again.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features), path, or list of paths
        labels_out : path, optional
            Write labels to this .npy, .csv or .parquet file and hold nothing per row in
            memory.

        Returns
        -------
        labels : ndarray of shape (n_samples,), int32
            With `labels_out`, the file mapped into memory (.npy) or None.
        """
        output = LabelOutput(labels_out)
        source = self._open_for_predict(X)
        with self._sweeping(source) as sweeper:
            _, micro, collector = self._collect(sweeper, self._ensemble, output, keep_base=False)
        clusters = self._consensus.predict_numbers(micro.labels)
        return self._label(micro, collector, clusters, output)

    def predict_membership(self, X):
        """Soft membership of rows in the clusters.

        The mean, over the members, of the share of the row's base cluster that lies in
        each cluster; where another cluster than the predicted one would get more, as much
        of the row as it takes is counted for the predicted one.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)

        Returns
        -------
        membership : ndarray of shape (n_samples, n_clusters), float32
            Rows sum to one and are largest at the label of `predict`.
        """
        source = self._open_for_predict(X)
        with self._sweeping(source) as sweeper:
            _, micro, _ = self._collect(sweeper, self._ensemble, LabelOutput(None), keep_base=False)
        clusters = self._consensus.predict_numbers(micro.labels)
        return self._consensus.votes.membership(micro.labels, clusters)[micro.of_row]

    @property
    def micro_clusters_(self) -> MicroClusters:
        """Distinct rows of base labels with weights, as the consensus saw them."""
        return self._fitted_consensus.micro

    @property
    def confidence_(self) -> np.ndarray:
        """How strongly the members agree with `labels_`, float32 (n_samples,), in [0, 1].

        The mean, over the members, of the share of the row's base cluster that has the
        row's label.
        """
        consensus = self._fitted_consensus
        if not len(consensus.micro.of_row):
            raise AttributeError(missing_of_rows(self, "confidence_"))
        return consensus.confidence

    @property
    def agreement_(self) -> np.ndarray:
        """Normalised mutual information of every two members, float64 (n_base, n_base)."""
        from lsec.consensus_methods.agreement import agreement_of

        micro = self._fitted_consensus.micro
        return agreement_of(micro, "nmi")[: self.n_base, : self.n_base]

    @property
    def diversity_(self) -> float:
        """One less the mean agreement of two members."""
        from lsec.consensus_methods.agreement import diversity_of

        return diversity_of(self.agreement_)

    @property
    def evidence_(self) -> Evidence | None:
        """What spoke for the number of clusters, where `n_clusters` is "auto"."""
        return self._fitted_consensus.evidence

    @property
    def _fitted_consensus(self) -> Consensus:
        check_is_fitted(self, FITTED)
        return self._consensus

    def _join(self, micro: MicroClusters, rng: np.random.Generator, sweeper: Sweeper) -> Consensus:
        """The consensus of the members, with as many clusters as asked."""
        from lsec.consensus_methods.consensus import join

        method, wanted = self._method()
        if wanted is not None and len(micro) < wanted:
            raise ValueError(
                f"X has only {len(micro)} rows that can be told apart, n_clusters={wanted} were "
                f"asked. Lower n_clusters, or raise n_landmarks (now {self.n_landmarks}) if X has "
                f"more distinct rows."
            )
        return join(micro, wanted, method, rng, sweeper.workers)

    def _keep(self, labels: np.ndarray | None, base: np.ndarray | None = None) -> None:
        super()._keep(labels)
        self.__dict__.pop("base_labels_", None)
        if base is not None:
            self.base_labels_ = base

    def _collect(
        self, sweeper: Sweeper, ensemble: LabelsRows, output: LabelOutput, keep_base: bool
    ) -> tuple[np.ndarray, MicroClusters, MicroClusterCollector]:
        """Base labels (n, m) and micro-clusters of all rows, and who knows the rows of each."""
        from lsec.consensus_methods.micro_clusters import MicroClusterCollector, MicroClusters
        from lsec.stages.ensemble import sweep_labels

        n_rows, n_labels = sweeper.source.shape[0], ensemble.n_labels
        collector = MicroClusterCollector(len(n_labels), ensemble.dtype, output.spool(n_rows))
        shape = (n_rows if keep_base else 0, len(n_labels))
        base = scratch_array(shape, ensemble.dtype, parse_bytes(self.memory_limit))

        def consume(rows: slice, labels: np.ndarray) -> None:
            collector.add(rows, labels)
            if keep_base:
                base[rows] = labels

        sweep_labels(sweeper, ensemble, consume)
        labels, weights = collector.finish()
        of_row = collector.of_row() if output.in_memory else np.empty(0, np.int32)
        return base, MicroClusters(labels, weights, of_row, n_labels), collector

    @staticmethod
    def _label(
        micro: MicroClusters,
        collector: MicroClusterCollector,
        clusters: np.ndarray,
        output: LabelOutput,
    ) -> np.ndarray | None:
        """Labels of all rows from the clusters (n',) of their micro-clusters."""
        if output.in_memory:
            return clusters[micro.of_row]
        n_rows = int(micro.weights.sum())
        return output.write((clusters[numbers] for _, numbers in collector.spans()), n_rows)


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
