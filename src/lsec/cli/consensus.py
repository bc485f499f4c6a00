"""`lsec consensus`: combine the base clusterings in a file into one clustering."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from lsec.cli import common
from lsec.cli.rows import (
    GivenRows,
    columns_option,
    drop_option,
    id_option,
    row_names,
    split_columns,
)
from lsec.cli.streams import is_standard, open_output, save_input

if TYPE_CHECKING:
    from lsec import Consensus
    from lsec.output.label_files import LabelTable
    from lsec.sources.row_names import RowNames

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
@drop_option
@id_option
@common.confidence_option
@common.seed_option
@common.jobs_option
@common.json_option
@common.quiet_option
def consensus(
    labels: Path,
    n_clusters: str,
    output: Path,
    method: str,
    settings: tuple[str, ...],
    columns: str | None,
    drop: str | None,
    identifiers: str | None,
    confidence: bool,
    seed: int,
    jobs: int | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Combine base clusterings of the same rows into one clustering.

    LABELS is a .npy, .csv or .parquet file of whole numbers, with a column per base clustering,
    or - for standard input. A negative number, an empty field, NaN or null: the row takes no part
    in that clustering. A .csv file may begin with column names; columns without a name, indices
    stored by pandas, and columns with another number in every row are left out. The labels of the
    result are 0 to k - 1, in the order of the rows.
    """
    import lsec
    from lsec.consensus.consensus import make_method, requested_clusters
    from lsec.output.label_files import LabelTable

    with common.one_line_errors(), open_output(output) as path:
        given = GivenRows((str(labels),), columns, drop, identifiers)
        common.check_labels(path, given.extra(confidence), others=(labels,))
        options = _parse_options(settings)
        wanted: Any = common.parse_value(n_clusters)
        requested_clusters(wanted, make_method(method, options), method)  # before reading labels
        start = perf_counter()
        matrix, names = _read(labels, path, given)
        reading = perf_counter() - start
        options |= {"random_state": seed, "n_jobs": jobs, "verbose": int(not quiet)}
        result = lsec.consensus(matrix, wanted, method, full_output=True, **options)
        joining = perf_counter() - start - reading
        _write(LabelTable(path, names, confidence), result)
    if as_json or not quiet:
        facts = _summary(result) if as_json else _in_words(_summary(result))
        stages = {"stages": {"reading": reading, "consensus": joining}}
        common.show(facts | stages, as_json, err=is_standard(output))


def _read(labels: Path, output: Path, given: GivenRows) -> tuple[Any, RowNames | None]:
    """Return the base labels, and the columns to carry into the output."""
    from lsec.cli.label_tables import check_pyarrow, read_labels
    from lsec.sources.columns import ColumnChoice

    path = Path(save_input()) if is_standard(labels) else labels
    check_pyarrow(path, output)
    columns = split_columns(given.columns, "--columns")
    unused = split_columns(given.drop, "--drop") or []
    if columns is None:
        unused += split_columns(given.identifiers, "--id") or []
    choice = ColumnChoice(None if columns is None else tuple(columns), tuple(dict.fromkeys(unused)))
    return read_labels(path, choice), row_names([str(path)], given.identifiers)


def _write(table: LabelTable, result: Consensus) -> None:
    from lsec.output.label_files import with_confidence, write_labels

    labels = result.labels
    values = with_confidence(labels, result.confidence) if table.confidence else labels
    write_labels(table.path, [values], len(values), table.row_names)


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
        scores = zip(evidence.candidates.tolist(), evidence.scores.tolist(), strict=True)
        facts["criterion"], facts["scores"] = evidence.criterion, dict(scores)
    facts["mean confidence"] = float(result.confidence.mean(dtype=np.float64))
    if micro.n_base_clusters <= MOST_COMPARED:
        facts["diversity (1 - NMI)"] = diversity(micro)
    return facts


def _in_words(facts: dict[str, Any]) -> dict[str, Any]:
    """The facts as a table shows them: of the scores, the two highest."""
    words: dict[str, Any] = {}
    for name, value in facts.items():
        if name == "scores":
            names = f"chosen by {facts['criterion']}", "runner-up"
            best = sorted(value, key=lambda k: -value[k])
            words |= {n: f"{k} ({value[k]:.3g})" for n, k in zip(names, best, strict=False)}
        elif name != "criterion":
            words[name] = f"{value:.3f}" if isinstance(value, float) else value
    return words
