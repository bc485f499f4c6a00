"""Dendrograms and layers."""

import numpy as np
from matplotlib.colors import to_hex
from numpy.testing import assert_allclose, assert_array_equal

from lsec import LSEC, consensus, plot
from lsec.colors import cluster_colors
from lsec.plot.tree import cluster_of_nodes


def heights_of_columns(ax):
    """Heights of the bars of each column."""
    columns = {}
    for bar in ax.patches:
        columns.setdefault(round(bar.get_x() + bar.get_width() / 2), []).append(bar.get_height())
    return columns


def test_layers_are_as_high_as_their_shares_of_the_rows(face):
    _, model = face
    columns = heights_of_columns(plot.layers(model, [2, 4, 9]))
    for column, k in enumerate((2, 4, 9)):
        shares = np.bincount(model.labels_at(k)) / len(model.labels_)
        assert_allclose(np.sort(columns[column]), np.sort(shares))


def test_layers_around_the_number_of_clusters_by_default(face):
    assert [len(heights) for heights in heights_of_columns(plot.layers(face[1])).values()] == [
        1, 2, 4, 8, 16
    ]  # fmt: skip


def test_merged_clusters_have_the_color_of_the_largest(face):
    _, model = face
    (bar,) = plot.layers(model, [1]).patches
    largest = np.bincount(model.labels_).argmax()
    assert to_hex(bar.get_facecolor()).upper() == cluster_colors(4)[largest]


def test_a_node_belongs_to_the_cluster_of_all_its_leaves():
    linkage = np.array([[0, 1, 0.1, 2], [2, 3, 0.2, 2], [4, 5, 0.9, 4]])
    assert_array_equal(cluster_of_nodes(linkage, np.array([0, 0, 1, 1])), [0, 0, 1, 1, 0, 1, -1])
    assert_array_equal(cluster_of_nodes(linkage, np.array([0, 0, 0, 1]))[4:], [0, -1, -1])


def test_a_dendrogram_has_links_in_the_colors_of_all_clusters(face):
    _, model = face
    ax = plot.dendrogram(model)
    drawn = {to_hex(color).upper() for line in ax.collections for color in line.get_colors()}
    assert set(cluster_colors(4)) <= drawn
    assert {text.get_text() for text in ax.get_xticklabels()} == {"0", "1", "2", "3"}


def test_trees_of_a_single_group_and_of_a_consensus():
    result = consensus([[0, 0, 1, 1], [0, 0, 1, 2]], 2, "eac", full_output=True)
    assert [len(one) for one in heights_of_columns(plot.layers(result)).values()] == [1, 2, 3]
    plot.dendrogram(result)
    plot.coassociation(result)
    single = consensus([[0, 0, 0]], 1, "eac", full_output=True)
    plot.layers(single)
    plot.coassociation(single)


def test_many_clusters_are_drawn():
    X = np.random.default_rng(0).random((3000, 2))
    model = LSEC(60, n_base=4, random_state=0).fit(X)
    for draw in (plot.dendrogram, plot.layers, plot.confidence, plot.coassociation):
        draw(model)
    plot.map(model, X)
