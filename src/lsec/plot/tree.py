"""Pictures of the tree of a consensus: its dendrogram, and its layers from coarse to fine."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from lsec.colors import INK, PALE_INK, cluster_colors, shade
from lsec.plot.axes import axes_of, consensus_of, name_clusters, plain, plot_docs
from lsec.plot.ensemble import cluster_of_groups, leaf_order, runs
from lsec.typing import AnyArray, Float64, Int32

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_LEAVES, LEAVES_PER_CLUSTER = 120, 3
FACTORS = (0.25, 0.5, 1, 2, 4)  # of the number of clusters, for layers
LIGHTNESS = (1.0, 1.35, 0.75, 1.55, 0.9)  # of the parts of a cluster


@plot_docs
def dendrogram(model: Any, *, ax: Axes | None = None) -> Axes:
    """Tree of the clusters and of their parts, colored by cluster.

    Leaves are parts of clusters, about three for each; the heights are those of the tree (see
    `tree_`).

    Parameters
    ----------
    {model, ax}

    Returns
    -------
    ax : Axes

    Examples
    --------
    >>> from lsec import LSEC, plot
    >>> from lsec.datasets import make_smiling_face
    >>> X, y = make_smiling_face(2000, random_state=0)
    >>> ax = plot.dendrogram(LSEC(4, random_state=0).fit(X))
    """
    from scipy.cluster import hierarchy

    consensus = consensus_of(model)
    tree, k = consensus.tree, consensus.n_clusters
    nodes = cluster_of_nodes(tree.linkage, cluster_of_groups(consensus, tree.groups))
    colors = [*cluster_colors(k), PALE_INK]
    ax = axes_of(ax, 7.0)
    n_leaves = min(len(tree.weights), max(MOST_LEAVES, LEAVES_PER_CLUSTER * k))
    drawn = hierarchy.dendrogram(
        tree.linkage,
        p=n_leaves,
        truncate_mode="lastp",
        link_color_func=lambda node: colors[nodes[node]],
        no_labels=True,
        ax=ax,
    )
    leaves = nodes[drawn["leaves"]]  # ten units each
    clusters, borders = runs(leaves, 10.0 * np.arange(1, len(leaves) + 1))
    name_clusters(ax, borders, clusters)
    ax.set(xlabel="cluster", ylabel="height")
    plain(ax)
    return ax


def cluster_of_nodes(linkage: Float64, of_leaf: Int32) -> AnyArray:
    """Cluster (2 g - 1,) of every node of a tree of g leaves; -1 where clusters have merged."""
    nodes = of_leaf.tolist()
    for a, b in linkage[:, :2].astype(np.int64).tolist():
        nodes.append(nodes[a] if nodes[a] == nodes[b] else -1)
    return np.array(nodes)


@plot_docs
def layers(model: Any, n_clusters: Sequence[int] | None = None, *, ax: Axes | None = None) -> Axes:
    """How clusters split as their number grows: one column per layer, coarse to fine.

    A cluster is as high as its share of the rows, and stands beside the cluster of the coarser
    layer that it is a part of. Merged clusters have the color of the largest of them.

    Parameters
    ----------
    {model}
    n_clusters : sequence of int, optional
        Numbers of clusters of the layers; by default a quarter, half, one, two and four times
        the number of clusters.
    {ax}

    Returns
    -------
    ax : Axes

    Examples
    --------
    >>> from lsec import LSEC, plot
    >>> from lsec.datasets import make_smiling_face
    >>> X, y = make_smiling_face(2000, random_state=0)
    >>> ax = plot.layers(LSEC(4, random_state=0).fit(X), [2, 4, 6])
    """
    consensus = consensus_of(model)
    tree, k = consensus.tree, consensus.n_clusters
    if n_clusters is None:
        wanted = {int(np.clip(round(f * k), 1, len(tree.weights))) for f in FACTORS}
        n_clusters = sorted(wanted)
    order, colors = leaf_order(tree), cluster_colors(k)
    ends = np.cumsum(tree.weights[order]) / tree.weights.sum()
    of_group = cluster_of_groups(consensus, tree.groups)[order]
    first = np.unique(tree.groups, return_index=True)[1]
    ax = axes_of(ax, 7.0, 5.0)
    for column, n in enumerate(n_clusters):
        borders = runs(tree.cut(n)[first][order], ends)[1]
        parts = np.searchsorted(ends, borders, side="right")
        n_drawn = np.zeros(k, np.intp)  # parts of each cluster
        for i, (low, high) in enumerate(pairwise(borders)):
            part = slice(parts[i], parts[i + 1])
            cluster = np.bincount(of_group[part], tree.weights[order[part]]).argmax()
            lightness = LIGHTNESS[n_drawn[cluster] % len(LIGHTNESS)]
            color = shade(colors[cluster], lightness if n > k else 1.0)
            ax.bar(column, high - low, 0.9, low, color=color, edgecolor="white", linewidth=0.6)
            n_drawn[cluster] += 1
    clusters, borders = runs(of_group, ends)
    name_clusters(ax, borders, clusters, "y")
    ax.invert_yaxis()
    ax.set_xticks(range(len(n_clusters)), [str(n) for n in n_clusters], color=INK)
    ax.set(xlabel="number of clusters", ylabel="cluster")
    ax.spines[:].set_visible(False)
    return ax
