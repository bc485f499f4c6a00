"""What each estimator keeps of a fit, and which fitted attributes follow from that."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from lsec.model_files.consensus_records import CONSENSUS
from lsec.model_files.fields import ANY, Array, Field, Place, Real, Whole
from lsec.model_files.landmark_records import ENSEMBLE, FRAME, KMEANS_ENSEMBLE
from lsec.model_files.record import OneOf, Record
from lsec.spectral.ensemble import Ensemble

MOST = 2**62


@dataclass(frozen=True)
class Timings:
    """Seconds per stage."""

    def pack(self, value: dict[str, float], arrays: list[np.ndarray]) -> dict[str, float]:
        """Seconds by name."""
        return {name: float(seconds) for name, seconds in value.items()}

    def unpack(self, data: Any, place: Place) -> dict[str, float]:
        """Seconds by name, checked."""
        place.require(isinstance(data, dict), "should be an object")
        return {name: Real().unpack(seconds, place) for name, seconds in data.items()}


@dataclass(frozen=True)
class Kept:
    """The fit of a kind of estimator.

    Attributes
    ----------
    home : str
        Module of the estimator.
    fields : dict
        Attributes that are written.
    follow : callable (place, attributes) -> dict
        Checks attributes against each other; returns those that follow from them.
    """

    home: str
    fields: Mapping[str, Field]
    follow: Callable[[Place, dict[str, Any]], dict[str, Any]]

    def estimator(self, name: str) -> type:
        """The class."""
        return getattr(import_module(self.home), name)


def _follow_single(place: Place, fit: dict[str, Any]) -> dict[str, Any]:
    ensemble: Ensemble = fit["_ensemble"]
    place.require(len(ensemble.members) == 1 and not ensemble.finest, "should have one member")
    return {
        "n_base_clusters_": np.array(ensemble.n_clusters),
        "landmarks_": ensemble.frame.original(ensemble.sets[0].tree.landmarks),
        "eigenvalues_": ensemble.members[0].eigenvalues,
    }


def _follow_consensus(place: Place, fit: dict[str, Any]) -> dict[str, Any]:
    ensemble, consensus = fit["_ensemble"], fit["_consensus"]
    same = np.array_equal(ensemble.n_labels, consensus.micro.n_labels)
    place.require(same, "joins other base clusterings than its members give")
    known: dict[str, Any] = {"n_clusters_": consensus.n_clusters}
    if isinstance(ensemble, Ensemble):
        trees = [group.tree for group in ensemble.sets]
        known["landmarks_"] = [ensemble.frame.original(tree.landmarks) for tree in trees]
        known["eigenvalues_"] = [member.eigenvalues for member in ensemble.members]
    return known


def _follow_light_kmeans(place: Place, fit: dict[str, Any]) -> dict[str, Any]:
    return {"cluster_centers_": fit["_frame"].original(fit["_centers"])}


def _single(home: str) -> Kept:
    return Kept(home, {"_ensemble": ENSEMBLE, "timings_": Timings()}, _follow_single)


def _consensus(home: str, *ensembles: Record) -> Kept:
    fields: dict[str, Field] = {
        "_ensemble": OneOf(ensembles),
        "_consensus": CONSENSUS,
        "n_base_clusters_": Array("int64", (ANY,), low=1),
        "n_micro_clusters_": Whole(1, MOST),
        "timings_": Timings(),
    }
    return Kept(home, fields, _follow_consensus)


KEPT = {
    "LSEC": _consensus("lsec.estimators.lsec", ENSEMBLE),
    "USENC": _consensus("lsec.estimators.usenc", ENSEMBLE),
    "EnsembleClustering": _consensus(
        "lsec.estimators.ensemble_clustering", ENSEMBLE, KMEANS_ENSEMBLE
    ),
    "DnCSC": _single("lsec.estimators.dncsc"),
    "USPEC": _single("lsec.estimators.uspec"),
    "LightKMeans": Kept(
        "lsec.estimators.light_kmeans",
        {
            "_frame": FRAME,
            "_centers": Array("float32", (ANY, "d")),
            "inertia_": Real(),
            "n_iter_": Whole(0, MOST),
            "timings_": Timings(),
        },
        _follow_light_kmeans,
    ),
}
