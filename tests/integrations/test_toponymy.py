"""Layers and their tree for Toponymy."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from lsec import LSEC
from lsec.datasets import make_flower
from lsec.integrations.toponymy import LSECClusterer


def layer_of(cluster_labels, centroid_vectors, layer_id, **others):
    """Stands in for a class of layers."""
    return SimpleNamespace(labels=cluster_labels, centroids=centroid_vectors, id=layer_id, **others)


@pytest.fixture(scope="module")
def flower():
    X, _ = make_flower(1500, random_state=0)
    return X, np.random.default_rng(0).normal(size=(1500, 7)), LSEC(16, n_base=8, random_state=0)


@pytest.mark.parametrize("noise", [None, 0.1])
def test_layers_are_those_of_labels_at(flower, noise):
    X, vectors, model = flower
    model.set_params(noise=noise)
    clusterer = LSECClusterer(model, [30, 16, 4])
    layers, _ = clusterer.fit_predict(X, vectors, layer_of, verbose=True)
    assert not hasattr(model, "labels_")
    assert [layer.id for layer in layers] == [0, 1, 2]
    for layer, k in zip(layers, (30, 16, 4), strict=True):
        assert_array_equal(layer.labels, clusterer.model_.labels_at(k))
        assert layer.verbose
        for cluster in range(k):
            mean = vectors[layer.labels == cluster].mean(axis=0)
            assert_allclose(layer.centroids[cluster], mean)


def test_every_cluster_lies_in_its_parent(flower):
    X, vectors, model = flower
    clusterer = LSECClusterer(model).fit(X, vectors, layer_of)
    assert [len(layer.centroids) for layer in clusterer.cluster_layers_] == [16, 4]
    tree = clusterer.cluster_tree_
    labels = [layer.labels for layer in clusterer.cluster_layers_]
    assert tree[2, 0] == [(1, cluster) for cluster in range(4)]
    children = [child for parent, below in tree.items() if parent[0] == 1 for child in below]
    assert sorted(children) == [(0, cluster) for cluster in range(16)]
    for (layer, parent), below in tree.items():
        if layer < 2:
            mine = np.isin(labels[0], [cluster for _, cluster in below])
            assert_array_equal(mine, labels[1] == parent)


def test_toponymy_finds_the_same_tree(flower):
    clustering = pytest.importorskip("toponymy.clustering")
    from toponymy.cluster_layer import ClusterLayerText

    X, vectors, model = flower
    model.set_params(noise=None)
    clusterer = LSECClusterer(model, [30, 16, 4])
    layers, tree = clusterer.fit_predict(X, vectors)
    assert all(isinstance(layer, ClusterLayerText) for layer in layers)
    theirs = clustering.build_cluster_tree([layer.cluster_labels for layer in layers])
    assert {parent: sorted(below) for parent, below in theirs.items()} == tree
    means = clustering.centroids_from_labels(layers[0].cluster_labels, vectors)
    assert_allclose(layers[0].centroid_vectors, means)
