"""`lsec fit`: cluster the rows of a file."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import click

from lsec.cli.errors import one_line_errors
from lsec.cli.parameters import seed_option

if TYPE_CHECKING:
    from rich.table import Table

    from lsec.estimators.base import RowsEstimator

METHODS = {
    "lsec": "LSEC",
    "dncsc": "DnCSC",
    "uspec": "USPEC",
    "usenc": "USENC",
    "light-kmeans": "LightKMeans",
}


@click.command()
@click.argument("rows", type=click.Path(path_type=Path))
@click.option("-k", "--n-clusters", type=int, required=True, help="Clusters to find.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    help="Where the labels go: a .npy file, or a .csv file with one label a line.",
)
@click.option(
    "--method",
    type=click.Choice(list(METHODS)),
    default="lsec",
    show_default=True,
    help="How to cluster.",
)
@seed_option
@click.option("--jobs", type=int, help="Threads; all cores by default.")
@click.option("--memory-limit", help="Memory for work beside the rows, such as 2GiB.")
@click.option("-q", "--quiet", is_flag=True, help="Show neither progress nor summary.")
def fit(
    rows: Path,
    n_clusters: int,
    output: Path,
    method: str,
    seed: int,
    jobs: int | None,
    memory_limit: str | None,
    quiet: bool,
) -> None:
    """Cluster the rows of a .npy or .csv file.

    ROWS holds one row per line of numbers; a .csv file may begin with column names. A .npy file
    is mapped into memory and may be larger than it. The labels are 0 to k - 1, in the order of
    the rows.
    """
    from lsec.cli.files import LABEL_FORMATS, check_output, read_rows, write_labels

    with one_line_errors():
        check_output(output, LABEL_FORMATS, others=(rows,))
        model = _make_model(method, n_clusters, seed, jobs, memory_limit, verbose=not quiet)
        X = read_rows(rows)
        start = perf_counter()
        model.fit(X)
        seconds = perf_counter() - start
        write_labels(output, model.labels_)
    if not quiet:
        from rich.console import Console

        Console().print(_summary(X.shape, n_clusters, model.timings_, seconds))


def _make_model(
    method: str,
    n_clusters: int,
    seed: int,
    jobs: int | None,
    memory_limit: str | None,
    *,
    verbose: bool,
) -> RowsEstimator:
    """Return the estimator of a method; what was not given keeps the estimator's default."""
    import lsec

    limits = {} if memory_limit is None else {"memory_limit": memory_limit}
    if limits and method == "light-kmeans":
        raise ValueError("--memory-limit does not apply to light-kmeans: it keeps no tables.")
    return getattr(lsec, METHODS[method])(
        n_clusters, random_state=seed, n_jobs=jobs, verbose=int(verbose), **limits
    )


def _summary(
    shape: tuple[int, ...], n_clusters: int, stages: dict[str, float], seconds: float
) -> Table:
    """Return a table of what was done and how long each stage took."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE, show_header=False)
    table.add_column()
    table.add_column(justify="right")
    table.add_row("rows", f"{shape[0]:,}")
    table.add_row("features", f"{shape[1]:,}")
    table.add_row("clusters", f"{n_clusters:,}", end_section=True)
    for stage, taken in stages.items():
        table.add_row(stage, f"{taken:.2f} s")
    table.add_row("other", f"{max(0.0, seconds - sum(stages.values())):.2f} s", end_section=True)
    table.add_row("whole fit", f"{seconds:.2f} s")
    table.add_row("rows per second", f"{shape[0] / seconds:,.0f}")
    return table
