"""Pictures of an ensemble: confidence, agreement of members, co-association and its distribution.

All are computed from micro-clusters and their weights, and so are exact for any number of rows,
but `cdf`, which draws pairs of rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from scipy.cluster.hierarchy import leaves_list

from lsec.colors import NOISE, PALE_INK, cluster_colors
from lsec.consensus.consensus import Consensus
from lsec.consensus.merge_tree import MergeTree
from lsec.consensus.micro_clusters import MicroClusters
from lsec.metrics import agreement_matrix, diversity_of
from lsec.plot.axes import MOST_NAMED, axes_of, consensus_of, name_clusters, plain, plot_docs
from lsec.typing import AnyArray, Float64, Int32

if TYPE_CHECKING:
    from matplotlib.axes import Axes

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
PIXELS = 600
DRAWN_PAIRS = 2_000_000
AGREEMENT_COLORS = "viridis"


@plot_docs
def confidence(model: Any, *, ax: Axes | None = None) -> Axes:
    """Confidence within each cluster: median, middle half, and middle nine tenths of its rows.

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
    >>> ax = plot.confidence(LSEC(4, random_state=0).fit(X))
    """
    consensus = consensus_of(model)
    k, weights = consensus.n_clusters, consensus.micro.weights
    sure = consensus.micro_confidence
    ax = axes_of(ax, height=1.2 + 0.3 * min(k, MOST_NAMED))
    for cluster, color in enumerate(cluster_colors(k)):
        of_cluster = consensus.micro_labels == cluster
        at = weighted_quantiles(sure[of_cluster], weights[of_cluster], QUANTILES)
        ax.plot(at[[0, 4]], [cluster, cluster], color=color, linewidth=1.2)
        ax.plot(at[[1, 3]], [cluster, cluster], color=color, linewidth=6, solid_capstyle="butt")
        ax.plot(at[2], cluster, "o", color="white", markeredgecolor=color, markersize=5)
    ax.set_ylim(k - 0.4, -0.6)
    ax.set_xlim(right=1.01)
    if k <= MOST_NAMED:
        ax.set_yticks(range(k))
    mean = float(sure @ weights / weights.sum())
    ax.set(title=f"mean confidence {mean:.2f}", xlabel="confidence", ylabel="cluster")
    plain(ax)
    return ax


def weighted_quantiles(values: AnyArray, weights: Float64, shares: Sequence[float]) -> Float64:
    """Smallest values that the given shares of the total weight do not exceed.

    >>> weighted_quantiles(np.array([3.0, 1.0]), np.array([1.0, 9.0]), (0.5, 0.95))
    array([1., 3.])
    """
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    places = np.searchsorted(reached, np.asarray(shares) * reached[-1])
    return np.asarray(values[order][np.minimum(places, len(order) - 1)], np.float64)


@plot_docs
def members(model: Any, *, ax: Axes | None = None) -> Axes:
    """Agreement of every two members, as normalized mutual information.

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
    >>> ax = plot.members(LSEC(4, random_state=0).fit(X))
    """
    agreement = agreement_matrix(consensus_of(model).micro)
    ax = axes_of(ax, 5.6, 4.6)
    from matplotlib.ticker import MaxNLocator

    image = ax.imshow(agreement, vmin=min(0.5, agreement.min()), vmax=1, cmap=AGREEMENT_COLORS)
    ax.figure.colorbar(image, ax=ax, label="normalized mutual information")
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(MaxNLocator(integer=True))
    ax.set(title=f"diversity {diversity_of(agreement):.2f}", xlabel="member", ylabel="member")
    return ax


@plot_docs
def coassociation(model: Any, *, ax: Axes | None = None) -> Axes:
    """Co-association of rows, ordered by the tree: how often members put two rows together.

    Groups of micro-clusters take the place of rows, each as wide as its share of them: the
    values are the means over all pairs of rows of two groups.

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
    >>> ax = plot.coassociation(LSEC(4, random_state=0).fit(X))
    """
    consensus = consensus_of(model)
    tree = consensus.tree
    order = leaf_order(tree)
    shares = group_coassociation(consensus.micro, tree.groups)[np.ix_(order, order)]
    ends = np.cumsum(tree.weights[order]) / tree.weights.sum()
    pixel = np.searchsorted(ends, (np.arange(PIXELS) + 0.5) / PIXELS)
    pixel = np.minimum(pixel, len(ends) - 1)
    ax = axes_of(ax, 6.0, 5.0)
    image = ax.imshow(
        shares[np.ix_(pixel, pixel)],
        vmin=0,
        vmax=1,
        cmap=AGREEMENT_COLORS,
        extent=(0, 1, 1, 0),
        interpolation="nearest",
    )
    ax.figure.colorbar(image, ax=ax, label="co-association")
    clusters, borders = runs(cluster_of_groups(consensus, tree.groups)[order], ends)
    name_clusters(ax, borders, clusters, "x")
    name_clusters(ax, borders, clusters, "y")
    ax.set(xlabel="cluster", ylabel="cluster")
    return ax


def group_coassociation(micro: MicroClusters, groups: Int32) -> Float64:
    """Mean co-association (g, g) of the rows of every two groups of micro-clusters.

    The number of members that put two rows together, averaged over all pairs of rows, divided by
    the number of members in which both rows have a label, averaged likewise.
    """
    of_group = sparse.csr_array((micro.weights, (groups, np.arange(len(groups)))))
    size = of_group.sum(axis=1)[:, None]
    counts = np.asarray((of_group @ sparse.csr_array(micro.indicator)).todense()) / size
    present = np.asarray(of_group @ micro.takes_part.astype(np.float64)) / size
    both = present @ present.T
    return np.asarray(counts @ counts.T / np.where(both > 0, both, 1))


def leaf_order(tree: MergeTree) -> AnyArray:
    """Groups (g,) in the order in which the tree can be drawn without crossings."""
    return leaves_list(tree.linkage) if len(tree.weights) > 1 else np.zeros(1, np.intp)


def cluster_of_groups(consensus: Consensus, groups: Int32) -> Int32:
    """Cluster int32 (g,) of every group; groups lie within clusters."""
    first = np.unique(groups, return_index=True)[1]
    return consensus.micro_labels[first]


def runs(labels: AnyArray, ends: AnyArray) -> tuple[AnyArray, Float64]:
    """Labels of the runs of equal labels (g,), and the borders between the runs.

    >>> runs(np.array([2, 2, 0]), np.array([0.25, 0.5, 1.0]))
    (array([2, 0]), array([0. , 0.5, 1. ]))
    """
    last = np.flatnonzero(np.append(np.diff(labels) != 0, True))
    return labels[last], np.append(0.0, ends[last])


@plot_docs
def cdf(models: Any, *, ax: Axes | None = None) -> Axes:
    """Distribution of the co-association over pairs of rows (the consensus CDF).

    A stable ensemble puts two rows together always or never: its curve is flat in between. For
    several models, such as `EnsembleClustering` with `base_clusters=(k, k)` for several k, the
    legend has the area under each curve and its gain over the model before, by which Monti et al.
    choose the number of clusters.

    Parameters
    ----------
    models : fitted estimator, Consensus, or list of them
    {ax}

    Returns
    -------
    ax : Axes

    References
    ----------
    .. [1] Monti, S., Tamayo, P., Mesirov, J., Golub, T. "Consensus clustering: A resampling-based
       method for class discovery and visualization of gene expression microarray data", Machine
       Learning 52, 2003.

    Examples
    --------
    >>> from lsec import EnsembleClustering, plot
    >>> from lsec.datasets import make_smiling_face
    >>> X, y = make_smiling_face(2000, random_state=0)
    >>> models = [
    ...     EnsembleClustering(k, base_clusters=(k, k), random_state=0).fit(X) for k in (2, 3, 4)
    ... ]
    >>> ax = plot.cdf(models)
    """
    several = list(models) if isinstance(models, (list, tuple)) else [models]
    ax = axes_of(ax)
    grid, before = np.linspace(0, 1, 201), None
    for model, color in zip(several, cluster_colors(len(several)), strict=True):
        consensus = consensus_of(model)
        values = np.sort(pair_coassociation(consensus.micro, DRAWN_PAIRS))
        below = np.searchsorted(values, grid, side="right") / len(values)
        area = float(1 - values.mean())  # the integral of the distribution function
        label = f"k = {consensus.n_clusters}: area {area:.3f}"
        if before:
            label += f", gain {(area - before) / before:+.1%}"
        ax.plot(grid, below, color=color, label=label, drawstyle="steps-post")
        before = area
    ax.legend(frameon=False, labelcolor=PALE_INK)
    ax.axhline(1, color=NOISE, linewidth=0.8, zorder=0)
    ax.set(xlabel="co-association", ylabel="share of the pairs of rows", ylim=(0, 1.03))
    plain(ax)
    return ax


def pair_coassociation(micro: MicroClusters, n_pairs: int) -> Float64:
    """Co-association (n_pairs,) of pairs of rows, drawn at random with a fixed seed."""
    rng = np.random.default_rng(0)
    ends = np.cumsum(micro.weights)
    one, other = (np.searchsorted(ends, rng.random(n_pairs) * ends[-1], "right") for _ in "ab")
    equal, both = np.zeros(n_pairs), np.zeros(n_pairs)
    for labels, known in zip(micro.labels.T, micro.takes_part.T, strict=True):
        together = known[one] & known[other]
        equal += together & (labels[one] == labels[other])
        both += together
    return equal / np.maximum(both, 1)
