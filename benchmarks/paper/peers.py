"""Other libraries' clusterings, one adapter each.

An adapter gets float32 rows, the true number of clusters, a seed and its settings, and returns
labels. Its settings are the library's own, but for those that `settings` names: what must follow
the scale or the number of rows, and what the libraries would do unlike each other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from typing import Any

import numpy as np

Settings = dict[str, Any]


def _nothing(X: np.ndarray, n_clusters: int) -> Settings:
    return {}


@dataclass(frozen=True)
class Peer:
    """Another library's clustering.

    Attributes
    ----------
    module, package : str
        What to import, and what to install for it.
    cluster : callable
        ``cluster(X, n_clusters, seed, settings)`` returns labels; -1 stands for noise.
    settings : callable
        ``settings(X, n_clusters)`` returns the settings for these rows.
    """

    module: str
    package: str
    cluster: Callable[[np.ndarray, int, int, Settings], np.ndarray]
    settings: Callable[[np.ndarray, int], Settings] = _nothing

    @property
    def missing(self) -> str:
        """What to install, or empty where it is installed."""
        if find_spec(self.module) is not None:
            return ""
        return f"{self.package} is not installed. Get it with: pip install 'lsec[bench]'"


def mark_noise(labels: np.ndarray) -> np.ndarray:
    """Labels with noise (-1) as a cluster of its own.

    >>> mark_noise(np.array([0, -1, 1, -1])).tolist()
    [0, 2, 1, 2]
    """
    return np.where(labels < 0, labels.max() + 1, labels)


def _many_starts(X: np.ndarray, n_clusters: int) -> Settings:
    return {"n_init": 10}


def _kmeans(X: np.ndarray, n_clusters: int, seed: int, settings: Settings) -> np.ndarray:
    from sklearn.cluster import KMeans

    return KMeans(n_clusters, random_state=seed, **settings).fit_predict(X)


def _mini_batch(X: np.ndarray, n_clusters: int, seed: int, settings: Settings) -> np.ndarray:
    from sklearn.cluster import MiniBatchKMeans

    return MiniBatchKMeans(n_clusters, random_state=seed, **settings).fit_predict(X)


def _few_neighbors(X: np.ndarray, n_clusters: int) -> Settings:
    return {"n_neighbors": 10}


def _spectral(X: np.ndarray, n_clusters: int, seed: int, settings: Settings) -> np.ndarray:
    from sklearn.cluster import SpectralClustering

    model = SpectralClustering(
        n_clusters, affinity="nearest_neighbors", random_state=seed, n_jobs=-1, **settings
    )
    return model.fit_predict(X)


def _density(X: np.ndarray, n_clusters: int) -> Settings:
    return {"min_cluster_size": max(10, len(X) // 200), "min_samples": 10}


def _sklearn_hdbscan(X: np.ndarray, n_clusters: int, seed: int, settings: Settings) -> np.ndarray:
    from sklearn.cluster import HDBSCAN

    return HDBSCAN(copy=True, n_jobs=-1, **settings).fit_predict(X)


def _spread(X: np.ndarray) -> float:
    """Root of the mean squared distance of rows from their mean, of a sample."""
    some = X[:: max(1, len(X) // 10_000)].astype(np.float64)
    return float(np.sqrt(some.var(axis=0).sum()))


def _birch_settings(X: np.ndarray, n_clusters: int) -> Settings:
    # The library's 0.5 means something else for every scale; leaves merge up to this radius.
    return {"threshold": float(f"{0.3 * _spread(X):.3g}")}


def _birch(X: np.ndarray, n_clusters: int, seed: int, settings: Settings) -> np.ndarray:
    from sklearn.cluster import Birch

    return Birch(n_clusters=n_clusters, **settings).fit_predict(X)


def _kernel(X: np.ndarray, n_clusters: int) -> Settings:
    return {"gamma": float(f"{1 / _spread(X) ** 2:.3g}"), "n_components": min(200, len(X))}


def _nystroem(X: np.ndarray, n_clusters: int, seed: int, settings: Settings) -> np.ndarray:
    from sklearn.cluster import KMeans
    from sklearn.kernel_approximation import Nystroem

    features = Nystroem(random_state=seed, **settings).fit_transform(X)
    return KMeans(n_clusters, n_init=10, random_state=seed).fit_predict(features)


def _fast_hdbscan(X: np.ndarray, n_clusters: int, seed: int, settings: Settings) -> np.ndarray:
    from fast_hdbscan import HDBSCAN

    return HDBSCAN(**settings).fit_predict(X)


def _one_process(X: np.ndarray, n_clusters: int) -> Settings:
    # What processes of its own would hold is not in the peak memory of the measured one.
    return {**_density(X, n_clusters), "core_dist_n_jobs": 1}


def _hdbscan(X: np.ndarray, n_clusters: int, seed: int, settings: Settings) -> np.ndarray:
    from hdbscan import HDBSCAN

    return HDBSCAN(**settings).fit_predict(X)


def _genie(X: np.ndarray, n_clusters: int, seed: int, settings: Settings) -> np.ndarray:
    from genieclust import Genie

    return Genie(n_clusters).fit_predict(X)


def _wanted(X: np.ndarray, n_clusters: int) -> Settings:
    return {"approx_n_clusters": n_clusters}


def _evoc(X: np.ndarray, n_clusters: int, seed: int, settings: Settings) -> np.ndarray:
    from evoc import EVoC

    return EVoC(random_state=seed, **settings).fit_predict(X)


def _graph(X: np.ndarray, n_clusters: int) -> Settings:
    return {"n_neighbors": 15, "objective_function": "modularity", "n_iterations": -1}


def _leiden(X: np.ndarray, n_clusters: int, seed: int, settings: Settings) -> np.ndarray:
    import random

    import igraph
    from sklearn.neighbors import kneighbors_graph

    cut = dict(settings)
    near = kneighbors_graph(X, cut.pop("n_neighbors"), n_jobs=-1).tocoo()
    graph = igraph.Graph(len(X), np.column_stack([near.row, near.col])).simplify()
    igraph.set_random_number_generator(random.Random(seed))
    return np.array(graph.community_leiden(**cut).membership)


def _redo(X: np.ndarray, n_clusters: int) -> Settings:
    return {"nredo": 10}  # as many starts as k-means of scikit-learn has here


def _faiss(X: np.ndarray, n_clusters: int, seed: int, settings: Settings) -> np.ndarray:
    import faiss

    model = faiss.Kmeans(X.shape[1], n_clusters, seed=seed, **settings)
    model.train(X)
    return model.index.search(X, 1)[1].ravel()


PEERS = {
    "KMeans": Peer("sklearn", "scikit-learn", _kmeans, _many_starts),
    "MiniBatchKMeans": Peer("sklearn", "scikit-learn", _mini_batch, _many_starts),
    "SpectralClustering": Peer("sklearn", "scikit-learn", _spectral, _few_neighbors),
    "HDBSCAN": Peer("sklearn", "scikit-learn", _sklearn_hdbscan, _density),
    "Birch": Peer("sklearn", "scikit-learn", _birch, _birch_settings),
    "Nystroem + KMeans": Peer("sklearn", "scikit-learn", _nystroem, _kernel),
    "fast_hdbscan": Peer("fast_hdbscan", "fast-hdbscan", _fast_hdbscan, _density),
    "hdbscan": Peer("hdbscan", "hdbscan", _hdbscan, _one_process),
    "genieclust": Peer("genieclust", "genieclust", _genie),
    "evoc": Peer("evoc", "evoc", _evoc, _wanted),
    "Leiden": Peer("igraph", "igraph", _leiden, _graph),
    "faiss": Peer("faiss", "faiss-cpu", _faiss, _redo),
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
