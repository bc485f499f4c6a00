"""Base of the estimators that join an ensemble by a consensus function."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from lsec import checks
from lsec.estimators.base import StartRun
from lsec.estimators.entries import estimator_docs
from lsec.estimators.membership import MembershipEstimator
from lsec.estimators.per_row import FITTED, PerRowAttribute, missing_attribute
from lsec.output.labels import LabelOutput, MemorySpool
from lsec.output.overwriting import refuse_overwriting
from lsec.sources import Source, is_dask
from lsec.typing import AnyArray, Float32, Float64, Int32, Int64

if TYPE_CHECKING:
    from lsec.consensus.consensus import Consensus
    from lsec.consensus.merge_tree import MergeTree
    from lsec.consensus.methods import ConsensusMethod
    from lsec.consensus.micro_clusters import MicroClusters
    from lsec.consensus.number_of_clusters import Evidence
    from lsec.pipeline import Plan


class BaseLabels(PerRowAttribute):
    """Base labels of all rows, unsigned (n, m), made when they are asked for."""

    def __get__(self, model: Any, owner: type | None = None) -> Any:
        if model is None or FITTED not in vars(model):
            return super().__get__(model, owner)
        micro = model.micro_clusters_
        if not len(micro.of_row):
            return super().__get__(model, owner)
        dtype = np.min_scalar_type(int(model.n_base_clusters_.max()) - 1)
        return micro.labels[:, : model.n_base].astype(dtype, copy=False)[micro.of_row]


class ConsensusEstimator(MembershipEstimator):
    """An ensemble of many members, joined by a consensus function."""

    n_clusters: int | str
    n_base: int
    base_clusters: tuple[int, int] | str
    consensus: str = "bipartite"
    consensus_options: dict[str, Any] | None = None
    noise: float | tuple[str, float] | None = None
    min_cluster_size: int = 1
    base_labels_: Any = BaseLabels()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []  # memberships are float32
        return tags

    def _check_parameters(self) -> None:
        super()._check_parameters()
        checks.integer("n_base", self.n_base, 1)
        checks.bounds("base_clusters", self.base_clusters)
        checks.noise(self.noise)
        checks.integer("min_cluster_size", self.min_cluster_size, 1)

    def _check_clusters(self) -> None:
        self._method()

    def _method(self) -> tuple[ConsensusMethod, int | None]:
        """The consensus function and its number of clusters; None to choose the number."""
        from lsec.consensus.consensus import make_method, requested_clusters

        method = make_method(self.consensus, checks.options(self.consensus_options), "consensus")
        return method, requested_clusters(self.n_clusters, method, self.consensus)

    @property
    def _least_clusters(self) -> int:
        return 2 if isinstance(self.n_clusters, str) else self.n_clusters

    @property
    def _advice(self) -> str:
        """Remedy if members tell too few rows apart."""
        return f"raise n_landmarks (now {self.n_landmarks}) if X has more distinct rows"

    def _plan(self, shape: tuple[int, int], rng: np.random.Generator) -> Plan:
        """The members to fit to rows of a shape."""
        raise NotImplementedError

    def _member_bounds(self, n_rows: int) -> tuple[int, int]:
        """Range of the number of clusters of a member."""
        k = self._least_clusters
        bounds = checks.bounds("base_clusters", self.base_clusters) or default_bounds(k)
        return fit_bounds(bounds, n_rows, k)

    def _fit(
        self, source: Source, seed: np.random.SeedSequence, output: LabelOutput, start: StartRun
    ) -> Self:
        from lsec import pipeline
        from lsec.consensus.consensus import ConsensusPlan
        from lsec.consensus.noise import Noise
        from lsec.spectral.kmeans_ensemble import KMeansEnsemble

        plan_seed, *seeds = seed.spawn(3)
        method, n_clusters = self._method()
        shape = source.n_counted, source.shape[1]
        plan = self._plan(shape, np.random.default_rng(plan_seed))
        asked = checks.noise(self.noise)
        noise = None if asked is None else Noise(*asked)
        join = ConsensusPlan(method, n_clusters, self._advice, self.min_cluster_size, noise)
        with start(plan.n_bytes) as run:
            found = pipeline.cluster(source, plan, join, seeds, run, output)
        self._describe(found.ensemble, run)
        if not isinstance(found.ensemble, KMeansEnsemble):
            self.eigenvalues_ = [member.eigenvalues for member in found.ensemble.members]
        self._consensus = found.consensus
        self.n_clusters_ = found.consensus.n_clusters
        self.n_micro_clusters_ = found.n_micro_clusters
        self.n_base_clusters_ = self.n_base_clusters_[: self.n_base]
        return self._keep(source.like(found.labels))

    @property
    def landmarks_(self) -> list[Float64]:
        """Landmarks in the units of the data, of shape (n_landmarks, n_features) for each set."""
        return self._landmark_points()

    def _clusters(self, base_labels: AnyArray) -> Int32:
        return self._consensus.predict_labels(base_labels)

    @estimator_docs
    def labels_at(self, n_clusters: int, X: Any = None) -> Any:
        """Coarser or finer labels without another fit: a cut of the merge tree.

        More clusters divide those of fewer; `n_clusters_` clusters have the labels of `fit` and
        `predict`. Noise is the same for every number.

        Parameters
        ----------
        n_clusters : int
            At most the number of groups in `tree_`.
        {X}
            The rows of `fit` by default.

        Returns
        -------
        labels : ndarray of shape (n_samples,), int32
            Numbered in the order of the first rows of `fit`. A Dask array for Dask collections.

        {examples}
        >>> [len(set(model.labels_at(k))) for k in (2, 4, 12)]
        [2, 4, 12]
        """
        from lsec.sweeps import label_rows

        if X is None:
            return self._with_rows("labels_").labels_at(n_clusters)
        consensus = self._fitted_consensus
        consensus.tree.cut(n_clusters)  # refuses a wrong number before any row is read
        source = self._open_for_predict(X)
        with self._run(source) as run:
            rows = label_rows(source, self._ensemble, run, MemorySpool)
            return source.like(rows.look_up(consensus.predict_labels(rows.labels, n_clusters)))

    @estimator_docs
    def typical_rows(self, n_rows: int = 5) -> list[Int64]:
        """Positions of the most typical rows of every cluster.

        These are rows that the members agree on: of the micro-clusters with the highest confidence,
        the heaviest first, each gives its first row before any gives a second.

        Parameters
        ----------
        n_rows : int, default=5
            Rows of each cluster; a cluster with fewer gives all.

        Returns
        -------
        rows : list of ndarray, int64
            Positions in the rows of `fit`, the most typical first, cluster by cluster.

        {examples}
        >>> typical = model.typical_rows(3)
        >>> [set(model.labels_[rows].tolist()) for rows in typical]
        [{0}, {1}, {2}, {3}]
        """
        from lsec.consensus.typical_rows import typical_rows

        checks.integer("n_rows", n_rows, 1)
        return typical_rows(self._with_rows("typical_rows"), n_rows)

    @estimator_docs
    def explore(
        self,
        X: Any,
        path: str | PathLike[str],
        *,
        names: Sequence[Any] | None = None,
        feature_names: Sequence[Any] | None = None,
        coordinates: Any = None,
    ) -> None:
        """Write a page to explore the clusters of X: one HTML file, for any browser, offline.

        The page draws at most a million rows in two dimensions, more are sampled at random. They
        are colored by cluster, by confidence or by a feature; a slider merges and divides the
        clusters, as `labels_at` does. Every cluster has a card with its size, confidence, profile,
        typical and least certain rows; chosen rows are saved as CSV. The page has the 30 features
        that differ most between clusters, fewer if it would become larger than 15 MB. A value
        of a categorical column is a feature of its own, which gives no coordinates.

        Parameters
        ----------
        {X}
            Rows of the fit, or others, which are labeled by `predict`; no Dask collections.
        path : path
            Such as "page.html"; an existing file is replaced by a complete one.
        names : sequence of shape (n_samples,), optional
            Names of the rows.
        feature_names : sequence of shape (n_features,), optional
            By default the names seen in `fit`, or numbers.
        coordinates : array-like of shape (n_samples, 2) or path, optional
            Where to draw the rows, such as an embedding. By default the columns of X if there are
            two, otherwise the two leading principal directions of a sample.

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> from lsec import LSEC
        >>> from lsec.datasets import make_smiling_face
        >>> X, y = make_smiling_face(2000, random_state=0)
        >>> model = LSEC(4, random_state=0).fit(X)
        >>> with TemporaryDirectory() as folder:
        ...     model.explore(X, f"{folder}/page.html", feature_names=["width", "height"])
        """
        from lsec.explorer.document import write_page
        from lsec.explorer.exploration import Exploration

        if is_dask(X):
            raise ValueError("explore takes no Dask collections. Pass X.compute(), or files.")
        source, page = self._open_for_predict(X), Path(path)
        refuse_overwriting(page, source.inputs)
        settings = {"names": names, "feature_names": feature_names, "coordinates": coordinates}
        write_page(page, Exploration.of(self, source, **settings))

    @property
    def tree_(self) -> MergeTree:
        """Merge tree of the clusters and of their parts; `labels_at` cuts it."""
        return self._fitted_consensus.tree

    @property
    def consensus_(self) -> Consensus:
        """The consensus of the members, as `lsec.consensus` returns it."""
        return self._fitted_consensus

    @property
    def micro_clusters_(self) -> MicroClusters:
        """Distinct rows of base labels with weights, as the consensus saw them."""
        return self._fitted_consensus.micro

    @property
    def confidence_(self) -> Float32:
        """Agreement of the members with `labels_`, in [0, 1], of shape (n_samples,).

        The mean, over the members, of the share of the row's base cluster with the row's label.
        """
        return self._with_rows("confidence_").confidence

    @property
    def probabilities_(self) -> Float32:
        """`confidence_`, but 0 for noise, of shape (n_samples,)."""
        consensus = self._with_rows("probabilities_")
        sure = np.where(consensus.is_noise, np.float32(0), consensus.micro_confidence)
        return sure[consensus.micro.of_row]

    @property
    def agreement_(self) -> Float64:
        """Normalized mutual information of every two members, of shape (n_base, n_base)."""
        from lsec.metrics import agreement_matrix

        return agreement_matrix(self._fitted_consensus.micro)[: self.n_base, : self.n_base]

    @property
    def diversity_(self) -> float:
        """1 - mean pairwise agreement of the members."""
        from lsec.metrics import diversity_of

        return diversity_of(self.agreement_)

    @property
    def evidence_(self) -> Evidence | None:
        """Scores of the candidate numbers of clusters, if `n_clusters` is "auto"."""
        return self._fitted_consensus.evidence

    def _with_rows(self, name: str) -> Consensus:
        """The consensus with the micro-cluster of every row, which an attribute needs."""
        consensus = self._fitted_consensus
        if not len(consensus.micro.of_row):
            raise AttributeError(missing_attribute(self, name))
        return consensus

    @property
    def _fitted_consensus(self) -> Consensus:
        check_is_fitted(self, FITTED)
        return self._consensus


class WeightedFit(ConsensusEstimator):
    """An ensemble whose rows may have weights.

    A row of weight w is w equal rows in succession: samples are drawn from these, and every sum
    over the rows is one of whole numbers, so that both give the same fit to the last bit.
    """

    _weights_need: tuple[str, str]  # the parameter and its value with which sums are exact

    @estimator_docs
    def fit(
        self,
        X: Any,
        y: None = None,
        sample_weight: ArrayLike | None = None,
        *,
        labels_out: str | PathLike[str] | None = None,
        checkpoint: str | PathLike[str] | None = None,
        client: Any = None,
    ) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        {rows_to_fit}
        sample_weight : array-like of shape (n_samples,), optional
            Weight of each row, a whole number: a row of weight 3 counts as three equal rows in its
            place, a row of weight 0 only gets a label, and belongs to the nearest micro-cluster.
            By default all weights are 1. Not on Dask.
        {options_of_fit}
        """
        return self._fit_rows(X, sample_weight, labels_out, checkpoint, client)

    def _weighted(self, source: Source, sample_weight: ArrayLike, client: Any) -> Source:
        name, value = self._weights_need
        if getattr(self, name) != value:
            raise ValueError(
                f"sample_weight needs {name}={value!r}, whose sums over the rows are exact; got "
                f"{getattr(self, name)!r}. Change it, or repeat the rows."
            )
        if client is not None or source.kind == "dask":
            raise ValueError(
                "sample_weight is not supported on Dask. Fit the rows from memory or from files "
                "without a client, or repeat them."
            )
        return source.weighted(checks.whole_weights(sample_weight, source.shape[0]))


def default_bounds(n_clusters: int) -> tuple[int, int]:
    """Bounds on the number of clusters of a member that grow with that of the result.

    >>> [default_bounds(k) for k in (10, 20, 100)]
    [(20, 60), (40, 120), (132, 328)]
    """
    low, high = max(2 * n_clusters, 20), max(6 * n_clusters, 60)
    return min(low, n_clusters + 32), min(high, 2 * n_clusters + 128)


def fit_bounds(bounds: tuple[int, int], n_rows: int, n_clusters: int) -> tuple[int, int]:
    """Bounds on the number of clusters of a member, given the number of rows.

    A member with nearly as many clusters as rows carries no information. If the upper bound
    exceeds the square root of the number of rows, both bounds shrink in proportion; the upper
    one stays at least `n_clusters`.

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
