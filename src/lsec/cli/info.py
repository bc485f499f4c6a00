"""`lsec info`: describe a model file."""

from __future__ import annotations

from pathlib import Path

import click

from lsec.cli import common

HIDDEN = ("n_jobs", "verbose")


@click.command()
@click.argument("model", type=common.FILE)
@common.json_option
def info(model: Path, as_json: bool) -> None:
    """Describe a MODEL of `lsec fit`."""
    import lsec

    with common.one_line_errors():
        estimator = lsec.load(model)
    parameters = {k: v for k, v in estimator.get_params().items() if k not in HIDDEN}
    facts = {
        "estimator": type(estimator).__name__,
        "bytes": model.stat().st_size,
        "features": estimator.n_features_in_,
        "clusters": getattr(estimator, "n_clusters_", estimator.n_clusters),
    }
    if hasattr(estimator, "feature_names_in_"):
        facts["columns"] = ", ".join(estimator.feature_names_in_)
    if hasattr(estimator, "n_micro_clusters_"):
        facts["members"] = len(estimator.n_base_clusters_)
        facts["micro-clusters"] = estimator.n_micro_clusters_
    common.show({**facts, "parameters": parameters}, as_json)
