"""Base of the estimators that join an ensemble by a consensus function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from lsec import checks
from lsec.estimators.base import FITTED, EnsembleEstimator, OfRows, missing_of_rows
from lsec.execution.budget import memory_budget
from lsec.output.labels import LabelOutput
from lsec.output.spool import MemorySpool, scratch_array

if TYPE_CHECKING:
    from lsec.consensus.consensus import Consensus
    from lsec.consensus.methods.method import ConsensusMethod
    from lsec.consensus.micro_clusters import MicroClusters
    from lsec.consensus.number_of_clusters import Evidence
    from lsec.execution.distinct import DistinctLabels
    from lsec.spectral.generation import EnsemblePlan
    from lsec.spectral.sweep import LabelsRows, Sweeper


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
        from lsec.consensus.consensus import requested_clusters
        from lsec.consensus.methods.registry import make_method

        method = make_method(self.consensus, checks.options(self.consensus_options))
        return method, requested_clusters(self.n_clusters, method, self.consensus)

    @property
    def _least_clusters(self) -> int:
        return 2 if isinstance(self.n_clusters, str) else self.n_clusters

    @property
    def _n_tables(self) -> int:
        """Members that have tables over landmarks, which take most of the memory."""
        return self.n_base

    @property
    def _tells_apart(self) -> str:
        """The parameters that say how many rows members can tell apart, with their values."""
        return f"n_landmarks (now {self.n_landmarks})"

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
        from lsec.spectral.generation import fit_ensemble

        plan = self._plan(sweeper.source.shape[0], np.random.default_rng(plan_seed))
        ensemble = fit_ensemble(sweeper, plan, fit_seed)
        self.landmarks_ = [ensemble.frame.original(s.tree.landmarks) for s in ensemble.sets]
        self.eigenvalues_ = [member.eigenvalues for member in ensemble.members]
        return ensemble

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
            memory: `base_labels_` and `confidence_` are not kept, and `labels_` is the file
            mapped into memory (.npy) or not set.
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
        plan_seed, fit_seed, consensus_seed = checks.seed(self.random_state).spawn(3)
        source = self._open(X, reset=True)
        checks.enough_rows(source.shape[0], self._least_clusters)
        with self._sweeping(source, client, checkpoint, new_members=self._n_tables) as sweeper:
            ensemble = self._generate(sweeper, plan_seed, fit_seed)
            base = self._base_array(sweeper, ensemble) if output.in_memory else None
            rows = sweeper.label(ensemble, output.spool, base)
            self.n_micro_clusters_ = len(rows.labels)
            if len(rows.labels) < self._least_clusters:
                # The members agree on too much: tell rows apart in one more way.
                ensemble = ensemble.finer(sweeper)
                rows = sweeper.label(ensemble, output.spool)
            with sweeper.stages.whole("consensus"):
                rng = np.random.default_rng(consensus_seed)
                micro = self._micro_clusters(rows, ensemble, output)
                self._consensus = self._join(micro, rng, sweeper)
                labels = output.labels(rows, self._consensus.micro_labels)
        self._keep(labels, base)
        self.n_clusters_ = self._consensus.n_clusters
        self._describe(ensemble, sweeper.stages)
        self.n_base_clusters_ = self.n_base_clusters_[: self.n_base]
        return self

    def predict(self, X, *, labels_out=None):
        """Label rows by the clusters found in `fit`.

        A row gets its base labels from the members. From these it goes to the nearest
        consensus center ("bipartite", "lwgp"), or to the cluster of the rows with the same
        base labels; where there were none, of those that share most base clusters with it.
        Rows seen in `fit` get their `labels_` again.

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
            return output.labels(rows, self._consensus.predict_numbers(rows.labels))

    def predict_membership(self, X):
        """Soft membership of rows in the clusters.

        The mean, over the members, of the share of the row's base cluster that lies in
        each cluster; where another cluster than the predicted one would get more, as much
        of the row as it takes is counted for the predicted one.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features), Dask array or data frame, \
path, or list of paths

        Returns
        -------
        membership : ndarray of shape (n_samples, n_clusters), float32
            Rows sum to one and are largest at the label of `predict`. A Dask array for Dask
            collections.
        """
        source = self._open_for_predict(X)
        with self._sweeping(source) as sweeper:
            rows = sweeper.label(self._ensemble, MemorySpool)
            clusters = self._consensus.predict_numbers(rows.labels)
            return rows.look_up(self._consensus.votes.membership(rows.labels, clusters))

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
        """Normalized mutual information of every two members, float64 (n_base, n_base)."""
        from lsec.consensus.agreement import agreement_of

        micro = self._fitted_consensus.micro
        return agreement_of(micro, "nmi")[: self.n_base, : self.n_base]

    @property
    def diversity_(self) -> float:
        """One less the mean agreement of two members."""
        from lsec.consensus.agreement import diversity_of

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
        from lsec.consensus.consensus import join

        method, wanted = self._method()
        if wanted is not None and len(micro) < wanted:
            raise ValueError(
                f"X has only {len(micro)} rows that can be told apart, n_clusters={wanted} were "
                f"asked. Lower n_clusters, or raise {self._tells_apart} if X has more distinct "
                f"rows."
            )
        return join(micro, wanted, method, rng, sweeper.workers)

    def _keep(self, labels: np.ndarray | None, base: np.ndarray | None = None) -> None:
        super()._keep(labels)
        self.__dict__.pop("base_labels_", None)
        if base is not None:
            self.base_labels_ = base

    def _base_array(self, sweeper: Sweeper, ensemble: LabelsRows) -> np.ndarray | None:
        """Room for the base labels (n, m) of all rows; None where rows are elsewhere."""
        if not sweeper.rows_are_here:
            return None
        shape = sweeper.source.shape[0], len(ensemble.n_labels)
        return scratch_array(shape, ensemble.dtype, memory_budget(self.memory_limit))

    @staticmethod
    def _micro_clusters(
        rows: DistinctLabels, ensemble: LabelsRows, output: LabelOutput
    ) -> MicroClusters:
        from lsec.consensus.micro_clusters import MicroClusters

        of_row = rows.of_row() if output.in_memory else np.empty(0, np.int32)
        return MicroClusters(rows.labels, rows.weights, of_row, ensemble.n_labels)


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
