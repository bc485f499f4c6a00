"""`lsec consensus`: combine the base clusterings in a file into one clustering."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from lsec.cli.common import (
    check_output,
    columns_option,
    jobs_option,
    labels_option,
    one_line_errors,
    parse_value,
    quiet_option,
    seed_option,
    split_columns,
)

if TYPE_CHECKING:
    from rich.table import Table

    from lsec import Consensus
    from lsec.consensus.number_of_clusters import Evidence

METHODS = ("linkage", "bipartite", "eac", "lwea", "lwgp", "kcc", "sec", "pta", "ptgp")
MOST_COMPARED = 4096  # base clusters; comparing them takes memory quadratic in their number


@click.command()
@click.argument("labels", type=click.Path(path_type=Path, readable=False))
@click.option(
    "-k",
    "--n-clusters",
    metavar="INTEGER|auto",
    required=True,
    help="Clusters to find; auto leaves the number to a method that can choose it.",
)
@labels_option
@click.option(
    "--method",
    type=click.Choice(METHODS),
    default="linkage",
    show_default=True,
    help="Consensus function.",
)
@click.option(
    "--option",
    "settings",
    metavar="NAME=VALUE",
    multiple=True,
    help="An option of the method, such as theta=0.2 or linkage=single; may be repeated.",
)
@columns_option
@click.option(
    "--confidence",
    is_flag=True,
    help="Add a column: the agreement of the base clusterings with each label, 0 to 1.",
)
@seed_option
@jobs_option
@quiet_option
def consensus(
    labels: Path,
    n_clusters: str,
    output: Path,
    method: str,
    settings: tuple[str, ...],
    columns: str | None,
    confidence: bool,
    seed: int,
    jobs: int | None,
    quiet: bool,
) -> None:
    """Combine base clusterings of the same rows into one clustering.

    LABELS is a .npy, .csv or .parquet file of whole numbers, with a column per base clustering.
    A negative number, an empty field, NaN or null: the row takes no part in that clustering. A
    .csv file may begin with column names; columns without a name and indices stored by pandas
    are left out. The labels of the result are 0 to k - 1, in the order of the rows.
    """
    import lsec
    from lsec.cli.label_tables import check_pyarrow, read_labels, write_consensus
    from lsec.output.labels import LABEL_FORMATS

    with one_line_errors():
        check_output(output, LABEL_FORMATS, others=(labels,))
        if confidence and output.suffix.lower() == ".npy":
            raise ValueError(
                f"{output} would hold labels alone. For --confidence choose .csv or .parquet."
            )
        check_pyarrow(labels, output)
        options = _parse_options(settings)
        wanted: Any = parse_value(n_clusters)
        _check_method(method, options, wanted)
        start = perf_counter()
        matrix = read_labels(labels, split_columns(columns))
        reading = perf_counter() - start
        result = lsec.consensus(
            matrix,
            wanted,
            method,
            random_state=seed,
            n_jobs=jobs,
            verbose=int(not quiet),
            full_output=True,
            **options,
        )
        joining = perf_counter() - start - reading
        write_consensus(output, result.labels, result.confidence if confidence else None)
    if not quiet:
        from rich.console import Console

        Console().print(_summary(result, {"reading": reading, "consensus": joining}))


def _check_method(method: str, options: dict[str, object], n_clusters: object) -> None:
    """Refuse options that the method does not have, before the labels are read."""
    from lsec.consensus.consensus import make_method, requested_clusters

    requested_clusters(n_clusters, make_method(method, options), method)


def _parse_options(settings: Iterable[str]) -> dict[str, object]:
    options: dict[str, object] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not (name and equals):
            raise ValueError(f"--option must be name=value, such as theta=0.2; got {setting!r}.")
        options[name.strip()] = parse_value(value.strip())
    return options


def _summary(result: Consensus, seconds: dict[str, float]) -> Table:
    """Return a table of sizes, agreement, and seconds."""
    import numpy as np
    from rich import box
    from rich.table import Table

    from lsec.metrics import diversity

    micro = result.micro
    table = Table(box=box.SIMPLE, show_header=False)
    table.add_column()
    table.add_column(justify="right")
    table.add_row("rows", f"{len(micro.of_row):,}")
    table.add_row("base clusterings", f"{micro.n_base:,}")
    table.add_row("base clusters", f"{micro.n_base_clusters:,}")
    table.add_row("micro-clusters", f"{len(micro):,}", end_section=True)
    table.add_row("clusters", f"{result.n_clusters:,}")
    if result.evidence is not None:
        for name, value in _choice(result.evidence).items():
            table.add_row(name, value)
    table.add_row("mean confidence", f"{result.confidence.mean(dtype=np.float64):.3f}")
    if micro.n_base_clusters <= MOST_COMPARED:
        table.add_row("diversity (1 - NMI)", f"{diversity(micro):.3f}")
    table.add_section()
    for stage, taken in seconds.items():
        table.add_row(stage, f"{taken:.2f} s")
    return table


def _choice(evidence: Evidence) -> dict[str, str]:
    """Return the criterion with the best number of clusters, and the runner-up."""
    import numpy as np

    order = np.argsort(-evidence.scores, kind="stable")[:2]
    found = [f"{evidence.candidates[i]} ({evidence.scores[i]:.3g})" for i in order]
    return dict(zip((f"chosen by {evidence.criterion}", "runner-up"), found, strict=False))
