"""Base of all estimators: validated rows, threads, progress, model files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import (
    _check_feature_names,
    _check_n_features,
    check_is_fitted,
    validate_data,
)

from lsec import checks
from lsec.execution.progress import Progress, reporting
from lsec.execution.threads import Workers, thread_count
from lsec.sources import Source, is_stored, open_array, open_rows
from lsec.sources.dask import DaskRows, is_dask

FITTED = "timings_"  # the last attribute that every `fit` sets, and that model files keep
HIDDEN = ("_ensemble", "_consensus", "_frame", "_centers")  # private attributes of fitted models


class PerRowAttribute:
    """A fitted attribute with one value per row; if it is missing, the error says why."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, model: object | None, owner: type | None = None) -> Any:
        if model is None:
            return self
        raise AttributeError(missing_attribute(model, self._name))


def missing_attribute(model: object, name: str) -> str:
    """Reason why a fitted attribute with one value per row is missing."""
    kind = type(model).__name__
    if FITTED not in vars(model):
        return f"{kind!r} object has no attribute {name!r} before `fit`."
    return (
        f"This {kind} has no {name}: it was loaded from a file, or fitted with labels_out or on "
        f"Dask, and keeps nothing per row. Call predict(X) for the labels of rows, or fit it again."
    )


class RowsEstimator(ClusterMixin, BaseEstimator):  # type: ignore[misc]
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
        """Validate rows without copying them.

        The source looks for NaN and infinity: at once, or block by block in the sweeps, since
        reading a memory map twice would cost a pass over the file.
        """
        if reset:
            self._forget()
        if is_dask(X):
            _check_feature_names(self, X._meta, reset=reset)
        if is_dask(X) or is_stored(X):
            source = DaskRows(X) if is_dask(X) else open_rows(X)
            _check_n_features(self, source, reset=reset)
            return source
        rows = validate_data(
            self,
            X,
            reset=reset,
            accept_sparse="csr",
            dtype="numeric",
            ensure_all_finite=False,
        )
        return open_array(rows, mapped=isinstance(X, np.memmap))

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

    def _open_for_predict(self, X: Any) -> Source:
        check_is_fitted(self, FITTED)
        return self._open(X, reset=False)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the fitted estimator to a file, for `lsec.load`.

        The file is a zip archive of numbers and names: the parameters and the tables that
        `predict` needs, and nothing per row (no `labels_`, `base_labels_` or `confidence_`). A
        `random_state` that is not a number is saved as None.

        Parameters
        ----------
        path : path
            Any name, such as "model.lsec". An existing file stays as it is until the new one is
            complete.
        """
        check_is_fitted(self, FITTED)
        from lsec.model_files.archive import save

        save(self, path)

    def _keep(self, labels: Any) -> Self:
        """Set the labels of the latest fit, if they are in memory."""
        if labels is not None:
            self.labels_ = labels
        return self

    @property
    def _n_threads(self) -> int:
        return thread_count(checks.jobs(self.n_jobs))

    @contextmanager
    def _threads(self) -> Iterator[tuple[Workers, Progress]]:
        """Threads and progress of a run that needs nothing else."""
        n_threads = self._n_threads
        with reporting(self.verbose, n_threads) as progress, Workers(n_threads) as workers:
            yield workers, progress
