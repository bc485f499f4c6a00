"""Tasks that run in a measured process: each times its laps and returns plain values."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import lsec
from benchmarks.harness import embeddings
from lsec import datasets, metrics

if TYPE_CHECKING:
    from benchmarks.harness.process import Clock

# Before the clock starts, a light fit of few rows loads and compiles everything: fewer rows than
# LSEC samples or more, as the data set has.
LIGHT = {"n_landmarks": 50, "n_base": 2}
SAMPLED_ROWS = 500_000  # with 1000 landmarks; with 50, it is 25,000
FEW_ROWS, MORE_ROWS = 20_000, 30_000
FEW_LABELS = 2000
FEW_FOR_PEERS = 2000
DRAWN_ROWS = 20_000


def stage(
    clock: Clock, folder: str, source: str, options: dict, dtype: str | None, part: dict[str, int]
) -> dict[str, Any]:
    """Write a data set to ``X.npy`` and ``y.npy``, or say why it cannot be loaded."""
    place = Path(folder)
    if source.startswith("make_"):
        make = getattr(datasets, source, None) or getattr(embeddings, source)
        _, y = make(**options, out=place / "X.npy")
    else:
        try:
            X, y = getattr(datasets, source)(**options, return_X_y=True)
        except FileNotFoundError as error:
            return {"not_run": str(error).split(". Looked for")[0][:200]}
        X, y = keep_part(X, y, **part)
        np.save(place / "X.npy", X.astype(dtype or X.dtype, copy=False))
    save(np.save, place / "y.npy", y)  # the last file: the folder is complete
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
    clock: Clock,
    folder: str,
    estimator: str,
    parameters: dict,
    thorough: bool = False,
    picture: str | None = None,
) -> dict[str, Any]:
    """Fit an estimator once, warm."""
    X = load_rows(folder)
    warm_estimator(estimator, parameters, X, thorough)
    with clock.lap():
        model = build(estimator, parameters).fit(X)
    if picture is not None:
        keep_picture(Path(picture), X, load_classes(folder), model.labels_)
    sets = getattr(model, "landmarks_", None)
    return {
        "n_rows": X.shape[0],
        "input_bytes": X.nbytes,
        "labels": hashlib.sha256(model.labels_.tobytes()).hexdigest()[:16],
        "timings": getattr(model, "timings_", {}),
        "n_clusters_found": int(np.count_nonzero(np.bincount(model.labels_))),
        "n_landmarks": len(sets[0]) if isinstance(sets, list) else None,
        **scores(folder, model.labels_),
    }


def generate(clock: Clock, folder: str, parameters: dict, members: str) -> dict[str, Any]:
    """Make a k-means ensemble and keep its micro-clusters, for every consensus function."""
    X = load_rows(folder)

    def make() -> Any:
        # One cluster: members are made, and nothing is joined.
        return lsec.EnsembleClustering(1, generator="kmeans", **parameters)

    warm_up(make, X)
    with clock.lap():
        micro = make().fit(X).micro_clusters_
    names = ("labels", "weights", "of_row", "n_labels")
    save(np.savez, Path(members), **{name: getattr(micro, name) for name in names})
    return {"n_micro_clusters": len(micro)}


def join(
    clock: Clock, folder: str, members: str, method: str, options: dict, n_clusters: int, seed: int
) -> dict[str, Any]:
    """Join a stored ensemble by a consensus function, warm."""
    with np.load(members) as file:
        micro = lsec.MicroClusters(**file)
    few = micro.labels[:FEW_LABELS]
    with suppress(ValueError):  # a few rows may not support so many clusters
        lsec.consensus(few, n_clusters, method, random_state=seed, **options)
    with clock.lap():
        labels = lsec.consensus(micro, n_clusters, method, random_state=seed, **options)
    return {"n_micro_clusters": len(micro), **scores(folder, labels)}


def peer(
    clock: Clock,
    folder: str,
    name: str,
    n_clusters: int,
    seed: int,
    warm_rows: int = FEW_FOR_PEERS,
) -> dict[str, Any]:
    """Cluster with another library, warm; rows are float32 for all of them."""
    from benchmarks.paper.peers import PEERS, mark_noise

    X = np.ascontiguousarray(load_rows(folder), np.float32)
    cluster = PEERS[name].cluster
    rng = np.random.default_rng(0)
    few = X[np.sort(rng.choice(len(X), min(warm_rows, len(X)), replace=False))]
    cluster(few, n_clusters, seed, PEERS[name].settings(few, n_clusters))
    settings = PEERS[name].settings(X, n_clusters)
    with clock.lap():
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


def build(estimator: str, parameters: dict) -> Any:
    """An estimator of lsec, or the k-means it is compared with."""
    if estimator == "KMeans":
        from sklearn.cluster import KMeans

        return KMeans(n_init=1, **parameters)
    return getattr(lsec, estimator)(**parameters)


def warm_estimator(estimator: str, parameters: dict, X: np.ndarray, thorough: bool) -> Any:
    """Fit a few rows, lightly and, if thorough, with the parameters to be timed."""
    light = warm_up(lambda: build(estimator, parameters), X)
    return build(estimator, parameters).fit(X[:FEW_ROWS]) if thorough else light


def warm_up(make: Callable[[], Any], X: np.ndarray) -> Any:
    """Fit a few rows, so that neither imports nor compilation are timed."""
    light = make()
    light.set_params(**{name: LIGHT[name] for name in LIGHT if name in light.get_params()})
    return light.fit(X[: FEW_ROWS if len(X) <= SAMPLED_ROWS else MORE_ROWS])


def keep_picture(path: Path, X: np.ndarray, y: np.ndarray, labels: np.ndarray) -> None:
    """Keep some rows with their labels and classes, to be drawn."""
    rng = np.random.default_rng(0)
    shown = np.sort(rng.choice(len(X), min(DRAWN_ROWS, len(X)), replace=False))
    points = np.asarray(X[shown], np.float32)
    save(np.savez_compressed, path, X=points, labels=labels[shown], y=y[shown])


def save(write: Callable[..., None], path: Path, *arrays: Any, **named: Any) -> None:
    """Write arrays to a file that appears when it is complete."""
    unfinished = path.with_name(f"{path.name}.part")
    with open(unfinished, "wb") as file:
        write(file, *arrays, **named)
    os.replace(unfinished, path)


def scores(folder: str, labels: np.ndarray) -> dict[str, float]:
    """Agreement with the classes, in percent."""
    return agreement(load_classes(folder), labels)


def agreement(y: np.ndarray, labels: np.ndarray) -> dict[str, float]:
    """ACC, NMI by the geometric mean and by the maximum, ARI and purity, in percent."""
    return {
        "acc": 100 * metrics.clustering_accuracy(y, labels),
        "nmi": 100 * metrics.normalized_mutual_information(y, labels),
        "nmi_max": 100 * metrics.normalized_mutual_information(y, labels, average="max"),
        "ari": 100 * metrics.adjusted_rand_index(y, labels),
        "purity": 100 * metrics.purity(y, labels),
    }
