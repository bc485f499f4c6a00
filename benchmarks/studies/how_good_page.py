"""docs/how_good.md: the quality of LSEC at a glance, from the stored records of the studies."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean, median

from benchmarks.harness.data import DATA
from benchmarks.harness.machine import ROOT
from benchmarks.harness.store import Record, Records
from benchmarks.pages.markdown import markdown_table
from benchmarks.pages.numbers import number, percent
from benchmarks.pages.table import Table
from benchmarks.studies import (
    blobs,
    categories,
    embeddings,
    how_good_pictures,
    number_of_clusters,
    peers,
    quality,
    resolution,
    shapes,
)
from benchmarks.studies.figures import column, runs_of, table
from benchmarks.studies.results_page import RESULTS_FOLDER, when
from benchmarks.studies.study import Cells

PAGE = ROOT / "docs" / "how_good.md"
IMAGES = ROOT / "docs" / "images"
NOT_MEASURED = "## Not measured yet"
INTRODUCTION = """\
# How good is it

This page shows the quality of the clusters that `LSEC` finds with default parameters, on real and
made-up data, and beside other methods. It is written by `python -m benchmarks run` from the stored
records; [the benchmark results](../benchmarks/RESULTS.md) have every number with its spread, time
and memory."""


@dataclass(frozen=True)
class Part:
    """The part of the page on one study.

    Attributes
    ----------
    study : str
        Name of the study, whose records are shown.
    title : str
    method : str
        How it was measured, in one sentence.
    shown : callable
        Makes a compact table from the records.
    pictures : dict
        What each picture shows, by the name of its file.
    """

    study: str
    title: str
    method: str
    shown: Callable[[Cells], Table]
    pictures: dict[str, str]


def write_how_good(folder: Path = RESULTS_FOLDER, page: Path = PAGE, images: Path = IMAGES) -> None:
    """Write the page and its pictures from the records in a folder."""
    write_page(page, INTRODUCTION, PARTS, folder, images)


def write_page(
    page: Path, introduction: str, parts: Iterable[Part], folder: Path, images: Path
) -> None:
    """Write a page of parts, and the pictures in them, from the records in a folder."""
    shown, missing = [], []
    for part in parts:
        if cells := Records(part.study, folder):
            shown += of_part(part, cells, images)
        else:
            missing.append(f"- {part.title}: `python -m benchmarks run {part.study}`")
    end = [NOT_MEASURED, "\n".join(missing)] if missing else []
    page.write_text("\n\n".join([introduction, *shown, *end]) + "\n", encoding="utf-8")


def of_part(part: Part, cells: Records, images: Path) -> list[str]:
    """Title, method, table and pictures of a study."""
    shown = [
        f"![{caption}](images/{name}.svg)"
        for name, caption in part.pictures.items()
        if how_good_pictures.draw(name, cells, images / f"{name}.svg")
    ]
    found = markdown_table(replace(part.shown(cells), title=""))
    return [f"## {part.title}", f"{part.method} {when(cells)}.", found, *shown]


def of_quality(cells: Cells) -> Table:
    rows = []
    for key in quality.TARGETS:
        if runs := runs_of(cells, key):
            acc, nmi = column(runs, "acc"), column(runs, "nmi")
            taken = number(mean(column(runs, "seconds")))
            rows.append((DATA[key].title, percent(acc), f"{min(acc):.2f}", percent(nmi), taken))
    return table("", ("data", "ACC %", "worst ACC %", "NMI %", "seconds"), rows)


def of_peers(cells: Cells) -> Table:
    rows = []
    for key in peers.KEYS:
        groups = [runs_of(cells, f"{key}/{name}") for name in peers.METHODS]
        if any(groups):
            rows.append((DATA[key].title, *map(scores_and_time, groups)))
    names = (f"{name}: ACC / NMI / s" for name in peers.METHODS)
    return table("", ("data", *names), rows)


def scores_and_time(runs: list[Record]) -> str:
    """Mean ACC and NMI and median seconds, or a dash for a method without runs."""
    if not runs:
        return "-"
    acc, nmi = mean(column(runs, "acc")), mean(column(runs, "nmi"))
    return f"{acc:.1f} / {nmi:.1f} / {number(median(column(runs, 'seconds')))}"


def of_blobs(cells: Cells) -> Table:
    """The worst draw of every ratio of sizes, and the draws that are solved."""
    rows = []
    for ratio in blobs.RATIOS:
        runs = [run for columns in blobs.COLUMNS for run in runs_of(cells, f"{ratio} x {columns}")]
        scores = [[run["scores"][name]["ari"] for run in runs] for name in blobs.METHODS]
        if runs:
            solved = (sum(score >= blobs.SOLVED for score in found) for found in scores)
            shown = (
                f"{count} / {min(found):.1f}" for count, found in zip(solved, scores, strict=True)
            )
            rows.append((f"1 : {ratio}", len(runs), *shown))
    names = (f"{name}: solved / worst ARI %" for name in blobs.METHODS)
    return table("", ("sizes", "draws", *names), rows)


def of_categories(cells: Cells) -> Table:
    return categories.tables(cells)[1]


def of_shapes(cells: Cells) -> Table:
    return shapes.tables(cells)[0]


def of_resolution(cells: Cells) -> Table:
    rows = []
    for key, landmarks in resolution.LANDMARKS.items():
        for p in landmarks:
            if runs := runs_of(cells, f"{key}/landmarks {p}"):
                scores = percent(column(runs, "acc")), percent(column(runs, "nmi"))
                taken = number(median(column(runs, "seconds")))
                title = resolution.data_set(key).title
                rows.append((title, runs[0]["n_landmarks"], *scores, taken))
    return table("", ("data", "landmarks", "ACC %", "NMI %", "seconds"), rows)


def of_embeddings(cells: Cells) -> Table:
    rows = []
    for title, prefix in EMBEDDINGS.items():
        if runs := runs_of(cells, prefix):
            taken = number(median(column(runs, "seconds")))
            rows.append((title, percent(column(runs, "ari")), taken))
    return table("", ("rows and method", "ARI %", "seconds"), rows)


def of_number_of_clusters(cells: Cells) -> Table:
    rows = []
    for key in number_of_clusters.ROWS:
        if runs := runs_of(cells, key):
            data, chosen = number_of_clusters.data_set(key), column(runs, "n_clusters_found")
            rows.append((data.title, data.n_clusters, ", ".join(map(str, chosen))))
    return table("", ("data", "classes", "chosen, seed by seed"), rows)


EMBEDDINGS = {
    **{
        f"{embeddings.LARGE_ROWS:,} x {embeddings.LARGE_COLUMNS}, {name}": f"large/{name}"
        for name in embeddings.METHODS
    },
    **{
        f"{embeddings.WIDE_ROWS:,} x {columns}, projection: {name}": f"wide {columns}/{name}"
        for columns in embeddings.WIDE_COLUMNS
        for name in embeddings.PROJECTIONS
    },
    **{
        f"{embeddings.MANY_ROWS:,} x {embeddings.MANY_COLUMNS}, {clusters} clusters": (
            f"many {clusters}"
        )
        for clusters in embeddings.MANY_CLUSTERS
    },
    **{f"documents, {name}": f"documents/{name}" for name in embeddings.OF_DOCUMENTS},
}
PARTS = (
    Part(
        "quality",
        "The data sets of the paper",
        "Raw features and the true number of clusters; mean ± standard deviation of the accuracy "
        "and of the normalized mutual information over the seeds, and the lowest accuracy.",
        of_quality,
        {},
    ),
    Part(
        "peers",
        "Other libraries",
        "All cluster the same float32 rows in turns, each in a process of its own; means of the "
        "scores in percent, median of the seconds.",
        of_peers,
        {"peers_mnist": "Seconds and accuracy of LSEC and other libraries on MNIST"},
    ),
    Part(
        "blobs",
        "Gaussian clusters of unequal sizes",
        "Eighteen Gaussian clusters, three of them larger, in 2, 10 and 50 columns; a draw is "
        "solved by an adjusted Rand index of at least 0.99.",
        of_blobs,
        {},
    ),
    Part(
        "categories",
        "Tables with categories and gaps",
        "Eight known groups in six numeric columns, eight categorical ones, both, and both with a "
        "fifth of the categories missing; mean ± standard deviation of the accuracy over the "
        "draws. A missing value has no one-hot code, and is a category of k-prototypes.",
        of_categories,
        {},
    ),
    Part(
        "shapes",
        "Small data sets of many shapes",
        "Mean adjusted Rand index over seeds and shapes like those of clustering-data-v1, with the "
        "true number of clusters; in the picture a point is a shape.",
        of_shapes,
        {"shapes": "Adjusted Rand index of LSEC against the best other method, shape by shape"},
    ),
    Part(
        "resolution",
        "More landmarks",
        "LSEC with a given number of landmarks; mean ± standard deviation over the seeds.",
        of_resolution,
        {"landmarks": "Accuracy against the number of landmarks, on MNIST and USPS"},
    ),
    Part(
        "embeddings",
        "Embeddings and documents",
        "Made-up unit vectors in Gaussian clusters, and TF-IDF of made-up documents; adjusted Rand "
        "index and the median of the seconds.",
        of_embeddings,
        {},
    ),
    Part(
        "number_of_clusters",
        "The number of clusters",
        'The number that `LSEC("auto")` chooses, beside the number of classes.',
        of_number_of_clusters,
        {},
    ),
)
