"""Parameters and fitted attributes of a model that contradict each other."""

from __future__ import annotations

from typing import Any

import numpy as np

from lsec.consensus.consensus import AUTO, Consensus
from lsec.spectral.ensemble import Ensemble
from lsec.spectral.gram import KERNELS
from lsec.spectral.table_ensemble import TableEnsemble


def contradiction(model: Any) -> str | None:
    """What a fitted model says of itself that cannot be true, or None.

    Parameters that were changed after the fit contradict it, and so do damaged files.
    """
    frame = model._frame if hasattr(model, "_frame") else model._ensemble.frame
    if frame is None:  # a table without numeric columns
        return _of_table(model, model._ensemble) or _of_consensus(model, model._consensus)
    if frame.unit_rows != (getattr(model, "metric", "euclidean") == "cosine"):
        return f"metric={model.metric!r} is not that of the fit"
    if hasattr(model, "_centers"):
        return _of_clusters(model, len(model._centers), fewer=True)
    ensemble = model._ensemble
    if isinstance(ensemble, (Ensemble, TableEnsemble)):
        powers = {member.affinity.power for member in ensemble.members}
        if powers != {KERNELS[model.kernel].power}:
            return f"kernel={model.kernel!r} is not that of the fit"
    if not hasattr(model, "_consensus"):
        return _of_clusters(model, ensemble.n_clusters[0])
    if isinstance(ensemble, TableEnsemble):
        return _of_table(model, ensemble) or _of_consensus(model, model._consensus)
    return _of_members(model) or _of_consensus(model, model._consensus)


def _of_clusters(model: Any, found: int, *, fewer: bool = False) -> str | None:
    """Compare `n_clusters` with the clusters found, which may be `fewer`."""
    wanted = model.n_clusters
    if wanted == AUTO or found == wanted or (fewer and found < wanted):
        return None
    return f"n_clusters={wanted} differs from the {found} clusters of the fit"


def _of_table(model: Any, ensemble: TableEnsemble) -> str | None:
    """Compare the parameters of a table with its members and categorical columns."""
    if model.categorical_features is None:
        return "categorical_features=None is not that of the fit"
    if model.categorical_weight not in (AUTO, ensemble.weight):
        return f"categorical_weight={model.categorical_weight} is not that of the fit"
    extra = len(ensemble.members) - model.n_base
    if ensemble.members and extra:
        return f"n_base={model.n_base} differs from the members of the fit"
    has_scales = ensemble.categories.scales is not None
    if model.scale_numeric != has_scales and ensemble.members:
        return f"scale_numeric={model.scale_numeric} is not that of the fit"
    return None


def _of_members(model: Any) -> str | None:
    """Compare `n_base` with the members; a last one may tell more rows apart than they do."""
    found = model._ensemble.n_labels
    extra = len(found) - model.n_base
    if extra not in (0, 1) or not np.array_equal(model.n_base_clusters_, found[: model.n_base]):
        return f"n_base={model.n_base} differs from the members of the fit"
    told_apart, n_micro = model.n_micro_clusters_, len(model._consensus.micro)
    if told_apart >= n_micro if extra else told_apart != n_micro:
        return f"n_micro_clusters_ is {told_apart} and there are {n_micro}"
    return None


def _of_consensus(model: Any, consensus: Consensus) -> str | None:
    """Compare the consensus with the parameters and with itself."""
    of_table = isinstance(model._ensemble, TableEnsemble)
    if not (of_table or consensus.micro.takes_part.all()):
        return "a micro-cluster lacks the label of a member"
    if (model.noise is None) != (consensus.least_confidence is None):
        return f"noise={model.noise!r} is not that of the fit"
    evidence, merged = consensus.evidence, model.min_cluster_size > 1
    if evidence is not None:
        same = evidence.best == consensus.n_clusters
        fewer = merged and evidence.best > consensus.n_clusters
        if model.n_clusters != AUTO or not (same or fewer):
            return f"the evidence for {evidence.best} clusters is not that of the fit"
    alone = consensus.n_clusters == len(consensus.micro)  # as many clusters as distinct rows
    return _of_clusters(model, consensus.n_clusters, fewer=merged or alone)
