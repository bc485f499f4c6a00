"""What runs in a measured process: each function times its laps and returns plain values."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import lsec
from lsec import datasets, metrics
from lsec.bench.peers import PEERS, mark_noise
from lsec.output.atomic import open_atomically

if TYPE_CHECKING:
    from lsec.bench.child import Clock

# Before the clock starts, a light fit of few rows loads and compiles everything: fewer rows than
# LSEC samples or more, as the data set has.
LIGHT = {"n_landmarks": 50, "n_base": 2}
SAMPLED_ROWS = 500_000  # with 1000 landmarks; with 50, it is 25,000
FEW_ROWS, MORE_ROWS = 20_000, 30_000
MANY_FEATURES = 32
FEW_LABELS = 2000
FEW_FOR_PEERS = 2000
LAP = "run"
DRAWN_ROWS = 20_000


def prepare() -> None:
    """Load and compile what the tasks below need of lsec; other libraries are left to them."""
    from lsec.consensus.consensus import METHODS as CONSENSUS_METHODS
    from lsec.execution.distinct import START, Table

    narrow, _ = datasets.make_flower(FEW_ROWS, random_state=0)
    for X in (narrow, np.tile(narrow, MANY_FEATURES // 2)):
        for kind in (lsec.LSEC, lsec.USENC, lsec.DnCSC):
            warm_up(partial(kind, random_state=0), X)
    kmeans = partial(lsec.EnsembleClustering, generator="kmeans", random_state=0)
    labels = warm_up(kmeans, narrow).base_labels_
    for method in CONSENSUS_METHODS:
        lsec.consensus(labels[:FEW_LABELS], 2, method, random_state=0)
    more_than_it_holds = np.arange(START + 1, dtype=np.uint64)[:, None]
    Table(1).add(more_than_it_holds, first_row=0)


def stage(
    clock: Clock, folder: str, source: str, options: dict, dtype: str | None, part: dict[str, int]
) -> dict[str, Any]:
    """Write a data set to ``X.npy`` and ``y.npy``, or say why it cannot be loaded."""
    place = Path(folder)
    if source.startswith("make_"):
        _, y = getattr(datasets, source)(**options, out=place / "X.npy")
    else:
        try:
            X, y = getattr(datasets, source)(**options, return_X_y=True)
        except FileNotFoundError as error:
            return {"not_run": str(error).split(". Looked for")[0][:200]}
        X, y = keep_part(X, y, **part)
        np.save(place / "X.npy", X.astype(dtype or X.dtype, copy=False))
    with open_atomically(place / "y.npy") as file:  # the last file: the folder is complete
        np.save(file, y)
    return {}


def keep_part(X: np.ndarray, y: np.ndarray, rows: int = 0, columns: int = 0) -> tuple:
    """Some rows and columns, drawn at random, always the same."""
    rng = np.random.default_rng(0)
    if rows:
        kept = np.sort(rng.choice(len(X), rows, replace=False))
        X, y = X[kept], y[kept]
    if columns:
        X = X[:, np.sort(rng.permutation(X.shape[1])[:columns])]
    return X, y


def fit(
    clock: Clock, folder: str, estimator: str, parameters: dict, picture: str | None = None
) -> dict[str, Any]:
    """Fit an estimator once, warm."""
    X = load_rows(folder)
    kind = getattr(lsec, estimator)
    warm_up(lambda: kind(**parameters), X)
    with clock.lap(LAP):
        model = kind(**parameters).fit(X)
    if picture is not None:
        keep_picture(Path(picture), X, load_classes(folder), model.labels_)
    return {"timings": model.timings_, **scores(folder, model.labels_)}


def generate(clock: Clock, folder: str, parameters: dict, members: str) -> dict[str, Any]:
    """Make a k-means ensemble and keep its micro-clusters, for every consensus function."""
    X = load_rows(folder)

    def make() -> Any:
        # One cluster: members are made, and nothing is joined.
        return lsec.EnsembleClustering(1, generator="kmeans", **parameters)

    warm_up(make, X)
    with clock.lap(LAP):
        micro = make().fit(X).micro_clusters_
    with open_atomically(Path(members)) as file:
        np.savez(
            file,
            labels=micro.labels,
            weights=micro.weights,
            of_row=micro.of_row,
            n_labels=micro.n_labels,
        )
    return {"n_micro_clusters": len(micro)}


def join(
    clock: Clock,
    folder: str,
    members: str,
    method: str,
    options: dict,
    n_clusters: int,
    seed: int,
) -> dict[str, Any]:
    """Join a stored ensemble by a consensus function, warm."""
    with np.load(members) as file:
        micro = lsec.MicroClusters(**file)
    few = micro.labels[:FEW_LABELS]
    with suppress(ValueError):  # a few rows may not support so many clusters
        lsec.consensus(few, n_clusters, method, random_state=seed, **options)
    with clock.lap(LAP):
        labels = lsec.consensus(micro, n_clusters, method, random_state=seed, **options)
    return {"n_micro_clusters": len(micro), **scores(folder, labels)}


def peer(clock: Clock, folder: str, name: str, n_clusters: int, seed: int) -> dict[str, Any]:
    """Cluster with another library, warm; rows are float32 for all of them."""
    X = np.ascontiguousarray(load_rows(folder), np.float32)
    cluster = PEERS[name].cluster
    rng = np.random.default_rng(0)
    few = X[np.sort(rng.choice(len(X), min(FEW_FOR_PEERS, len(X)), replace=False))]
    cluster(few, n_clusters, seed, PEERS[name].settings(few, n_clusters))
    settings = PEERS[name].settings(X, n_clusters)
    with clock.lap(LAP):
        labels = cluster(X, n_clusters, seed, settings)
    labels = mark_noise(np.asarray(labels))
    found = {"n_clusters_found": len(np.unique(labels)), "parameters": settings}
    return {**found, **scores(folder, labels)}


def load_rows(folder: str) -> np.ndarray:
    """The rows of a staged data set."""
    return np.load(Path(folder) / "X.npy")


def load_classes(folder: str) -> np.ndarray:
    """The classes of a staged data set."""
    return np.load(Path(folder) / "y.npy")


def warm_up(make: Callable[[], Any], X: np.ndarray) -> Any:
    """Fit a few rows, so that neither imports nor compilation are timed."""
    light = make()
    light.set_params(**{name: LIGHT[name] for name in LIGHT if name in light.get_params()})
    return light.fit(X[: FEW_ROWS if len(X) <= SAMPLED_ROWS else MORE_ROWS])


def keep_picture(path: Path, X: np.ndarray, y: np.ndarray, labels: np.ndarray) -> None:
    """Keep some rows with their labels and classes, to be drawn."""
    rng = np.random.default_rng(0)
    shown = np.sort(rng.choice(len(X), min(DRAWN_ROWS, len(X)), replace=False))
    with open_atomically(path) as file:
        np.savez_compressed(
            file, X=np.asarray(X[shown], np.float32), labels=labels[shown], y=y[shown]
        )


def scores(folder: str, labels: np.ndarray) -> dict[str, float]:
    """Agreement with the classes, in percent."""
    y = load_classes(folder)
    return {
        "acc": 100 * metrics.clustering_accuracy(y, labels),
        "nmi": 100 * metrics.normalized_mutual_information(y, labels),
        "nmi_max": 100 * metrics.normalized_mutual_information(y, labels, average="max"),
        "ari": 100 * metrics.adjusted_rand_index(y, labels),
        "purity": 100 * metrics.purity(y, labels),
    }
