"""Fitted attributes of each estimator: those that are written, and those derived from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lsec.model_files.fields import ANY, Array, Field, OneOf, Place, Real, Record, Whole
from lsec.model_files.records import (
    CONSENSUS,
    ENSEMBLE,
    FRAME,
    KMEANS_ENSEMBLE,
    TABLE_ENSEMBLE,
)
from lsec.spectral.ensemble import Ensemble
from lsec.spectral.table_ensemble import TableEnsemble

MOST = 2**62


@dataclass(frozen=True)
class Timings(Field):
    """Seconds per stage."""

    def unpack(self, data: Any, place: Place) -> dict[str, float]:
        """Return the seconds by stage, checked."""
        place.require(isinstance(data, dict), "should be an object")
        return {stage: Real().unpack(seconds, place) for stage, seconds in data.items()}


@dataclass(frozen=True)
class Fitted:
    """The fitted attributes of an estimator.

    The attributes in `fields` are written. ``derive(place, attributes)`` checks them against each
    other, and returns those derived from them.
    """

    fields: Mapping[str, Field]
    derive: Callable[[Place, dict[str, Any]], dict[str, Any]]


def _derive_single(place: Place, fit: dict[str, Any]) -> dict[str, Any]:
    ensemble: Ensemble = fit["_ensemble"]
    place.require(len(ensemble.members) == 1 and not ensemble.finest, "should have one member")
    return {
        "n_base_clusters_": np.array(ensemble.n_clusters),
        "eigenvalues_": ensemble.members[0].eigenvalues,
    }


def _derive_consensus(place: Place, fit: dict[str, Any]) -> dict[str, Any]:
    ensemble, consensus = fit["_ensemble"], fit["_consensus"]
    same = np.array_equal(ensemble.n_labels, consensus.micro.n_labels)
    place.require(same, "combines other base clusterings than those of its members")
    derived: dict[str, Any] = {"n_clusters_": consensus.n_clusters}
    if isinstance(ensemble, (Ensemble, TableEnsemble)):
        derived["eigenvalues_"] = [member.eigenvalues for member in ensemble.members]
    if isinstance(ensemble, TableEnsemble):
        derived["_categories"] = ensemble.categories
        derived["_consensus"] = replace(consensus, votes_for_unseen=True)
    return derived


def _of_consensus(*ensembles: Record) -> Fitted:
    fields: dict[str, Field] = {
        "_ensemble": OneOf(ensembles),
        "_consensus": CONSENSUS,
        "n_base_clusters_": Array("int64", (ANY,), low=1),
        "n_micro_clusters_": Whole(1, MOST),
        "timings_": Timings(),
    }
    return Fitted(fields, _derive_consensus)


_SINGLE = Fitted({"_ensemble": ENSEMBLE, "timings_": Timings()}, _derive_single)

SAVED = {
    "LSEC": _of_consensus(ENSEMBLE, TABLE_ENSEMBLE),
    "USENC": _of_consensus(ENSEMBLE),
    "EnsembleClustering": _of_consensus(ENSEMBLE, KMEANS_ENSEMBLE),
    "DnCSC": _SINGLE,
    "USPEC": _SINGLE,
    "LightKMeans": Fitted(
        {
            "_frame": FRAME,
            "_centers": Array("float32", (ANY, "d")),
            "inertia_": Real(),
            "n_iter_": Whole(0, MOST),
            "timings_": Timings(),
        },
        lambda place, fit: {"cluster_centers_": fit["_frame"].original(fit["_centers"])},
    ),
}
"""Estimators that can be saved, by their names in the package `lsec`."""
