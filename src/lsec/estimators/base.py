"""What all estimators share: validated rows, threads, progress."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from numbers import Integral
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import (
    _check_feature_names,
    _check_n_features,
    check_is_fitted,
    validate_data,
)

from lsec import __version__, checks
from lsec.execution.budget import memory_budget, shares
from lsec.execution.progress import Stages, showing
from lsec.execution.threads import Workers, thread_count
from lsec.sources import Source, is_dask, open_source
from lsec.sources.dask import DaskRows

if TYPE_CHECKING:
    from lsec.execution.checkpoint import Checkpoint
    from lsec.spectral.sweep import LabelsRows, Sweeper

CHANGE_NOTHING = ("n_jobs", "memory_limit", "verbose")  # parameters that labels do not depend on
FITTED = "timings_"  # the last attribute that every `fit` sets, and that model files keep
HIDDEN = ("_ensemble", "_consensus", "_frame", "_centers")  # what fitted models have beside


class OfRows:
    """A fitted attribute with a value per row; says why, where it was not kept."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, model: object | None, owner: type | None = None) -> Any:
        if model is None:
            return self
        raise AttributeError(missing_of_rows(model, self._name))


def missing_of_rows(model: object, name: str) -> str:
    """Why a fitted attribute with a value per row is not there."""
    kind = type(model).__name__
    if FITTED not in vars(model):
        return f"{kind!r} object has no attribute {name!r} before `fit`."
    return (
        f"This {kind} has no {name}: it was loaded from a file, or fitted with labels_out or on "
        f"Dask, and keeps nothing per row. Call predict(X) for the labels of rows, or fit it again."
    )


