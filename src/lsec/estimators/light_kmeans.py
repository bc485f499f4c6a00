"""Light-k-means as an estimator."""

from __future__ import annotations

import warnings
from dataclasses import KW_ONLY, dataclass
from os import PathLike
from sys import float_info
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

from lsec import checks
from lsec.estimators.base import RowsEstimator, tells_callbacks
from lsec.estimators.entries import estimator_docs
from lsec.execution.threads import Progress, Workers, working
from lsec.output.labels import LabelOutput
from lsec.sources import Source
from lsec.typing import Float32, Float64

if TYPE_CHECKING:
    from lsec.spectral.kmeans import KMeansResult


@estimator_docs
@dataclass(eq=False, repr=False)
class LightKMeans(RowsEstimator):
    """k-means on a random sample; every other row joins its nearest center.

    Parameters
    ----------
    n_clusters : int, default=8
        A sample of fewer distinct rows has as many clusters, with a warning.
    sample_size : int, default=10_000
        Rows of the sample. With no more rows than this, k-means uses all of them.
    init : {"k-means++", "random"}, default="k-means++"
    n_init : int, default=1
        Runs on the sample; the best is kept.
    max_iter : int, default=100
    {random_state, n_jobs, verbose}

    Attributes
    ----------
    {labels_}
    cluster_centers_ : ndarray of shape (k, n_features)
        Means of the sampled rows of each of the k clusters, the heaviest cluster first.
    inertia_ : float
        Sum of squared distances of all rows to their centers, weighted if rows are.
    n_iter_ : int
        Iterations of the best run.
    {timings_, n_features_in_}

    Examples
    --------
    >>> import numpy as np
    >>> from lsec import LightKMeans
    >>> X = np.array([[0.0, 0], [0, 1], [9, 9], [9, 8]])
    >>> labels = LightKMeans(n_clusters=2, random_state=0).fit_predict(X)
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    """

    n_clusters: int = 8
    _: KW_ONLY
    sample_size: int = 10_000
    init: str = "k-means++"
    n_init: int = 1
    max_iter: int = 100
    random_state: Any = None
    n_jobs: int | None = None
    verbose: int = 0

    def _check_parameters(self) -> None:
        super()._check_parameters()
        checks.integer("sample_size", self.sample_size, self.n_clusters)
        checks.choice("init", self.init, ("k-means++", "random"))
        checks.integer("n_init", self.n_init, 1)
        checks.integer("max_iter", self.max_iter, 1)

    @tells_callbacks
    @estimator_docs
    def fit(
        self,
        X: Any,
        y: None = None,
        sample_weight: ArrayLike | None = None,
        *,
        labels_out: str | PathLike[str] | None = None,
    ) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features), path, or list of paths
            Files are read block by block (see `lsec.open_rows`) and may be larger than
            memory.
        y : ignored
        sample_weight : array-like of shape (n_samples,), optional
            Weight of each row: a row of weight 2 counts as two equal rows, a row of weight 0 only
            gets a label. By default all weights are 1.
        {labels_out}
            `labels_` is the file mapped into memory (.npy) or not set.

        Returns
        -------
        self
        """
        source, output = self._prepare(X, labels_out)
        n = source.shape[0]
        weights = None if sample_weight is None else checks.sample_weight(sample_weight, n)
        with working(self._n_threads, self.verbose, self._watcher) as (workers, progress):
            with progress.stage("centers"):
                result, self._centers = self._cluster_sample(source, weights)
            labels, inertia = self._assign(source, output, workers, progress, weights)
        self._keep(source.like(labels))
        self.cluster_centers_ = self._frame.original(self._centers)
        squares = float(inertia) / self._frame.scale / self._frame.scale
        self.inertia_ = min(squares, float_info.max)  # of rows of 1e200 and more
        self.n_iter_ = result.n_iter
        self.timings_ = dict(progress.seconds)
        return self

    @estimator_docs
    def predict(self, X: Any, *, labels_out: str | PathLike[str] | None = None) -> Any:
        """Nearest center of every row.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features), path, or list of paths
        {labels_out}

        Returns
        -------
        labels : ndarray of shape (n_samples,), int32
            With `labels_out`, the file mapped into memory (.npy) or None.
        """
        output = LabelOutput(labels_out)
        source = self._open_for_predict(X)
        output.refuse_overwriting(*source.inputs)
        with working(self._n_threads, self.verbose) as means:
            return source.like(self._assign(source, output, *means)[0])

    def _cluster_sample(
        self, source: Source, weights: Float64 | None
    ) -> tuple[KMeansResult, Float32]:
        """Choose the frame, and run k-means on a sample; returns the centers by weight, too."""
        from lsec.rows.frame import Frame
        from lsec.spectral.kmeans import draw_weighted, kmeans, merge_equal_rows

        # Two generators: the size of the sample must not change the draws of k-means.
        seeds = checks.seed(self.random_state).spawn(2)
        sampling, clustering = (np.random.default_rng(seed) for seed in seeds)
        drawn = draw_weighted(source.shape[0], weights, self.sample_size, sampling)
        own = np.ones(len(drawn)) if weights is None else weights[drawn]
        raw, counts = merge_equal_rows(source.take(drawn), own)
        self._frame = Frame.of(raw)
        rows = self._frame.rows(raw)
        k = self.n_clusters
        result = kmeans(
            rows,
            min(k, len(counts)),
            clustering,
            init=self.init,
            max_iter=self.max_iter,
            n_init=self.n_init,
            weights=counts,
        )
        if len(result.centers) < k:
            warnings.warn(
                f"The sample has only {len(result.centers)} distinct rows, so that there are as "
                f"many clusters and not n_clusters={k}. Lower n_clusters or raise sample_size "
                f"(now {self.sample_size}).",
                ConvergenceWarning,
                stacklevel=3,
            )
        heaviest_first = np.argsort(-np.bincount(result.labels, counts), kind="stable")
        return result, result.centers[heaviest_first]

    def _assign(
        self,
        source: Source,
        output: LabelOutput,
        workers: Workers,
        progress: Progress,
        weights: Float64 | None = None,
    ) -> tuple[Any, float]:
        """Labels of all rows, and the weighted sum of their squared distances in the frame."""
        spool = output.spool(source.shape[0])

        def assign_block(block: int) -> float:
            with progress.step("labels"):
                rows = self._frame.rows(source.block(block))
                labels, squared = rows.nearest(self._centers)
                span = source.span(block)
                spool.write(span, labels)
                if weights is not None:
                    return float(np.dot(weights[span], squared))
                return float(squared.sum(dtype=np.float64))

        progress.announce("labels", source.n_blocks, source.shape[0])
        inertia = sum(workers.map(assign_block, range(source.n_blocks)))
        return output.spooled(spool, source.shape[0]), inertia
