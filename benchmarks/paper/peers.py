"""Other libraries' clusterings, one adapter each.

An adapter gets float32 rows, the true number of clusters, a seed and its settings, and returns
labels; -1 stands for noise. Its settings are the defaults of the library, but for those named
here: settings that must follow the scale or the number of rows, and those in which the libraries
would differ from each other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module, metadata
from importlib.util import find_spec
from typing import Any

import numpy as np

Settings = dict[str, Any]


@dataclass(frozen=True)
class Peer:
    """Another library's clustering.

    Attributes
    ----------
    module, package : str
        The module to import, and the package to install for it.
    cluster : callable
        ``cluster(X, n_clusters, seed, settings)`` returns labels.
    settings : callable
        ``settings(X, n_clusters)`` returns the settings for these rows.
    """

    module: str
    package: str
    cluster: Callable[[np.ndarray, int, int, Settings], np.ndarray]
    settings: Callable[[np.ndarray, int], Settings] = lambda X, k: {}

    @property
    def missing(self) -> str:
        """Which package to install, or empty if it is installed."""
        if find_spec(self.module) is not None:
            return ""
        return f"{self.package} is not installed. Get it with: pip install '.[bench]'"


def mark_noise(labels: np.ndarray) -> np.ndarray:
    """Labels with noise (-1) as a cluster of its own.

    >>> mark_noise(np.array([0, -1, 1, -1])).tolist()
    [0, 2, 1, 2]
    """
    return np.where(labels < 0, labels.max() + 1, labels)


def _fitted(
    module: str, name: str, counts: str | None = "n_clusters", seeded: bool = False, **fixed: Any
) -> Callable[[np.ndarray, int, int, Settings], np.ndarray]:
    """An adapter of a scikit-learn estimator.

    `counts` is the parameter that takes the number of clusters; None for an estimator that finds
    it. `seeded` says whether it takes ``random_state``.
    """

    def cluster(X: np.ndarray, n_clusters: int, seed: int, settings: Settings) -> np.ndarray:
        given = {**fixed, **settings}
        given |= {counts: n_clusters} if counts else {}
        given |= {"random_state": seed} if seeded else {}
        return getattr(import_module(module), name)(**given).fit_predict(X)

    return cluster


def _density(X: np.ndarray, n_clusters: int) -> Settings:
    return {"min_cluster_size": max(10, len(X) // 200), "min_samples": 10}


def _spread(X: np.ndarray) -> float:
    """Root of the mean squared distance of rows from their mean, of a sample."""
    some = X[:: max(1, len(X) // 10_000)].astype(np.float64)
    return float(np.sqrt(some.var(axis=0).sum()))


def _birch(X: np.ndarray, n_clusters: int) -> Settings:
    # The library's 0.5 means something else for every scale; leaves merge up to this radius.
    return {"threshold": float(f"{0.3 * _spread(X):.3g}")}


def _kernel(X: np.ndarray, n_clusters: int) -> Settings:
    return {"gamma": float(f"{1 / _spread(X) ** 2:.3g}"), "n_components": min(200, len(X))}


def _nystroem(X: np.ndarray, n_clusters: int, seed: int, settings: Settings) -> np.ndarray:
    from sklearn.cluster import KMeans
    from sklearn.kernel_approximation import Nystroem

    features = Nystroem(random_state=seed, **settings).fit_transform(X)
    return KMeans(n_clusters, n_init=10, random_state=seed).fit_predict(features)


def _leiden(X: np.ndarray, n_clusters: int, seed: int, settings: Settings) -> np.ndarray:
    import random

    import igraph
    from sklearn.neighbors import kneighbors_graph

    cut = dict(settings)
    near = kneighbors_graph(X, cut.pop("n_neighbors"), n_jobs=-1).tocoo()
    graph = igraph.Graph(len(X), np.column_stack([near.row, near.col])).simplify()
    igraph.set_random_number_generator(random.Random(seed))
    return np.array(graph.community_leiden(**cut).membership)


def _faiss(X: np.ndarray, n_clusters: int, seed: int, settings: Settings) -> np.ndarray:
    import faiss

    model = faiss.Kmeans(X.shape[1], n_clusters, seed=seed, **settings)
    model.train(X)
    return model.index.search(X, 1)[1].ravel()


def _sklearn(
    cluster: Callable[..., np.ndarray], settings: Callable[[np.ndarray, int], Settings]
) -> Peer:
    return Peer("sklearn", "scikit-learn", cluster, settings)


_CLUSTER = "sklearn.cluster"
_SPECTRAL = {"affinity": "nearest_neighbors", "n_jobs": -1}
_LEIDEN = {"n_neighbors": 15, "objective_function": "modularity", "n_iterations": -1}
PEERS = {
    "KMeans": _sklearn(_fitted(_CLUSTER, "KMeans", seeded=True), lambda X, k: {"n_init": 10}),
    "MiniBatchKMeans": _sklearn(
        _fitted(_CLUSTER, "MiniBatchKMeans", seeded=True), lambda X, k: {"n_init": 10}
    ),
    "SpectralClustering": _sklearn(
        _fitted(_CLUSTER, "SpectralClustering", seeded=True, **_SPECTRAL),
        lambda X, k: {"n_neighbors": 10},
    ),
    "HDBSCAN": _sklearn(_fitted(_CLUSTER, "HDBSCAN", None, copy=True, n_jobs=-1), _density),
    "Birch": _sklearn(_fitted(_CLUSTER, "Birch"), _birch),
    "Nystroem + KMeans": _sklearn(_nystroem, _kernel),
    "fast_hdbscan": Peer(
        "fast_hdbscan", "fast-hdbscan", _fitted("fast_hdbscan", "HDBSCAN", None), _density
    ),
    # Memory of processes of its own would not be in the peak of the measured one.
    "hdbscan": Peer(
        "hdbscan",
        "hdbscan",
        _fitted("hdbscan", "HDBSCAN", None),
        lambda X, k: {**_density(X, k), "core_dist_n_jobs": 1},
    ),
    "genieclust": Peer("genieclust", "genieclust", _fitted("genieclust", "Genie")),
    "evoc": Peer(
        "evoc",
        "evoc",
        _fitted("evoc", "EVoC", None, seeded=True),
        lambda X, k: {"approx_n_clusters": k},
    ),
    "Leiden": Peer("igraph", "igraph", _leiden, lambda X, k: dict(_LEIDEN)),
    # As many starts as k-means of scikit-learn has here.
    "faiss": Peer("faiss", "faiss-cpu", _faiss, lambda X, k: {"nredo": 10}),
}


def peer_versions() -> dict[str, str]:
    """Versions of the packages of the peers that are installed."""
    installed = {peer.package for peer in PEERS.values() if not peer.missing}
    return {package: _version(package) for package in sorted(installed)}


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:  # the module comes from a package of another name
        return "unknown"
