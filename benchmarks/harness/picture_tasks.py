"""Tasks of the study of pictures: plots, layers, scores, and the explorer page of a fitted model.

The estimators are imported inside the functions: they load numba, which a process must not have
loaded before its task begins.
"""

from __future__ import annotations

import io
from contextlib import suppress
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.harness.process import current_bytes, peak_bytes
from benchmarks.harness.tasks import FEW_ROWS, load_rows

if TYPE_CHECKING:
    from benchmarks.harness.process import Clock

OF_ROWS = ("map", "profiles")
OF_CONSENSUS = (
    *("confidence", "coassociation", "cdf", "dendrogram", "layers", "members"),
    *("evidence", "timings"),
)
FINEST = 500
MORE_FEATURES = 14


def draw(clock: Clock, folder: str, parameters: dict, n_layers: int) -> dict[str, Any]:
    """Fit LSEC, cut its tree into layers, and draw every picture as a PNG.

    The number of clusters is known; "evidence" is that of a model that chose it for a few rows.
    """
    import matplotlib as mpl

    from lsec import LSEC, plot

    mpl.use("Agg")
    X = load_rows(folder)
    few = X[:FEW_ROWS]
    small = LSEC(**parameters).fit(few)
    for name in (*OF_ROWS, *OF_CONSENSUS):  # loads matplotlib and its fonts
        with suppress(ValueError):  # there is no evidence for a given number
            _draw(getattr(plot, name), small, few, name)
    chosen = LSEC(**{**parameters, "n_clusters": "auto"}).fit(few)
    with clock.lap("fit"):
        model = LSEC(**parameters).fit(X)
    finest = min(FINEST, model.n_micro_clusters_)
    with clock.lap("layers"):
        for k in np.linspace(2, finest, n_layers).astype(int).tolist():
            layer = model.labels_at(k)
    found = {}
    for name in (*OF_ROWS, *OF_CONSENSUS):
        of = chosen if name == "evidence" else model
        _forget_peak()
        before, start = current_bytes(), perf_counter()
        _draw(getattr(plot, name), of, few if of is chosen else X, name)
        seconds = perf_counter() - start
        found[name] = {"seconds": seconds, "growth_bytes": max(0, peak_bytes() - before)}
    return {
        "n_rows": len(X),
        "input_bytes": X.nbytes,
        "n_micro_clusters": model.n_micro_clusters_,
        "n_layers": n_layers,
        "finest": int(layer.max()) + 1,
        "pictures": found,
    }


def _draw(picture: Any, model: Any, X: np.ndarray, name: str) -> bytes:
    """PNG of a picture."""
    from matplotlib import pyplot as plt

    ax = picture(model, X) if name in OF_ROWS else picture(model)
    file = io.BytesIO()
    ax.figure.savefig(file, format="png")
    plt.close(ax.figure)
    return file.getvalue()


def _forget_peak() -> None:
    """Let the peak memory of this process begin anew; only Linux can."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def score(clock: Clock, folder: str, parameters: dict) -> dict[str, Any]:
    """Fit LSEC, and score its clusters without classes; a lap for every score."""
    from lsec import LSEC, validity

    X = load_rows(folder)
    for model, rows in ((LSEC(**parameters).fit(some), some) for some in (X[:FEW_ROWS], X)):
        scores = {
            "silhouette_score": validity.silhouette_score,
            "silhouette_samples": validity.silhouette_samples,
            "cluster_stability": validity.cluster_stability,
            "calinski_harabasz_score": partial(validity.calinski_harabasz_score, rows),
        }
        for name, of in scores.items():
            with clock.lap(name if rows is X else "first"):
                of(model)
    return {"n_rows": len(X), "input_bytes": X.nbytes}


def explore(clock: Clock, folder: str, parameters: dict, page: str) -> dict[str, Any]:
    """Fit LSEC and write its explorer page, as large as pages get: with many features."""
    from lsec import LSEC

    X = load_rows(folder)
    noise = np.random.default_rng(0).normal(0, 0.1, (len(X), MORE_FEATURES))
    X = np.hstack([X, noise.astype(X.dtype)])
    model = LSEC(**parameters).fit(X)
    model.explore(X[:FEW_ROWS], page)
    with clock.lap():
        model.explore(X, page)
    return {"n_rows": len(X), "input_bytes": X.nbytes, "page_bytes": Path(page).stat().st_size}


def open_page(clock: Clock, page: str) -> dict[str, Any]:
    """Seconds from the request of a page to its first picture, in a browser without a GPU."""
    from benchmarks.harness.browser import browser, executable

    if executable() is None:
        return {"not_run": "there is no Chromium or Chrome"}
    with browser() as tab:
        tab.size(1400, 900)
        with clock.lap():
            tab.open(Path(page))
            times = [tab.run(DRAWN % mark) for mark in ("first picture", "all points")]
        problems = tab.problems
    if problems:
        raise RuntimeError(problems[0])
    return {"first_picture": times[0] / 1000, "all_points": times[1] / 1000}


# The time when there is a mark of the page and the pixels that were drawn can be read.
DRAWN = """(async () => {
  await started;
  while (!performance.getEntriesByName("%s").length) {
    await new Promise((done) => setTimeout(done, 5));
  }
  map.gl.readPixels(0, 0, 1, 1, map.gl.RGBA, map.gl.UNSIGNED_BYTE, new Uint8Array(4));
  return performance.now();
})()"""
