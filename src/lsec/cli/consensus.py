"""`lsec consensus`: combine the base clusterings in a file into one clustering."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from lsec.cli import common
from lsec.cli.rows import columns_option, split_columns

if TYPE_CHECKING:
    from lsec import Consensus

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
@common.labels_option
@common.method_option(METHODS, "linkage", "Consensus function.")
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
@common.seed_option
@common.jobs_option
@common.quiet_option
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
    from lsec.consensus.consensus import make_method, requested_clusters
    from lsec.output.labels import LABEL_FORMATS

    with common.one_line_errors():
        common.check_output(output, LABEL_FORMATS, others=(labels,))
        if confidence and output.suffix.lower() == ".npy":
            raise ValueError(
                f"{output} would hold labels alone. For --confidence choose .csv or .parquet."
            )
        check_pyarrow(labels, output)
        options = _parse_options(settings)
        wanted: Any = common.parse_value(n_clusters)
        requested_clusters(wanted, make_method(method, options), method)  # before reading labels
        start = perf_counter()
        matrix = read_labels(labels, split_columns(columns, "--columns"))
        reading = perf_counter() - start
        options |= {"random_state": seed, "n_jobs": jobs, "verbose": int(not quiet)}
        result = lsec.consensus(matrix, wanted, method, full_output=True, **options)
        joining = perf_counter() - start - reading
        write_consensus(output, result.labels, result.confidence if confidence else None)
    if not quiet:
        common.show({**_summary(result), "stages": {"reading": reading, "consensus": joining}})


def _parse_options(settings: Iterable[str]) -> dict[str, object]:
    options: dict[str, object] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not (name and equals):
            raise ValueError(f"--option must be name=value, such as theta=0.2; got {setting!r}.")
        options[name.strip()] = common.parse_value(value.strip())
    return options


def _summary(result: Consensus) -> dict[str, Any]:
    """Return sizes and agreement."""
    import numpy as np

    from lsec.metrics import diversity

    micro = result.micro
    facts: dict[str, Any] = {
        "rows": len(micro.of_row),
        "base clusterings": micro.n_base,
        "base clusters": micro.n_base_clusters,
        "micro-clusters": len(micro),
        "clusters": result.n_clusters,
    }
    if evidence := result.evidence:
        names = f"chosen by {evidence.criterion}", "runner-up"
        order = np.argsort(-evidence.scores, kind="stable")
        for name, i in zip(names, order, strict=False):
            facts[name] = f"{evidence.candidates[i]} ({evidence.scores[i]:.3g})"
    facts["mean confidence"] = f"{result.confidence.mean(dtype=np.float64):.3f}"
    if micro.n_base_clusters <= MOST_COMPARED:
        facts["diversity (1 - NMI)"] = f"{diversity(micro):.3f}"
    return facts
