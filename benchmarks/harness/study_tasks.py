"""Tasks of single studies of ours: consensus functions, files, Dask clusters, first fits.

The estimators are imported inside the functions: they load numba, which a process must not have
loaded before its task begins.
"""

from __future__ import annotations

import hashlib
import os
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

import lsec
from benchmarks.harness.tasks import MORE_ROWS, agreement, build, load_rows, scores, warm_estimator
from lsec import datasets
from lsec.metrics import clustering_accuracy, normalized_mutual_information

ROWS_OF_DISTANCES = 2000  # to all landmarks, held at once

if TYPE_CHECKING:
    from benchmarks.harness.process import Clock


def make_labels(clock: Clock, folder: str, estimator: str, parameters: dict) -> dict[str, Any]:
    """Fit an ensemble and keep its base labels."""
    X = np.load(Path(folder) / "X.npy")
    model = getattr(lsec, estimator)(**parameters).fit(X)
    np.save(Path(folder) / "labels.npy", model.base_labels_)
    return {"n_micro_clusters": model.n_micro_clusters_}


def join_labels(
    clock: Clock, folder: str, method: str, n_clusters: int, seed: int
) -> dict[str, Any]:
    """Join stored base labels, warm: micro-clusters and the consensus function under the clock."""
    from lsec import MicroClusters, consensus

    labels = np.load(Path(folder) / "labels.npy")
    consensus(labels[:2000], n_clusters, method, random_state=seed)
    with clock.lap("micro-clusters"):
        micro = MicroClusters.from_labels(labels)
    with clock.lap("join"):
        result = consensus(micro, n_clusters, method, random_state=seed, full_output=True)
    joined = result.labels
    with clock.lap("confidence"):
        confidence = result.confidence
    return {
        "n_rows": labels.shape[0],
        "input_bytes": labels.nbytes,
        "n_micro_clusters": len(micro),
        "confidence": float(confidence.mean()),
        **scores(folder, joined),
    }


def join_all(
    clock: Clock, folder: str, parameters: dict, methods: list[str], seed: int
) -> dict[str, Any]:
    """Fit LSEC once and join its members by every function."""
    from lsec import LSEC, consensus

    X = np.load(Path(folder) / "X.npy")
    with clock.lap():
        model = LSEC(**parameters, random_state=seed).fit(X)
    micro = model.micro_clusters_
    joined = {}
    for method in methods:
        start = perf_counter()
        try:
            labels = consensus(micro, parameters["n_clusters"], method, random_state=seed)
        except ValueError as refusal:
            joined[method] = {"refused": str(refusal)}
            continue
        joined[method] = {"seconds": perf_counter() - start, **scores(folder, labels)}
    return {"n_micro_clusters": len(micro), "joined": joined, "input_bytes": X.nbytes}


def pool(
    clock: Clock, name: str, methods: list[str], n_draws: int, n_members: int
) -> dict[str, Any]:
    """Mean NMI (by the maximum) of consensus functions over draws from a pool of clusterings."""
    from lsec import MicroClusters, consensus

    path = Path(os.environ.get("LSEC_DATA", "")) / "pools" / f"{name}.npz"
    if not path.is_file():
        return {"not_run": f"there is no pools/{name}.npz in the folder that LSEC_DATA names"}
    with np.load(path) as file:
        members, y = file["members"], file["y"]
    n_clusters = len(np.unique(y))
    rng = np.random.default_rng(0)
    found: dict[str, list[float]] = {method: [] for method in methods}
    with clock.lap():
        for draw in range(n_draws):
            chosen = rng.choice(members.shape[1], n_members, replace=False)
            micro = MicroClusters.from_labels(members[:, chosen])
            for method in methods:
                labels = consensus(micro, n_clusters, method, random_state=draw)
                found[method].append(normalized_mutual_information(y, labels, average="max"))
    return {"nmi_max": found, "n_rows": len(y), "n_clusters": n_clusters}


def join_family(
    clock: Clock, name: str, seed: int, methods: list[str], rows: int, members: dict
) -> dict[str, Any]:
    """Fit LSEC to a family; join its members with the true number of clusters, and choose it."""
    from benchmarks.harness.families import make
    from lsec import LSEC, consensus

    X, y = make(name, seed, rows)
    k = int(y.max()) + 1
    with clock.lap():
        micro = LSEC(k, random_state=seed, **members).fit(X).micro_clusters_
    found = {}
    for method in methods:
        labels = consensus(micro, k, method, random_state=seed)
        free = consensus(micro, "auto", method, random_state=seed, full_output=True)
        found[method] = {
            "acc": 100 * clustering_accuracy(y, labels),
            "nmi": 100 * normalized_mutual_information(y, labels),
            "chosen": free.n_clusters,
        }
    return {"n_clusters": k, "n_micro_clusters": len(micro), "joined": found}


