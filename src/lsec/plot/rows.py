"""Pictures of rows: a map of the clusters, and their profiles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.utils import check_array

from lsec import checks
from lsec.colors import NOISE, cluster_colors
from lsec.plot.axes import MOST_NAMED, axes_of, plain, plot_docs
from lsec.sources import ArraySource, Source, open_source
from lsec.sources.indicators import Indicators
from lsec.typing import AnyArray, Float64, Int64, RawRows

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_POINTS = 20_000  # drawn one by one
SAMPLE_ROWS = 10_000
COMPARED_ROWS = 1000
PIXELS = 500
FAINTEST = 0.35
MOST_IN_LEGEND = 23
MOST_FEATURES = 30
ROUNDING = 1e-6  # relative deviation of features that do not vary
CONFIDENCE_COLORS, DIFFERENCE_COLORS = "cividis", "RdBu_r"


@plot_docs
def map(
    model: Any,
    X: Any,
    *,
    coordinates: Any = None,
    color: str = "cluster",
    ax: Axes | None = None,
) -> Axes:
    """Rows in two dimensions, colored by cluster or by confidence.

    Up to 20,000 rows are drawn one by one. More are counted in pixels: a pixel has the mean color
    of its rows, and is the fainter, the fewer they are. Categorical columns give no coordinates.

    Parameters
    ----------
    model : fitted estimator
    X : array-like of shape (n_samples, n_features), sparse matrix, data frame or path
        Rows to draw: those of the fit, or others, which are labeled by `predict`.
    coordinates : array-like of shape (n_samples, 2), optional
        Where to draw the rows, such as an embedding. By default the columns of X if there are
        two, otherwise the two leading principal directions of a sample.
    color : {"cluster", "confidence"}, default="cluster"
        The confidence is known for the rows of the fit only.
    {ax}

    Returns
    -------
    ax : Axes

    Examples
    --------
    >>> from lsec import LSEC, plot
    >>> from lsec.datasets import make_smiling_face
    >>> X, y = make_smiling_face(2000, random_state=0)
    >>> ax = plot.map(LSEC(4, random_state=0).fit(X), X)
    """
    checks.choice("color", color, ("cluster", "confidence"))
    rows = open_for(model, X)
    places = Places.of(rows, coordinates)
    if color == "confidence" and not is_fitted_to(model, rows):
        raise ValueError(
            "color='confidence' needs the rows that the model was fitted to. Pass them, or draw "
            "color='cluster'."
        )
    ax = axes_of(ax, 6.4, 5.2)
    if color == "cluster":
        _draw_clusters(ax, places, labels_of(model, rows))
    else:
        _draw_confidence(ax, places, model.confidence_)
    ax.set(xlabel=places.names[0], ylabel=places.names[1])
    plain(ax)
    return ax


@dataclass(frozen=True)
class Places:
    """Two coordinates of every row."""

    rows: Source
    projection: PCA | TruncatedSVD | None  # None if the rows are their own coordinates
    names: tuple[str, str]

    @classmethod
    def of(cls, rows: Source, coordinates: Any = None) -> Places:
        """Given coordinates, the two columns of the rows, or two principal directions."""
        n, d = rows.shape
        if coordinates is not None:
            given = open_any(coordinates)
            if given.shape != (n, 2):
                raise ValueError(
                    f"coordinates must have shape {(n, 2)}, one pair for each row of X; got "
                    f"{given.shape}."
                )
            return cls(given, None, ("first coordinate", "second coordinate"))
        if d == 1:
            raise ValueError(
                "X has fewer than two numeric columns, too few for a map. Pass coordinates."
            )
        if d == 2:
            unnamed = "first feature", "second feature"
            first, second = unnamed if rows.columns is None else rows.columns
            return cls(rows, None, (str(first), str(second)))
        some = np.linspace(0, n - 1, min(n, SAMPLE_ROWS)).astype(np.int64)
        sample = rows.take(some)
        kind = TruncatedSVD if sparse.issparse(sample) else PCA
        names = "first principal direction", "second principal direction"
        return cls(rows, kind(2, random_state=0).fit(sample), names)

    def blocks(self) -> Iterator[tuple[slice, Float64]]:
        """Coordinates (b, 2) of one block after the other."""
        for number in range(self.rows.n_blocks):
            yield self.rows.span(number), self._project(self.rows.block(number))

    def take(self, which: Int64) -> Float64:
        """Coordinates (r, 2) of rows at ascending positions (r,)."""
        return self._project(self.rows.take(which))

    def _project(self, rows: RawRows) -> Float64:
        if self.projection is not None:
            rows = self.projection.transform(rows)
        elif sparse.issparse(rows):
            rows = rows.toarray()
        return np.asarray(rows, np.float64)

    def all(self) -> Float64:
        """Coordinates (n, 2) of all rows."""
        return np.concatenate([block for _, block in self.blocks()])


def labels_of(model: Any, rows: Source) -> AnyArray:
    """Labels of the rows of the fit as they are, of others by `predict`."""
    labels: AnyArray = model.labels_ if is_fitted_to(model, rows) else model.predict(rows)
    return labels


def is_fitted_to(model: Any, rows: Source) -> bool:
    """Whether a model was fitted to these rows, as far as the labels of some of them tell."""
    labels = getattr(model, "labels_", None)
    if labels is None or len(labels) != rows.shape[0]:
        return False
    some = np.linspace(0, len(labels) - 1, min(len(labels), COMPARED_ROWS)).astype(np.int64)
    return np.array_equal(model.predict(some_rows(rows, some)), labels[some])


def _draw_clusters(ax: Axes, places: Places, labels: AnyArray) -> None:
    """Rows in the colors of their clusters, with a legend if there are not too many."""
    k = int(labels.max()) + 1
    colors = _rgb([*cluster_colors(k), NOISE])  # noise, -1, comes last
    if len(labels) <= MOST_POINTS:
        x, y = places.all().T
        ax.scatter(x, y, c=colors[labels], s=3, linewidths=0)
    else:
        _draw_pixels(ax, places, colors, labels)
    if k <= MOST_IN_LEGEND:
        for cluster in range(k):
            ax.plot([], [], "o", color=colors[cluster], markersize=5, label=str(cluster))
        if labels.min() < 0:
            ax.plot([], [], "o", color=colors[-1], markersize=5, label="noise")
        beside = {"loc": "upper left", "bbox_to_anchor": (1, 1), "ncols": 1 + (k > 14)}
        ax.legend(title="cluster", frameon=False, **beside)


def _draw_confidence(ax: Axes, places: Places, confidence: AnyArray) -> None:
    """Rows in the colors of their confidence, with a color bar."""
    from matplotlib import colormaps
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    scale = Normalize(float(confidence.min()), 1.0)
    colors = colormaps[CONFIDENCE_COLORS](np.linspace(0, 1, 256))[:, :3]
    shades = np.rint(255 * scale(confidence).data).astype(np.uint8)
    if len(confidence) <= MOST_POINTS:
        x, y = places.all().T
        ax.scatter(x, y, c=colors[shades], s=3, linewidths=0)
    else:
        _draw_pixels(ax, places, colors, shades)
    ax.figure.colorbar(ScalarMappable(scale, CONFIDENCE_COLORS), ax=ax, label="confidence")


def _draw_pixels(ax: Axes, places: Places, colors: Float64, which: AnyArray) -> None:
    """Mean color of the rows of every pixel; the color of row i is ``colors[which[i]]``."""
    ends = [[(c.min(), c.max()) for c in block.T] for _, block in places.blocks()]
    low, high = np.min(ends, axis=0)[:, 0], np.max(ends, axis=0)[:, 1]
    unit = np.where(high > low, high - low, 1.0) / (PIXELS - 1e-6)
    counts, sums = np.zeros(PIXELS**2), np.zeros((3, PIXELS**2))
    for span, block in places.blocks():
        cells = ((block - low) / unit).astype(np.intp) @ [1, PIXELS]
        counts += np.bincount(cells, minlength=PIXELS**2)
        for total, channel in zip(sums, colors.T, strict=True):
            total += np.bincount(cells, channel[which[span]], PIXELS**2)
    strength = FAINTEST + (1 - FAINTEST) * np.log1p(counts) / np.log1p(counts.max())
    image = np.append(sums / np.maximum(counts, 1), [np.where(counts, strength, 0)], axis=0)
    extent = (low[0], low[0] + PIXELS * unit[0], low[1], low[1] + PIXELS * unit[1])
    image = image.T.reshape(PIXELS, PIXELS, 4)
    ax.imshow(image, origin="lower", extent=extent, aspect="auto", interpolation="antialiased")


def _rgb(colors: Sequence[str]) -> Float64:
    """Red, green and blue (c, 3) in [0, 1] of colors "#RRGGBB"."""
    return np.array([[int(c[i : i + 2], 16) for i in (1, 3, 5)] for c in colors]) / 255


@plot_docs
def profiles(
    model: Any, X: Any, *, feature_names: Sequence[str] | None = None, ax: Axes | None = None
) -> Axes:
    """Features by cluster: how far the mean of a cluster is from the mean of all rows.

    In standard deviations of the feature. Of more than 30 features, those that differ most
    between clusters are drawn. A value of a categorical column is a feature of its own.

    Parameters
    ----------
    model : fitted estimator
    X : array-like of shape (n_samples, n_features), sparse matrix, data frame or path
        Rows of the fit, or others, which are labeled by `predict`.
    feature_names : sequence of str, optional
        By default the names seen in `fit`, or numbers.
    {ax}

    Returns
    -------
    ax : Axes

    Examples
    --------
    >>> from lsec import LSEC, plot
    >>> from lsec.datasets import load_pendigits
    >>> X = load_pendigits().data
    >>> ax = plot.profiles(LSEC(10, random_state=0).fit(X), X)
    """
    rows = open_for(model, X)
    features = features_of(model, rows, feature_names)
    names = features.columns or []
    differences = standardized_means(features, labels_of(model, rows))
    spread = differences.max(axis=0) - differences.min(axis=0)
    chosen = np.sort(np.argsort(-spread, kind="stable")[:MOST_FEATURES])
    k, size = len(differences), 0.3 * len(chosen)
    ax = axes_of(ax, 2.4 + size, 1.6 + 0.24 * min(k, MOST_NAMED))
    most = float(np.abs(differences).max()) or 1.0
    image = ax.imshow(
        differences[:, chosen], cmap=DIFFERENCE_COLORS, vmin=-most, vmax=most, aspect="auto"
    )
    ax.figure.colorbar(image, ax=ax, label="standard deviations from the mean")
    ax.set_xticks(range(len(chosen)), [names[j] for j in chosen], rotation=90)
    if k <= MOST_NAMED:
        ax.set_yticks(range(k))
    ax.set(xlabel="feature", ylabel="cluster")
    return ax


def standardized_means(rows: Source, labels: AnyArray) -> Float64:
    """Mean of each cluster minus that of all rows, in standard deviations of all, (k, d).

    Features that do not vary are zero; rows labeled -1 are noise, which has no mean of its own.
    """
    k, d = int(labels.max()) + 1, rows.shape[1]
    first = rows.take(np.zeros(1, np.int64))
    # Rows far from the origin would cancel in the variance.
    shift = np.zeros(d) if sparse.issparse(first) else np.asarray(first[0], np.float64)
    sums, squares = np.zeros((k + 1, d)), np.zeros(d)
    for number in range(rows.n_blocks):
        block, of_block = rows.block(number), labels[rows.span(number)]
        if not sparse.issparse(block):
            block = np.asarray(block, np.float64) - shift
        ones, borders = np.ones(len(of_block)), np.arange(len(of_block) + 1)
        shape = len(of_block), k + 1
        sums += sparse.csr_array((ones, of_block % (k + 1), borders), shape=shape).T @ block
        if sparse.issparse(block):
            squares += np.ravel(block.multiply(block).sum(axis=0))
        else:
            squares += np.einsum("ij,ij->j", block, block)
    counts = np.bincount(labels % (k + 1), minlength=k + 1)[:, None]
    mean = sums.sum(axis=0) / rows.shape[0]
    deviation = np.sqrt(np.maximum(squares / rows.shape[0] - mean**2, 0))
    known = deviation > ROUNDING * np.abs(mean)
    differences = sums[:k] / np.maximum(counts[:k], 1) - mean
    return np.where(known, differences / np.where(known, deviation, 1), 0)


def some_rows(rows: Source, which: Int64) -> Source:
    """Rows at ascending positions, with their codes and the same names of columns."""
    some = ArraySource(rows.take(which), columns=rows.columns)
    some.codes = None if rows.codes is None else rows.codes[which]
    return some


def features_of(
    model: Any, rows: Source, names: Sequence[Any] | None = None, unnamed: str = "{}"
) -> Source:
    """Rows whose columns describe clusters, under names: also indicators of categories.

    Columns without names, of which there is one for each column of X, are called by their numbers.
    """
    is_mixed = rows.codes is not None
    d = model.n_features_in_ if is_mixed else rows.shape[1]
    known = getattr(model, "feature_names_in_", None) if is_mixed else rows.columns
    if names is None:
        names = [unnamed.format(j) for j in range(d)] if known is None else known
    if len(names) != d:
        raise ValueError(
            f"feature_names has {len(names)} names, X has {d} features. Pass one each."
        )
    titles = [str(name) for name in names]
    if is_mixed:
        return Indicators(rows, model._categories, titles)
    features = copy(rows)
    features.columns = titles
    return features


def open_for(model: Any, X: Any) -> Source:
    """Rows of any kind that `predict` takes, with its checks."""
    rows: Source = model._open_for_predict(X)
    return rows


def open_any(X: Any) -> Source:
    """Rows of any kind that estimators take."""

    def validate(X: Any) -> RawRows:
        return check_array(X, accept_sparse="csr", dtype="numeric", ensure_all_finite=False)

    return open_source(X, validate)
