"""Layers of clusters for Toponymy, which names the topics of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from lsec.consensus.merge_tree import Layer
from lsec.typing import AnyArray, Float64, Int32

LEAST_CLUSTERS = 4
FACTOR = 4  # between the numbers of clusters of two layers

ClusterTree = dict[tuple[int, int], list[tuple[int, int]]]


class LSECClusterer:
    """Layers of an ensemble as a clusterer of Toponymy.

    Parameters
    ----------
    model : LSEC, USENC or EnsembleClustering
        Not changed: a clone of it is fitted.
    n_clusters : sequence of int, optional
        Numbers of clusters of the layers. By default the number of `model`, a quarter of it, and
        so on, down to 4.

    Attributes
    ----------
    cluster_layers_ : list
        Layers, the finest first.
    cluster_tree_ : dict
        Clusters, as (layer, number), that each cluster of the next coarser layer consists of. The
        coarsest layer lies below (number of layers, 0).
    model_ : estimator
        The fitted ensemble.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from lsec import LSEC
    >>> from lsec.datasets import make_smiling_face
    >>> from lsec.integrations.toponymy import LSECClusterer
    >>> X, y = make_smiling_face(2000, random_state=0)
    >>> def layer(cluster_labels, centroid_vectors, layer_id, **_):  # Toponymy passes its own
    ...     return SimpleNamespace(labels=cluster_labels, centroids=centroid_vectors)
    >>> clusterer = LSECClusterer(LSEC(4, random_state=0), [8, 4, 2])
    >>> layers, tree = clusterer.fit_predict(X, X, layer)
    >>> [len(one.centroids) for one in layers], len(tree[3, 0])
    ([8, 4, 2], 2)
    """

    def __init__(self, model: Any, n_clusters: Sequence[int] | None = None):
        self.model = model
        self.n_clusters = n_clusters

    def fit(
        self,
        clusterable_vectors: AnyArray,
        embedding_vectors: AnyArray,
        layer_class: Any = None,
        **layer_kwargs: Any,
    ) -> Self:
        """Cluster vectors, and make layers of clusters.

        Parameters
        ----------
        clusterable_vectors : array-like of shape (n_samples, n_features)
            What is clustered.
        embedding_vectors : array-like of shape (n_samples, n_dimensions)
            What the centroids of the clusters are means of.
        layer_class : type, optional
            Class of the layers; by default Toponymy's ``ClusterLayerText``.
        **layer_kwargs
            Further arguments of the class.

        Returns
        -------
        self
        """
        if layer_class is None:
            from toponymy import cluster_layer

            layer_class = cluster_layer.ClusterLayerText
        self.model_ = clone(self.model).fit(clusterable_vectors)
        consensus = self.model_.consensus_
        wanted = self.n_clusters or default_layers(self.model_.n_clusters_)
        layers = consensus.tree.layers(wanted)
        self.cluster_tree_ = tree_of(layers)
        self.cluster_layers_ = []
        for number, layer in enumerate(layers):
            labels = np.where(consensus.is_noise, np.int32(-1), layer.labels)[
                consensus.micro.of_row
            ]
            means = centroids(labels, embedding_vectors, layer.n_clusters)
            self.cluster_layers_.append(layer_class(labels, means, layer_id=number, **layer_kwargs))
        return self

    def fit_predict(
        self,
        clusterable_vectors: AnyArray,
        embedding_vectors: AnyArray,
        layer_class: Any = None,
        **layer_kwargs: Any,
    ) -> tuple[list[Any], ClusterTree]:
        """As `fit`; returns the layers and their tree."""
        self.fit(clusterable_vectors, embedding_vectors, layer_class, **layer_kwargs)
        return self.cluster_layers_, self.cluster_tree_


def default_layers(n_clusters: int) -> list[int]:
    """Numbers of clusters of the layers, the finest first.

    >>> default_layers(100), default_layers(3)
    ([100, 25, 6], [3])
    """
    found = [n_clusters]
    while found[-1] // FACTOR >= LEAST_CLUSTERS:
        found.append(found[-1] // FACTOR)
    return found


def tree_of(layers: Sequence[Layer]) -> ClusterTree:
    """Clusters of each layer that every cluster of the next coarser one consists of."""
    tree: ClusterTree = {}
    for number, layer in enumerate(layers):
        parents = np.zeros(layer.n_clusters, int) if layer.parents is None else layer.parents
        for cluster, parent in enumerate(parents.tolist()):
            tree.setdefault((number + 1, parent), []).append((number, cluster))
    return tree


def centroids(labels: Int32, vectors: AnyArray, n_clusters: int) -> Float64:
    """Mean of the vectors of every cluster, float64 (k, d)."""
    from scipy import sparse

    rows = np.flatnonzero(labels >= 0)
    shape = n_clusters, len(labels)
    members = sparse.csr_array((np.ones(len(rows)), (labels[rows], rows)), shape=shape)
    sizes = np.asarray(members.sum(axis=1))
    means: Float64 = members @ np.asarray(vectors, np.float64) / np.maximum(sizes, 1)[:, None]
    return means
