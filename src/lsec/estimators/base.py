"""Bases of the estimators: validated rows, threads, progress, model files; runs of ensembles."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial, wraps
from numbers import Integral
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import (
    _check_feature_names,
    _check_n_features,
    check_is_fitted,
    validate_data,
)

from lsec import __version__, checks
from lsec.estimators.callbacks import CallbackDisplay, CallbackSupportMixin, with_callbacks
from lsec.estimators.entries import estimator_docs
from lsec.estimators.feature_names import match_columns
from lsec.estimators.per_row import FITTED, PerRowAttribute
from lsec.execution.checkpoint import Checkpoint
from lsec.execution.memory import memory_budget
from lsec.execution.threads import Display, thread_count
from lsec.output.labels import LabelOutput
from lsec.output.overwriting import refuse_overwriting
from lsec.sources import Source, are_paths, is_dask, numeric_rows, open_source
from lsec.typing import AnyArray, Float64, Int32

if TYPE_CHECKING:
    from lsec.execution.executor import OpenDevice, Run
    from lsec.rows.frame import Projection
    from lsec.spectral.gram import Kernel
    from lsec.sweeps import FittedEnsemble

Fit = TypeVar("Fit", bound=Callable[..., Any])
StartRun = Callable[[int], "AbstractContextManager[Run]"]
LABELS_DO_NOT_DEPEND_ON = ("n_jobs", "device", "memory_limit", "verbose")
# Private attributes of fitted models
HIDDEN = ("_ensemble", "_consensus", "_frame", "_centers", "_categories")


def tells_callbacks(fit: Fit) -> Fit:
    """Decorator of methods that fit: callbacks of scikit-learn hear of the fit."""

    @wraps(fit)
    def told(model: Any, *args: Any, **kwargs: Any) -> Any:
        if not getattr(model, "_skl_callbacks", None):
            return fit(model, *args, **kwargs)
        task = model._init_callback_context(max_subtasks=None)
        task.call_on_fit_task_begin(estimator=model)
        fit(model, *args, **kwargs)
        task.call_on_fit_task_end(estimator=model)
        return model

    found: Fit = with_callbacks(told)
    return found


class RowsEstimator(CallbackSupportMixin, ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Base of the estimators: reads rows by block, never changes them."""

    n_clusters: Any
    n_jobs: int | None
    verbose: int
    labels_: Any = PerRowAttribute()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _open(self, X: Any, *, reset: bool) -> Source:
        """Validate rows without copying them; the source looks for NaN and infinity."""
        if reset:
            self._forget()
        accepted = {"accept_sparse": "csr", "dtype": "numeric", "ensure_all_finite": False}
        X = numeric_rows(X)
        validate = partial(validate_data, self, reset=reset, **accepted)
        try:
            with checks.short_errors():
                source = open_source(X, validate, getattr(self, "feature_names_in_", None))
        except TypeError as error:  # of a value that is neither a number nor a string
            reason = f"X must hold numbers; convert it, or leave columns out: {error}."
            raise TypeError(reason) from None
        if is_dask(X):
            _check_feature_names(self, X._meta, reset=reset)
        elif isinstance(X, Source) or are_paths(X):
            source = match_columns(self, source, reset=reset)
        elif source.device is not None:
            _check_feature_names(self, X, reset=reset)
        else:
            source.columns = getattr(self, "feature_names_in_", None)  # checked, as all in memory
        _check_n_features(self, source, reset=reset)
        return source

    def _forget(self) -> None:
        """Remove the results of an earlier fit, so that a failed one leaves no mixture of both."""
        public = {name for name in vars(self) if name.endswith("_") and not name.startswith("_")}
        for name in public.union(HIDDEN).intersection(vars(self)):
            delattr(self, name)

    def _check_parameters(self) -> None:
        """Check every parameter by itself, before any row is read."""
        self._check_clusters()
        checks.jobs(self.n_jobs)
        checks.verbosity(self.verbose)

    def _check_clusters(self) -> None:
        checks.integer("n_clusters", self.n_clusters, 1)

    @property
    def _least_clusters(self) -> int:
        """Lower bound on the clusters of the result."""
        return int(self.n_clusters)

    def _prepare(
        self, X: Any, labels_out: str | PathLike[str] | None
    ) -> tuple[Source, LabelOutput]:
        """Rows and output of a fit, once all parameters are checked."""
        self._check_parameters()
        output = LabelOutput(labels_out)
        source = self._open(X, reset=True)
        output.refuse_overwriting(*source.inputs)
        self._require_rows(source)
        return source, output

    def _require_rows(self, source: Source) -> None:
        """Refuse fewer rows than clusters."""
        n, k = source.n_counted, self._least_clusters
        if n < k:
            raise ValueError(
                f"n_samples={n} should be >= n_clusters={k}; ask for at most {n} clusters or pass "
                f"more rows."
            )

    def _open_for_predict(self, X: Any) -> Source:
        check_is_fitted(self, FITTED)
        return self._open(X, reset=False)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the fitted estimator to a file, for `lsec.load`.

        The file is a zip archive of the parameters and the tables that `predict` needs, and
        nothing per row (no `labels_`, `base_labels_` or `confidence_`). A `random_state` that is
        not a number is saved as None.

        Parameters
        ----------
        path : path
            Any name, such as "model.lsec"; an existing file is replaced by a complete one.

        Raises
        ------
        ValueError
            If parameters were changed after `fit`, such as the number of clusters.

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> from lsec import LightKMeans, load
        >>> from lsec.datasets import make_smiling_face
        >>> X, y = make_smiling_face(2000, random_state=0)
        >>> model = LightKMeans(4, random_state=0).fit(X)
        >>> with TemporaryDirectory() as folder:
        ...     model.save(f"{folder}/face.lsec")
        ...     bool((load(f"{folder}/face.lsec").predict(X) == model.labels_).all())
        True
        """
        check_is_fitted(self, FITTED)
        from lsec.model_files.persistence import save

        save(self, path)

    def _keep(self, labels: Any) -> Self:
        """Set the labels of the latest fit, if they are in memory."""
        if labels is not None:
            self.labels_ = labels
        return self

    @property
    def _watcher(self) -> Display | None:
        """Tells the callbacks of the fit that runs of its stages, if there are callbacks."""
        task = getattr(self, "_callback_fit_ctx", None)
        return None if task is None else CallbackDisplay(self, task)

    @property
    def _n_threads(self) -> int:
        return thread_count(checks.jobs(self.n_jobs))


class EnsembleEstimator(RowsEstimator):
    """Parameters and runs that all ensembles share."""

    memory_limit: int | float | str | None
    random_state: Any
    device: str
    n_landmarks: int | str
    projection: int | str | None
    metric: str
    kernel: str
    _confidence: Any = None  # of the clusters of distinct rows of base labels, if there are members

    def _check_parameters(self) -> None:
        super()._check_parameters()
        checks.integer(
            "n_landmarks", self.n_landmarks, 2, checks.MOST_LANDMARKS, words=(checks.AUTO,)
        )
        checks.integer("projection", self.projection, 1, words=("auto", None))
        checks.choice("metric", self.metric, ("euclidean", "cosine"))
        checks.choice("kernel", self.kernel, ("gaussian", "quartic"))
        checks.device(self.device)
        memory_budget(self.memory_limit)

    @estimator_docs
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
        {rows_to_fit}
        {options_of_fit}
        """
        return self._fit_rows(X, None, labels_out, checkpoint, client)

    @tells_callbacks
    def _fit_rows(
        self,
        X: Any,
        sample_weight: ArrayLike | None,
        labels_out: str | PathLike[str] | None,
        checkpoint: str | PathLike[str] | None,
        client: Any,
    ) -> Self:
        """Fit rows, of which some may count several times."""
        source, output = self._prepare(X, labels_out)
        if sample_weight is not None:
            source = self._weighted(source, sample_weight, client)
            self._require_rows(source)
        if checkpoint is not None:
            output.refuse_overwriting(checkpoint)
            refuse_overwriting(Path(checkpoint), source.inputs)
        start = partial(self._run, source, client=client, folder=checkpoint)
        return self._fit(source, checks.seed(self.random_state), output, start)

    def _weighted(self, source: Source, sample_weight: ArrayLike, client: Any) -> Source:
        """The rows of a source with weights; see `WeightedFit`."""
        raise NotImplementedError

    def _fit(
        self, source: Source, seed: np.random.SeedSequence, output: LabelOutput, start: StartRun
    ) -> Self:
        """Plan, run the pipeline and set fitted attributes; `start(result_bytes)` begins a run."""
        raise NotImplementedError

    @estimator_docs
    def predict(self, X: Any, *, labels_out: str | PathLike[str] | None = None) -> Any:
        """Label rows by the clusters found in `fit`.

        Rows of `fit` get their `labels_` again. In an ensemble, the members give a row its base
        labels. With these it joins the nearest consensus center ("bipartite", "lwgp"), or the
        cluster of the rows with the same base labels; if there were none, of the rows that share
        most base clusters with it.

        Parameters
        ----------
        {X}
        {labels_out}

        Returns
        -------
        labels : ndarray of shape (n_samples,), int32
            A Dask array for Dask collections, an array of the library of X for rows on a GPU.
            With `labels_out`, the file mapped into memory (.npy) or None.
        """
        from lsec.sweeps import label_rows

        output = LabelOutput(labels_out)
        source = self._open_for_predict(X)
        output.refuse_overwriting(*source.inputs)
        with self._run(source) as run:
            rows = label_rows(source, self._ensemble, run, output.spool)
            confidence = self._confidence and partial(self._confidence, rows.labels)
            return source.like(output.labels(rows, self._clusters(rows.labels), confidence))

    def _landmark_points(self) -> list[Float64]:
        """Landmarks of every set in the units of the data; projected ones are large there."""
        from lsec.spectral.ensemble import Ensemble

        ensemble = getattr(self, "_ensemble", None)
        ensemble = getattr(ensemble, "numeric", ensemble)  # of a table with categorical columns
        if not isinstance(ensemble, Ensemble):
            raise AttributeError(f"This {type(self).__name__} has no landmarks_.")
        return [ensemble.frame.original(group.landmarks.points) for group in ensemble.sets]

    def _clusters(self, base_labels: AnyArray) -> Int32:
        """Clusters (n,) of distinct rows of base labels (n, m)."""
        raise NotImplementedError

    def _landmarks_for(self, n_rows: int, n_features: int) -> int:
        """Number of landmarks for rows of some shape."""
        from lsec.spectral.landmarks import landmark_count

        wanted = None if isinstance(self.n_landmarks, str) else self.n_landmarks
        if isinstance(self.projection, Integral):
            n_features = min(n_features, int(self.projection))
        return landmark_count(n_rows, n_features, self._least_clusters, wanted)

    @property
    def _projection(self) -> Projection | None:
        from lsec.rows.frame import Projection

        if self.projection == "auto":
            return Projection.auto(self._least_clusters)
        q = self.projection
        return None if q is None else Projection(int(q), int(q))

    @property
    def _kernel(self) -> Kernel:
        from lsec.spectral.gram import KERNELS

        return KERNELS[self.kernel]

    def _run(
        self,
        source: Source,
        result_bytes: int = 0,
        *,
        client: Any = None,
        folder: str | PathLike[str] | None = None,
    ) -> AbstractContextManager[Run]:
        """Means of a run over the rows of a source; see `open_run`."""
        from lsec.execution.executor import open_run

        return open_run(
            source,
            n_threads=self._n_threads,
            memory_limit=self.memory_limit,
            verbose=self.verbose,
            client=client,
            checkpoint=None if folder is None else self._checkpoint(source, Path(folder)),
            result_bytes=result_bytes,
            open_device=self._open_device(source),
            watcher=self._watcher,
        )

    def _open_device(self, source: Source) -> OpenDevice | None:
        """Opens the GPU for a run: the one that `device` names, or that the rows live on."""
        if self.device == "cpu":
            return None
        from lsec.kernels.cuda.device import find_device

        anywhere = source.device is None or self.device not in ("auto", "cuda")
        return partial(find_device, self.device if anywhere else f"cuda:{source.device}")

    def _checkpoint(self, source: Source, folder: Path) -> Checkpoint:
        """Finished results of this fit in a folder."""
        if not isinstance(self.random_state, Integral):
            raise ValueError(
                f"checkpoint needs a random_state that is a number, so that the fit can be "
                f"repeated; got {checks.quoted(self.random_state)}."
            )
        parameters = self.get_params(deep=False)
        identity = {
            "lsec": __version__,
            "estimator": type(self).__name__,
            "rows": source.fingerprint(),
            **{k: repr(v) for k, v in parameters.items() if k not in LABELS_DO_NOT_DEPEND_ON},
        }
        return Checkpoint(folder, identity)

    def _describe(self, ensemble: FittedEnsemble, run: Run) -> None:
        """Set the fitted attributes that every ensemble has."""
        self._ensemble = ensemble
        self.n_base_clusters_ = np.array(ensemble.n_clusters)
        self.timings_ = dict(run.progress.seconds)
