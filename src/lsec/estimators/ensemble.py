"""Base of the estimators whose rows get their labels from a fitted ensemble."""

from __future__ import annotations

from contextlib import AbstractContextManager
from numbers import Integral
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lsec import __version__, checks
from lsec.estimators.base import RowsEstimator
from lsec.execution.checkpoint import FolderCheckpoint
from lsec.execution.memory import memory_budget
from lsec.sources import Source

if TYPE_CHECKING:
    from lsec.execution.run import Run
    from lsec.spectral.affinity import Kernel
    from lsec.sweeps import FittedEnsemble

LABELS_DO_NOT_DEPEND_ON = ("n_jobs", "memory_limit", "verbose")


class EnsembleEstimator(RowsEstimator):
    """Parameters and runs that all ensembles share."""

    memory_limit: int | float | str | None
    random_state: Any
    n_landmarks: int
    kernel: str

    def _check_parameters(self) -> None:
        super()._check_parameters()
        checks.integer("n_landmarks", self.n_landmarks, 2, checks.MOST_LANDMARKS)
        checks.choice("kernel", self.kernel, ("gaussian", "quartic"))
        memory_budget(self.memory_limit)

    @property
    def _least_clusters(self) -> int:
        """Lower bound on the clusters of the result."""
        return int(self.n_clusters)

    def _landmarks_for(self, n_rows: int) -> int:
        """Number of landmarks for a number of rows.

        With few rows per landmark the graph of rows and landmarks falls apart. There is at most
        one landmark for nine rows, or three times the root of the number of rows if that is
        more; and always enough for the number of clusters.
        """
        most = max(n_rows // 9, int(3 * np.sqrt(n_rows)), 2 * self._least_clusters)
        return min(self.n_landmarks, most, n_rows)

    @property
    def _kernel(self) -> Kernel:
        from lsec.spectral.affinity import KERNELS

        return KERNELS[self.kernel]

    def _run(
        self,
        source: Source,
        *,
        client: Any = None,
        folder: str | PathLike[str] | None = None,
        result_bytes: int = 0,
    ) -> AbstractContextManager[Run]:
        """Means of a run over the rows of a source; see `lsec.execution.run`."""
        from lsec.execution.run import open_run

        return open_run(
            source,
            n_threads=self._n_threads,
            memory_limit=self.memory_limit,
            verbose=self.verbose,
            client=client,
            checkpoint=None if folder is None else self._checkpoint(source, Path(folder)),
            result_bytes=result_bytes,
        )

    def _checkpoint(self, source: Source, folder: Path) -> FolderCheckpoint:
        """Finished results of this fit in a folder."""
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
            **{k: repr(v) for k, v in parameters.items() if k not in LABELS_DO_NOT_DEPEND_ON},
        }
        return FolderCheckpoint(folder, identity)

    def _describe(self, ensemble: FittedEnsemble, run: Run) -> None:
        """Set the fitted attributes that every ensemble has."""
        self._ensemble = ensemble
        self.n_base_clusters_ = np.array(ensemble.n_clusters)
        self.timings_ = dict(run.progress.seconds)