class RowsEstimator(ClusterMixin, BaseEstimator):
    """Base of the estimators: reads rows by block, never changes them."""

    n_clusters: int
    n_jobs: int | None
    verbose: int
    labels_: Any = OfRows()

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _open(self, X: Any, *, reset: bool) -> Source:
        """Validate rows without copying them.

        NaN and infinity are looked for by the source: at once, or block by block in the
        sweeps where reading a memory map twice would cost a pass over the file.
        """
        if reset:
            self._forget()
        validate = partial(
            validate_data,
            self,
            reset=reset,
            accept_sparse="csr",
            dtype="numeric",
            ensure_all_finite=False,
        )
        source = open_source(X, validate)
        if is_dask(X):
            _check_feature_names(self, X._meta, reset=reset)
        _check_n_features(self, source, reset=reset)
        return source

    def _forget(self) -> None:
        """Drop what an earlier fit found: one that fails leaves no model, not half of two."""
        public = {name for name in vars(self) if name.endswith("_") and not name.startswith("_")}
        for name in public.union(HIDDEN).intersection(vars(self)):
            delattr(self, name)

    def _check_parameters(self) -> None:
        """Check every parameter by itself, before any row is looked at."""
        self._check_clusters()
        checks.jobs(self.n_jobs)
        checks.verbosity(self.verbose)

    def _check_clusters(self) -> None:
        checks.integer("n_clusters", self.n_clusters, 1)

    @property
    def _least_clusters(self) -> int:
        """Clusters that the result will have at least."""
        return self.n_clusters

    def _open_for_predict(self, X: Any) -> Source:
        check_is_fitted(self, FITTED)
        return self._open(X, reset=False)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the fitted estimator to a file, for `lsec.load`.

        The file holds the parameters and what `predict` needs, as numbers and names in a
        zip archive, and nothing per row: no `labels_`, `base_labels_` or `confidence_`. A
        `random_state` that is not a number is saved as None.

        Parameters
        ----------
        path : path
            Any name; "model.lsec" is a good one. A file already there stays as it is until
            the new one is complete.
        """
        check_is_fitted(self, FITTED)
        from lsec.model_files.persistence import save

        save(self, path)

    def _keep(self, labels: np.ndarray | None) -> None:
        """Labels of the latest fit, if they are kept."""
        self.__dict__.pop("labels_", None)
        if labels is not None:
            self.labels_ = labels

    @property
    def _most_threads(self) -> int:
        return thread_count(checks.jobs(self.n_jobs))

    @contextmanager
    def _running(self, n_threads: int | None = None) -> Iterator[tuple[Workers, Stages]]:
        """Threads and progress for one run."""
        n_threads = n_threads or self._most_threads
        with showing(self.verbose, n_threads) as stages, Workers(n_threads) as workers:
            yield workers, stages


class EnsembleEstimator(RowsEstimator):
    """Base of the estimators whose rows get their labels from a fitted ensemble."""

    memory_limit: int | float | str | None
    random_state: object
    n_landmarks: int
    kernel: str

    def _check_parameters(self) -> None:
        """Check every parameter by itself, before any row is looked at."""
        super()._check_parameters()
        checks.integer("n_landmarks", self.n_landmarks, 2, checks.MOST_LANDMARKS)
        checks.choice("kernel", self.kernel, ("gaussian", "quartic"))
        memory_budget(self.memory_limit)

    @property
    def _refines(self) -> bool:
        """Whether passes over all rows follow, for which members have one table more."""
        return True

    def _landmarks_for(self, n_rows: int) -> int:
        """Number of landmarks for the rows there are.

        With few rows per landmark the graph of rows and landmarks falls apart. There
        is at most one landmark for nine rows, or three times the root of the rows
        where that is more; and always enough for the clusters asked.
        """
        most = max(n_rows // 9, int(3 * np.sqrt(n_rows)), 2 * self._least_clusters)
        return min(self.n_landmarks, most, n_rows)

    @contextmanager
    def _sweeping(
        self,
        source: Source,
        client: Any = None,
        folder: str | PathLike[str] | None = None,
        *,
        new_members: int = 0,
    ) -> Iterator[Sweeper]:
        """A sweeper over the rows of a source: in this process, or on Dask's workers.

        Parameters
        ----------
        client : distributed.Client, optional
            Where to run; by default the active one for Dask collections, else this process.
        folder : path, optional
            Where finished stages are kept.
        new_members : int
            Base clusterings that will be learned.
        """
        checkpoint = self._checkpoint(source, folder)
        budget = memory_budget(self.memory_limit)
        if client is not None or isinstance(source, DaskRows):
            from lsec.distributed.sweep import DaskSweeper

            at = nullcontext() if client is None else client.as_current()
            with self._running() as (workers, stages), at:
                yield DaskSweeper(source, workers, stages, budget, checkpoint, client=client)
            return
        from lsec.spectral.member import Member
        from lsec.spectral.sweep import Sweeper

        n_threads = self._most_threads
        if not source.in_memory:
            n_landmarks = self._landmarks_for(source.shape[0])
            result = new_members * Member.n_bytes(n_landmarks, self._refines)
            n_threads, budget = shares(budget, n_threads, source.block_bytes, result)
        with self._running(n_threads) as (workers, stages):
            yield Sweeper(source, workers, stages, budget, checkpoint)

    def _checkpoint(self, source: Source, folder: str | PathLike[str] | None) -> Checkpoint:
        """Finished stages of this fit in a folder."""
        from lsec.execution.checkpoint import Checkpoint, FolderCheckpoint

        if folder is None:
            return Checkpoint()
        if not isinstance(self.random_state, Integral):
            raise ValueError(
                f"checkpoint needs a random_state that is a number, so that the fit can be "
                f"repeated; got {self.random_state!r}."
            )
        parameters = self.get_params(deep=False)
        identity = {
            "lsec": __version__,
            "estimator": type(self).__name__,
            "rows": source.fingerprint(),
            **{k: repr(v) for k, v in parameters.items() if k not in CHANGE_NOTHING},
        }
        return FolderCheckpoint(Path(folder), identity)

    def _describe(self, ensemble: LabelsRows, stages: Stages) -> None:
        """Fitted attributes that every ensemble has."""
        self._ensemble = ensemble
        self.n_base_clusters_ = np.array(ensemble.n_clusters)
        self.timings_ = dict(stages.seconds)
