"""A picture of clusterings of the same points, side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import linear_sum_assignment

from lsec.colors import INK, PALE_INK, cluster_colors
from lsec.metrics import contingency_table
from lsec.output.atomic import open_atomically
from lsec.typing import AnyArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_POINTS = 20_000
WIDTH = 4.6  # of a panel, in inches
DOTS_PER_INCH = 150


def draw_clusterings(
    path: Path, X: AnyArray, y: AnyArray, clusterings: dict[str, AnyArray], heading: str
) -> None:
    """Draw one panel per clustering; a cluster has the color of the class it matches best.

    Of the points X (n, 2), in random order, the first ones are drawn. `clusterings` has the title
    of each panel and its labels (n,). The PNG file appears when it is complete.
    """
    from matplotlib.figure import Figure

    points = X[:MOST_POINTS]
    low, high = points.min(axis=0), points.max(axis=0)
    height = WIDTH * (high[1] - low[1]) / (high[0] - low[0]) + 0.7
    size = (WIDTH * len(clusterings), height)
    figure = Figure(size, dpi=DOTS_PER_INCH, layout="constrained")
    figure.suptitle(heading, fontsize=11, color=PALE_INK)
    panels = figure.subplots(1, len(clusterings), sharex=True, sharey=True, squeeze=False)[0]
    for axes, (title, labels) in zip(panels, clusterings.items(), strict=True):
        clusters = match_clusters(y, labels)
        colors = np.array(cluster_colors(int(clusters.max()) + 1))[clusters]
        axes.scatter(*points.T, s=2.5, c=colors[: len(points)], alpha=0.45, linewidths=0)
        axes.set_title(title, fontsize=14, color=INK)
        axes.set_aspect("equal")
        axes.set_axis_off()
        axes.margins(0.02)
    _save(figure, path)


def match_clusters(y: AnyArray, labels: AnyArray) -> AnyArray:
    """The class that the cluster of each row matches best, one to one.

    Clusters without a class get the numbers that follow the classes.

    >>> match_clusters(np.array([0, 0, 1, 1]), np.array([7, 7, 7, 3]))
    array([0, 0, 0, 1])
    """
    table = contingency_table(y, labels)
    classes, clusters = linear_sum_assignment(table, maximize=True)
    names = np.full(table.shape[1], -1)
    names[clusters] = classes
    names[names < 0] = table.shape[0] + np.arange(np.count_nonzero(names < 0))
    return names[np.unique(labels, return_inverse=True)[1]]


def _save(figure: Figure, path: Path) -> None:
    """Write a figure as a PNG of 256 colors: a quarter of the size, and it looks the same."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from PIL import Image  # type: ignore[import-not-found,unused-ignore] # matplotlib's own

    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    image = Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")
    with open_atomically(path) as file:
        image.quantize(256, dither=Image.Dither.NONE).save(file, format="png", optimize=True)
