"""`lsec explore`: a page to explore the clusters of the rows of files."""

from __future__ import annotations

from pathlib import Path

import click

from lsec.cli import common
from lsec.cli.rows import GivenRows, rows_arguments


@click.command()
@click.argument("model", type=common.FILE)
@rows_arguments
@common.output_option("The .html file for the page.", required=True)
@click.option(
    "--coordinates", type=common.FILE, help="File of two columns: where to draw the rows."
)
@common.jobs_option
@common.json_option
@common.quiet_option
def explore(
    rows: GivenRows,
    model: Path,
    output: Path,
    coordinates: Path | None,
    jobs: int | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Write a page to explore the clusters of rows, with a MODEL of `lsec fit`.

    ROWS are given as for `lsec fit`. The page is a single file, which any browser opens without a
    network. It draws at most a million rows; more are sampled at random.
    """
    import lsec
    from lsec.estimators.consensus import ConsensusEstimator

    with common.one_line_errors():
        inputs = [model] if coordinates is None else [model, coordinates]
        common.check_output(output, (".html",), others=tuple(inputs))
        estimator = lsec.load(model)
        if not isinstance(estimator, ConsensusEstimator):
            kind = type(estimator).__name__
            raise ValueError(f"{model} holds a {kind}, not an ensemble, which a page explores.")
        names = getattr(estimator, "feature_names_in_", None)
        source = rows.open(output, fitted_on=names)
        estimator.set_params(n_jobs=jobs, verbose=int(not quiet))
        estimator.explore(source, output, coordinates=coordinates)
    if as_json or not quiet:
        common.show({"rows": source.shape[0], "bytes": output.stat().st_size}, as_json)