def cluster_shape(clock: Clock, shape: str, seed: int, methods: dict[str, dict]) -> dict[str, Any]:
    """Draw a shape and cluster it with estimators of any package."""
    from benchmarks.harness.shapes import SHAPES

    return cluster_with(clock, *SHAPES[shape](np.random.default_rng(seed)), methods)


def cluster_blobs(
    clock: Clock, sizes: list[int], n_columns: int, seed: int, methods: dict[str, dict]
) -> dict[str, Any]:
    """Draw Gaussian clusters of given sizes and cluster them with estimators of any package."""
    from sklearn.datasets import make_blobs

    X, y = make_blobs(sizes, n_columns, random_state=seed)
    return cluster_with(clock, X, y, methods)


def cluster_with(
    clock: Clock, X: np.ndarray, y: np.ndarray, methods: dict[str, dict]
) -> dict[str, Any]:
    """Scores of estimators of any package, all with the true number of clusters.

    A method has the ``module``, the ``estimator``, its ``parameters``, and the name of the
    parameter that ``counts`` clusters.
    """
    k = int(y.max()) + 1
    found = {}
    with clock.lap():
        for name, of in methods.items():
            kind = getattr(import_module(of["module"]), of["estimator"])
            model = kind(**of["parameters"], **{of["counts"]: k})
            found[name] = agreement(y, np.asarray(model.fit_predict(X)))
    return {"n_rows": len(X), "n_columns": X.shape[1], "n_clusters": k, "scores": found}


def recall(
    clock: Clock, folder: str, parameters: dict, n_neighbors: int, n_rows: int
) -> dict[str, Any]:
    """Share of the true nearest landmarks that the search of a fitted LSEC finds, of all sets.

    The true ones are those by float64 distances to all landmarks, in the working frame, for rows
    drawn at random.
    """
    from lsec import LSEC

    X = load_rows(folder)
    with clock.lap():
        ensemble = LSEC(**parameters).fit(X)._ensemble
    rng = np.random.default_rng(0)
    rows = ensemble.frame.rows(X[np.sort(rng.choice(len(X), min(n_rows, len(X)), replace=False))])
    shares = [share_of_nearest(rows, landmarks, n_neighbors) for landmarks, _ in ensemble.searches]
    n_rows, n_directions = rows.shape
    n_landmarks = len(ensemble.searches[0][0])
    sizes = {"n_rows": n_rows, "n_directions": n_directions, "n_landmarks": n_landmarks}
    return {"recall": float(np.mean(shares)), **sizes}


def share_of_nearest(rows: Any, landmarks: Any, n_neighbors: int) -> float:
    """Share of the landmarks found for rows that are no farther than the last true neighbor."""
    from scipy.spatial.distance import cdist

    near = rows.neighbors(landmarks, n_neighbors)
    points, centers = (of.astype(np.float64) for of in (rows.points(near.order), landmarks.points))
    n_true = 0
    for low in range(0, len(points), ROWS_OF_DISTANCES):
        distances = cdist(points[low : low + ROWS_OF_DISTANCES], centers, "sqeuclidean")
        last = np.partition(distances, n_neighbors - 1)[:, n_neighbors - 1 : n_neighbors]
        found = near.landmarks[low : low + ROWS_OF_DISTANCES].astype(np.int64)
        n_true += np.count_nonzero(np.take_along_axis(distances, found, axis=1) <= last)
    return n_true / near.landmarks.size


ROWS_AT_ONCE = 2**20


def make_files(clock: Clock, folder: str, source: str, rows: int, parquet: bool) -> dict[str, Any]:
    """Write a synthetic data set to ``X.npy`` (and ``X.parquet``) and ``y.npy``."""
    place = Path(folder)
    _, y = getattr(datasets, source)(rows, random_state=0, out=place / "X.npy")
    np.save(place / "y.npy", y)
    if parquet:
        _copy_to_parquet(place)
    return {}


def _copy_to_parquet(place: Path) -> None:
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

    X = np.load(place / "X.npy", mmap_mode="r")
    names = [f"x{j}" for j in range(X.shape[1])]
    schema = pa.schema([(name, pa.float32()) for name in names])
    with ParquetWriter(place / "X.parquet", schema) as writer:
        for low in range(0, len(X), ROWS_AT_ONCE):
            part = np.asarray(X[low : low + ROWS_AT_ONCE])
            columns = {name: part[:, j] for j, name in enumerate(names)}
            writer.write_table(pa.table(columns, schema))


