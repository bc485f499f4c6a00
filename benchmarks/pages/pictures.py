"""Section: the synthetic sets, colored by the result."""

from __future__ import annotations

import base64
import io
import zlib
from html import escape
from itertools import chain
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from benchmarks.pages.names import data_name, in_order
from benchmarks.pages.numbers import score
from benchmarks.pages.results import Results
from benchmarks.pages.table import Figure, Section
from benchmarks.paper.printed import data_sets
from lsec.cli.picture import match_clusters
from lsec.metrics import clustering_accuracy

WIDTH = 560
OPACITIES = tuple(int(95 + 160 * step / 7) for step in range(8))
MOST_POINTS = 400_000
FEW_POINTS = 60_000  # up to here a point is drawn as a small cross, to be seen at all
# Okabe and Ito's colors first, then others of the same strength; the largest set has 13 classes.
COLORS = (
    (0, 114, 178),
    (230, 159, 0),
    (0, 158, 115),
    (204, 121, 167),
    (213, 94, 0),
    (86, 180, 233),
    (150, 120, 40),
    (136, 102, 204),
    (170, 68, 85),
    (90, 140, 60),
    (68, 170, 153),
    (190, 140, 220),
    (120, 130, 145),
    (221, 120, 80),
)


def read_picture(path: Path) -> tuple[NDArray, NDArray, NDArray]:
    """Read points (n, 2), their clusters and their classes; at most `MOST_POINTS` of them."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            X, labels, y = arrays["X"], arrays["labels"], arrays["y"]
    except (OSError, ValueError, KeyError, EOFError, BadZipFile, zlib.error) as error:
        raise ValueError(f"{path} is not a picture that can be read: {error}") from error
    # Points may be sorted by class, so that the first ones would not do.
    chosen = np.random.default_rng(0).permutation(len(X))[:MOST_POINTS]
    return X[chosen], labels[chosen], y[chosen]


def png_address(png: bytes) -> str:
    """Return a picture as an address that holds all of it."""
    return "data:image/png;base64," + base64.b64encode(png).decode()


def draw_points(X: NDArray, y: NDArray, labels: NDArray) -> bytes:
    """Draw points in the colors of their clusters on a transparent ground.

    Parameters
    ----------
    X : ndarray of shape (n, 2)
        The points.
    y, labels : ndarray of shape (n,)
        Classes and clusters; a cluster has the color of the class it matches best.

    Returns
    -------
    png : bytes
        The picture, `WIDTH` pixels wide.
    """
    groups = match_clusters(y, labels) % len(COLORS)
    row, column, height = _pixels(X)
    counts = np.zeros((len(COLORS), height, WIDTH), dtype=np.int32)
    for down, right in _dot(len(X)):
        near_row = np.clip(row + down, 0, height - 1)
        near_column = np.clip(column + right, 0, WIDTH - 1)
        np.add.at(counts, (groups, near_row, near_column), 1)
    places = 1 + len(OPACITIES) * counts.argmax(axis=0) + _steps(counts.sum(axis=0))
    places[counts.sum(axis=0) == 0] = 0
    picture = Image.fromarray(places.astype(np.uint8), "P")
    colors = [(*color, opacity) for color in COLORS for opacity in OPACITIES]
    picture.putpalette(bytes([0, 0, 0, 0, *chain(*colors)]), "RGBA")
    file = io.BytesIO()
    picture.save(file, "png", optimize=True)
    return file.getvalue()


def _pixels(X: NDArray) -> tuple[NDArray[np.intp], NDArray[np.intp], int]:
    """Return the row and column of every point, and the height of the picture."""
    points = X.astype(np.float64)
    low, high = points.min(axis=0), points.max(axis=0)
    size = np.maximum(high - low, 1e-12)
    height = int(np.clip(WIDTH * size[1] / size[0], WIDTH / 3, 1.2 * WIDTH))
    margin = 4
    across = margin + (points[:, 0] - low[0]) / size[0] * (WIDTH - 1 - 2 * margin)
    up = margin + (points[:, 1] - low[1]) / size[1] * (height - 1 - 2 * margin)
    return (height - 1 - up).astype(np.intp), across.astype(np.intp), height


def _dot(n_points: int) -> list[tuple[int, int]]:
    if n_points > FEW_POINTS:
        return [(0, 0)]
    return [(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)]


def _steps(total: NDArray[np.int32]) -> NDArray[np.intp]:
    """The step of `OPACITIES` of every pixel: full pixels are opaque, thin ones half so."""
    full = max(1.0, float(np.percentile(total[total > 0], 90)))
    share = np.minimum(1.0, np.log1p(total) / np.log1p(full))
    return np.round(share * (len(OPACITIES) - 1)).astype(np.intp)


def pictures_section(results: Results) -> Section:
    """Draw every picture of the folder."""
    names = in_order(results.pictures, data_sets())
    panels = [_panel(data_name(results, name, "table"), results.pictures[name]) for name in names]
    figure = Figure(
        "Synthetic sets",
        panels,
        "A point has the color of its cluster, a cluster the color of the class it matches best; "
        "ACC is that of the points shown.",
    )
    return Section(
        "pictures",
        "Pictures",
        "The synthetic sets as LSEC+ divided them with the first seed.",
        [figure] if panels else [],
        empty="No pictures yet.",
    )


def _panel(title: str, path: Path) -> str:
    try:
        X, labels, y = read_picture(path)
    except ValueError as error:  # the rest of the page does not need it
        return f'<p class="empty">{escape(str(error))}</p>'
    text = f"{title}, ACC {score(100 * clustering_accuracy(y, labels))}, {len(X):,} points"
    address = png_address(draw_points(X, y, labels))
    return (
        f'<figure class="picture"><img src="{address}" alt="{escape(text)}">'
        f"<figcaption>{escape(text)}</figcaption></figure>"
    )
