"""`fit` with weights of the rows."""

from __future__ import annotations

from os import PathLike
from typing import Any, Self

from numpy.typing import ArrayLike

from lsec import checks
from lsec.estimators.base import EnsembleEstimator
from lsec.estimators.entries import estimator_docs
from lsec.sources import Source


class WeightedFit(EnsembleEstimator):
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
        {X}
            Files are read block by block (see `lsec.open_rows`) and may be larger than memory.
            Rows of Dask collections stay on the workers.
        y : ignored
        sample_weight : array-like of shape (n_samples,), optional
            Weight of each row, a whole number: a row of weight 3 counts as three equal rows in its
            place, a row of weight 0 only gets a label, and belongs to the nearest micro-cluster.
            By default all weights are 1. Not on Dask.
        {labels_out}
            `labels_` is the file mapped into memory (.npy) or not set, and neither are
            `base_labels_` and `confidence_`.
        {checkpoint, client}

        Returns
        -------
        self
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