def fit_stored(clock: Clock, folder: str, kind: str, parameters: dict) -> dict[str, Any]:
    """Fit LSEC to an array (kind "array") or to a file, labels to a file; warm."""
    from lsec import LSEC

    place = Path(folder)
    few = np.load(place / "X.npy", mmap_mode="r")[:600_000]
    LSEC(**parameters).set_params(n_base=5).fit(np.array(few))
    X = np.load(place / "X.npy") if kind == "array" else place / f"X.{kind}"
    out = place / f"labels-{kind}.npy"
    with clock.lap():
        model = LSEC(**parameters).fit(X, labels_out=out)
    labels = np.load(out, mmap_mode="r")
    y = np.load(place / "y.npy", mmap_mode="r")
    digest = hashlib.sha256()
    for low in range(0, len(labels), ROWS_AT_ONCE):
        digest.update(labels[low : low + ROWS_AT_ONCE].tobytes())
    return {
        "n_rows": len(labels),
        "labels": digest.hexdigest()[:16],
        "n_micro_clusters": model.n_micro_clusters_,
        "timings": model.timings_,
        "acc": 100 * clustering_accuracy(y, labels),
        "nmi": 100 * normalized_mutual_information(y, labels),
    }


def fit_both(
    clock: Clock, folder: str, parameters: dict, chunk: int, repeats: int
) -> dict[str, Any]:
    """Fit LSEC on threads and on a cluster of two processes, in turns; warm."""
    import dask.array as da
    from distributed import Client, LocalCluster, wait

    from lsec import LSEC

    path = Path(folder) / "X.npy"
    X = np.load(path)
    few = X[: min(len(X), 600_000)]
    hashes, stages = {}, {}
    with LocalCluster(2, threads_per_worker=1, dashboard_address=":0") as cluster, Client(cluster):
        held = da.from_array(X, chunks=(chunk, X.shape[1])).persist()
        wait(held)
        lazy = da.from_array(np.load(path, mmap_mode="r"), chunks=(chunk, X.shape[1]))
        LSEC(**parameters).fit(few)
        LSEC(**parameters).fit(da.from_array(few, chunks=(len(few) // 4 + 1, X.shape[1])))
        rows = {"threads": X, "cluster": held, "cluster, lazy chunks": lazy}
        for _ in range(repeats):
            for name, source in rows.items():
                with clock.lap(name):
                    model = LSEC(**parameters).fit(source)
                    wait(model.labels_)
                digest = hashlib.sha256(np.asarray(model.labels_).tobytes())
                hashes[name] = digest.hexdigest()[:16]
                stages[name] = model.timings_
    return {"n_rows": len(X), "hashes": hashes, "stages": stages}


def fit_and_predict(
    clock: Clock, folder: str, new_folder: str, estimator: str, parameters: dict, thorough: bool
) -> dict[str, Any]:
    """Fit an estimator, then label rows that it has not seen."""
    X, new = load_rows(folder), load_rows(new_folder)
    warm_estimator(estimator, parameters, X, thorough).predict(new[:MORE_ROWS])
    with clock.lap("fit"):
        model = build(estimator, parameters).fit(X)
    with clock.lap("predict"):
        labels = model.predict(new)
    return {
        "n_rows": X.shape[0],
        "n_new_rows": new.shape[0],
        "input_bytes": X.nbytes + new.nbytes,
        **scores(new_folder, labels),
    }


def interleave(
    clock: Clock,
    folder: str,
    settings: dict[str, dict],
    eigh_threads: dict[str, int | None],
    repeats: int,
) -> dict[str, Any]:
    """Time a dense eigenproblem and some estimators in turn, in one warm process."""
    from scipy.linalg import eigh
    from threadpoolctl import threadpool_limits

    X = load_rows(folder)
    matrix = np.random.default_rng(0).normal(size=(1000, 1000))
    matrix += matrix.T
    with threadpool_limits(1, user_api="blas"):
        eigh(matrix, subset_by_index=[960, 999])
    for name, parameters in settings.items():
        build(name, parameters).fit(X)
    found = {}
    for _ in range(repeats):
        for lap, n_threads in eigh_threads.items():
            with threadpool_limits(n_threads, user_api="blas"), clock.lap(lap):
                eigh(matrix, subset_by_index=[960, 999])
        for name, parameters in settings.items():
            with clock.lap(name):
                model = build(name, parameters).fit(X)
            found[name] = scores(folder, model.labels_)
    return {"scores": found, "input_bytes": X.nbytes}


def first_fit(clock: Clock, n_rows: int, n_features: int, parameters: dict) -> dict[str, Any]:
    """Fit LSEC twice in a process that has not loaded numba."""
    from lsec import LSEC

    X = datasets.make_flower(n_rows, random_state=0)[0]
    if n_features != X.shape[1]:
        X = _round_clusters(n_rows, n_features)
    for lap in ("first", "second"):
        with clock.lap(lap):
            LSEC(13, random_state=0, **parameters).fit(X)
    return {"input_bytes": X.nbytes}


def _round_clusters(n_rows: int, n_features: int):
    """Thirteen Gaussian clusters."""
    rng = np.random.default_rng(0)
    centers = 5 * rng.normal(size=(13, n_features))
    return centers[rng.integers(0, 13, n_rows)] + rng.normal(size=(n_rows, n_features))
