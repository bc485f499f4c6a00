"""Soft membership of rows in the clusters, also as scikit-learn's `transform`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from lsec.estimators.base import EnsembleEstimator
from lsec.estimators.entries import estimator_docs
from lsec.output.labels import MemorySpool
from lsec.typing import AnyArray, Float32

if TYPE_CHECKING:
    from lsec.consensus.consensus import Consensus


class MembershipEstimator(
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]
    TransformerMixin,  # type: ignore[misc]
    EnsembleEstimator,
):
    """An ensemble whose members vote for the clusters of each row."""

    _consensus: Consensus

    @estimator_docs
    def predict_membership(self, X: Any) -> Any:
        """Soft membership of rows in the clusters.

        The mean, over the members, of the share of the row's base cluster that lies in each
        cluster. If another cluster than the predicted one leads, mass is shifted to the
        predicted one until it leads.

        Parameters
        ----------
        {X}

        Returns
        -------
        membership : ndarray of shape (n_samples, n_clusters), float32
            Rows sum to one and are largest at the label of `predict`, or, of noise, at the
            cluster that the row would have. A Dask array for Dask collections.

        {examples}
        >>> soft = model.predict_membership(X)
        >>> soft.shape, bool((soft.argmax(axis=1) == model.labels_).all())
        ((2000, 4), True)
        """
        from lsec.sweeps import label_rows

        source = self._open_for_predict(X)
        with self._run(source) as run:
            rows = label_rows(source, self._ensemble, run, MemorySpool)
            clusters = self._consensus.predict_numbers(rows.labels)
            membership = self._consensus.votes.membership(rows.labels, clusters)
            return source.like(rows.look_up(membership))

    @estimator_docs
    def transform(self, X: Any) -> Any:
        """Soft membership of rows in the clusters, as features; see `predict_membership`.

        Columns are named by `get_feature_names_out`; `set_output` chooses a data frame.

        Parameters
        ----------
        {X}

        Returns
        -------
        membership : ndarray of shape (n_samples, n_clusters), float32, or data frame

        {examples}
        >>> model.transform(X).shape, model.get_feature_names_out().tolist()
        ((2000, 4), ['lsec0', 'lsec1', 'lsec2', 'lsec3'])
        """
        return self.predict_membership(X)

    def _confidence(self, base_labels: AnyArray) -> Float32:
        clusters = self._consensus.predict_numbers(base_labels)
        return self._consensus.votes.confidence(base_labels, clusters)

    @property
    def _n_features_out(self) -> int:
        """Number of columns of `transform`."""
        return int(self.n_clusters_)
