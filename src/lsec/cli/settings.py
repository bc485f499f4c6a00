"""Options of `lsec fit` that become parameters of an estimator."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from operator import attrgetter
from typing import Any

import click

from lsec.cli import common

METHODS = {
    "lsec": "LSEC",
    "paper": "LSEC.paper",
    "dncsc": "DnCSC",
    "uspec": "USPEC",
    "usenc": "USENC",
    "ensemble": "EnsembleClustering",
    "light-kmeans": "LightKMeans",
}
SINGLE = ("dncsc", "uspec", "light-kmeans")  # clusterings without members

OPTIONS = (
    click.option("--consensus", help="Consensus function, such as bipartite."),
    click.option("--metric", type=click.Choice(["euclidean", "cosine"]), help="Distance of rows."),
    click.option("--n-landmarks", help="Landmarks, or auto: the resolution."),
    click.option("--n-base", type=int, help="Base clusterings of an ensemble."),
    click.option("--base-clusters", metavar="LOW,HIGH", help="Clusters of each of them, or auto."),
    common.device_option,
    click.option("--memory-limit", help="Memory for work, such as 2GiB."),
)

NAMES = (
    *("consensus", "metric", "n_landmarks", "n_base", "base_clusters"),
    *("device", "memory_limit"),
)


def estimator_options(command: Callable[..., None]) -> Callable[..., None]:
    """Options that a command takes as one dictionary, `settings`, of those that were given."""

    @wraps(command)
    def with_settings(*others: Any, **given: Any) -> None:
        settings = {name: given.pop(name) for name in NAMES}
        command(*others, settings={k: v for k, v in settings.items() if v is not None}, **given)

    for option in OPTIONS[::-1]:
        with_settings = option(with_settings)
    return common.method_option(METHODS, "lsec", "Clustering method.")(with_settings)


def make_estimator(method: str, n_clusters: str, settings: dict[str, Any]) -> Any:
    """Return the estimator of a method; parameters that were not given have their defaults."""
    import lsec

    make = attrgetter(METHODS[method])(lsec)
    allowed = make().get_params()
    for name in settings:
        if name not in allowed or (name == "consensus" and method in (*SINGLE, "usenc")):
            raise ValueError(f"--{name.replace('_', '-')} does not apply to {method}.")
    given = dict(settings)
    if "n_landmarks" in given:
        given["n_landmarks"] = common.parse_value(given["n_landmarks"])
    if "," in given.get("base_clusters", ""):
        given["base_clusters"] = tuple(map(common.parse_value, given["base_clusters"].split(",")))
    return make(common.parse_value(n_clusters), **given)


def refuse_confidence(method: str) -> None:
    """Refuse a method whose labels have no confidence."""
    if method in SINGLE:
        raise ValueError(f"--confidence does not apply to {method}: it is a single clustering.")
