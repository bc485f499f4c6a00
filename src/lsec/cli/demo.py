"""`lsec demo`: LSEC and k-means on two data sets, as a table and a picture."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import click

from lsec.cli import common

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from sklearn.base import ClusterMixin

    from lsec.typing import AnyArray

CAPTION = """\
ACC: clustering accuracy, the share of rows in the right cluster. NMI:
normalized mutual information of clusters and classes. Both in percent,
of this run; time of the fit alone, after a warm-up. k-means:
scikit-learn's, best of 10 starts. Paper: means over 20 runs, ACC / NMI;
the paper's face has 2 million rows."""


@dataclass(frozen=True)
class Case:
    """A data set with its classes, and LSEC's ACC and NMI on it in the paper (percent)."""

    title: str
    X: AnyArray
    y: AnyArray
    n_clusters: int
    paper: tuple[float, float]


@dataclass(frozen=True)
class Result:
    """Result of a method on a data set."""

    case: Case
    method: str
    seconds: float
    labels: AnyArray
    accuracy: float
    nmi: float


@click.command()
@common.output_option("The PNG file for the picture.", default="lsec_demo.png", show_default=True)
@common.seed_option
@click.option(
    "--rows",
    type=common.row_count,
    metavar="NUMBER",
    default=200_000,
    show_default=True,
    help="Rows of the smiling face.",
)
def demo(output: Path, seed: int, rows: int) -> None:
    """Cluster two data sets with LSEC and with k-means; takes less than a minute.

    PenDigits comes with the package, the smiling face is made. Progress goes to standard error,
    the table to standard output.
    """
    progress = common.console(stderr=True)
    with common.one_line_errors():
        common.check_output(output, (".png",))
        cases = _cases(rows, seed)
        _warm_up(cases, progress)
        results = [result for case in cases for result in _compare(case, seed, progress)]
        common.console().print(_table(results))
        _draw(output, [result for result in results if result.case is cases[-1]])


def _cases(rows: int, seed: int) -> list[Case]:
    """Return the data sets; the last is the one to draw."""
    from lsec.datasets import load_pendigits, make_smiling_face

    digits, digit_classes = load_pendigits(return_X_y=True)
    face, face_classes = make_smiling_face(rows, random_state=seed)
    return [
        Case("PenDigits", digits, digit_classes, n_clusters=10, paper=(88.26, 84.65)),
        Case("smiling face", face, face_classes, n_clusters=4, paper=(85.17, 84.88)),
    ]


def _warm_up(cases: list[Case], progress: Console) -> None:
    """Compile, or load what an earlier run compiled, so that it is not part of any timing."""
    from lsec import LSEC

    with progress.status("Getting ready; the first run compiles, for 10 to 40 s"):
        for case in cases:
            LSEC(case.n_clusters, n_base=2, n_landmarks=50, random_state=0).fit(case.X)


def _compare(case: Case, seed: int, progress: Console) -> list[Result]:
    """Run both methods on a data set, and compare their labels with the classes."""
    from sklearn.cluster import KMeans

    from lsec import LSEC
    from lsec.metrics import clustering_accuracy, normalized_mutual_information

    size = "{:,} rows, {} features".format(*case.X.shape)
    progress.print(f"\n[bold]{case.title}[/bold]: {size}, {case.n_clusters} clusters")
    models: dict[str, ClusterMixin] = {
        "k-means": KMeans(case.n_clusters, n_init=10, random_state=seed),
        "LSEC": LSEC(case.n_clusters, random_state=seed, verbose=1),
    }
    results = []
    for method, model in models.items():
        start = perf_counter()
        labels = model.fit_predict(case.X)
        seconds = perf_counter() - start
        accuracy = clustering_accuracy(case.y, labels)
        nmi = normalized_mutual_information(case.y, labels)
        results.append(Result(case, method, seconds, labels, accuracy, nmi))
    return results


def _table(results: list[Result]) -> Table:
    """Return the results as a table, next to those of the paper."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE, caption=CAPTION, caption_justify="left")
    for heading in ("data set", "rows", "method", "time", "ACC", "NMI", "paper's LSEC"):
        left = heading in ("data set", "method")
        table.add_column(heading, justify="left" if left else "right", no_wrap=True)
    for result in results:
        scores = [f"{100 * score:.2f}" for score in (result.accuracy, result.nmi)]
        row = result.method, f"{result.seconds:.2f} s", *scores
        if result.method == "LSEC":
            paper = " / ".join(f"{value:.2f}" for value in result.case.paper)
            table.add_row("", "", *row, paper, style="bold", end_section=True)
        else:
            table.add_row(result.case.title, f"{len(result.labels):,}", *row)
    return table


def _draw(output: Path, results: list[Result]) -> None:
    """Draw the results on one data set, or name the extra that is missing."""
    from lsec.cli.picture import draw_clusterings

    case = results[0].case
    panels = {
        f"{r.method}: {100 * r.accuracy:.1f} % in the right cluster": r.labels for r in results
    }
    heading = f"A {case.title} of {len(case.X):,} points in {case.n_clusters} clusters"
    try:
        draw_clusterings(output, case.X, case.y, panels, heading)
    except ImportError:
        click.echo("No picture: matplotlib is missing. Get it with: pip install 'lsec[plot]'")
    else:
        click.echo(f"Picture: {output}")
