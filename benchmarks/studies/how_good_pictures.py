"""The pictures of docs/how_good.md, drawn by matplotlib as SVG.

The colors are those of Okabe and Ito, which people with any kind of color vision can tell apart;
markers differ as well. The same records give the same file.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from statistics import mean, median
from typing import TYPE_CHECKING

from benchmarks.harness.data import DATA
from benchmarks.studies import peers, resolution, shapes
from benchmarks.studies.figures import column, runs_of
from benchmarks.studies.study import Cells

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLORS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00")
MARKERS = ("o", "s", "^", "D", "v")
PALE = "#999999"
SIZE = (5.0, 3.6)  # inches
REPRODUCIBLE = {"svg.hashsalt": "lsec", "svg.fonttype": "none"}
DRAWN_SETS = ("mnist", "usps")


def draw(name: str, cells: Cells, path: Path) -> bool:
    """Draw a picture to a file, and return whether there is one.

    Without matplotlib the file stays as it is.
    """
    if find_spec("matplotlib") is None:
        return path.is_file()
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(REPRODUCIBLE):
        figure = Figure(SIZE, layout="constrained")
        axes = figure.subplots()
        axes.spines[["top", "right"]].set_visible(False)
        if not PICTURES[name](axes, cells):
            return False
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, format="svg", metadata={"Date": None, "Creator": None})
    return True


def landmarks(axes: Axes, cells: Cells) -> bool:
    """Accuracy against the number of landmarks."""
    drawn = False
    for color, marker, key in zip(COLORS, MARKERS, DRAWN_SETS, strict=False):
        groups = [runs_of(cells, f"{key}/landmarks {p}") for p in resolution.LANDMARKS[key]]
        groups = [runs for runs in groups if runs]
        if not groups:
            continue
        numbers = [runs[0]["n_landmarks"] for runs in groups]
        scores = [column(runs, "acc") for runs in groups]
        axes.plot(numbers, [mean(found) for found in scores], color=color, label=DATA[key].title)
        for p, found in zip(numbers, scores, strict=True):
            axes.plot([p] * len(found), found, marker, color=color, markersize=4)
        drawn = True
    axes.set(xscale="log", xlabel="landmarks", ylabel="ACC, %")
    ticks = resolution.LANDMARKS[DRAWN_SETS[0]]
    axes.set_xticks(ticks, labels=map(str, ticks))
    axes.minorticks_off()
    if drawn:
        axes.legend(frameon=False)
    return drawn


def shape_scores(axes: Axes, cells: Cells) -> bool:
    """Mean adjusted Rand index of LSEC against that of the best other method."""
    ours, best = [], []
    for shape in shapes.SHAPES:
        if runs := runs_of(cells, shape):
            others = [name for name in runs[0]["scores"] if name != shapes.OURS]
            ours.append(mean(shapes.scores_of(runs, shapes.OURS)))
            best.append(max(mean(shapes.scores_of(runs, name)) for name in others))
    low = min([0.0, *ours, *best])
    axes.plot([low, 100], [low, 100], color=PALE, linewidth=1)
    axes.scatter(best, ours, s=16, color=COLORS[0], alpha=0.8)
    axes.set(xlabel="best other method, ARI %", ylabel="LSEC, ARI %", aspect="equal")
    return bool(ours)


def peer_scores(axes: Axes, cells: Cells) -> bool:
    """Accuracy of every method on MNIST against its seconds; small points are single runs."""
    drawn = False
    for color, marker, name in zip(COLORS, MARKERS, peers.METHODS, strict=False):
        if runs := runs_of(cells, f"mnist/{name}"):
            seconds, acc = column(runs, "seconds"), column(runs, "acc")
            axes.scatter(seconds, acc, s=10, color=color, marker=marker, alpha=0.5)
            middle = median(seconds), mean(acc)
            axes.scatter(*middle, s=60, color=color, marker=marker, label=name)
            drawn = True
    axes.set(xlabel="seconds", ylabel="ACC on MNIST, %")
    axes.set_xlim(left=0)
    if drawn:
        axes.legend(frameon=False)
    return drawn


PICTURES: dict[str, Callable[[Axes, Cells], bool]] = {
    "landmarks": landmarks,
    "shapes": shape_scores,
    "peers_mnist": peer_scores,
}
