"""`lsec predict`: label the rows of files with a saved model."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

import click

from lsec.cli import common
from lsec.cli.rows import GivenRows, rows_arguments


@click.command()
@click.argument("model", type=common.FILE)
@rows_arguments
@common.labels_option
@common.jobs_option
@common.json_option
@common.quiet_option
def predict(
    rows: GivenRows,
    model: Path,
    output: Path,
    jobs: int | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Label the rows of files, which may be larger than memory, with a MODEL of `lsec fit`.

    ROWS are given as for `lsec fit`. Of files with column names, the columns that the model was
    fitted on are used, in any order.
    """
    import lsec
    from lsec.output.labels import LABEL_FORMATS

    with common.one_line_errors():
        common.check_output(output, LABEL_FORMATS, others=(model,))
        estimator = lsec.load(model).set_params(n_jobs=jobs, verbose=int(not quiet))
        names = getattr(estimator, "feature_names_in_", None)
        source = rows.open(output, fitted_on=names)
        start = perf_counter()
        estimator.predict(source, labels_out=output)
        seconds = perf_counter() - start
    if not quiet:
        summary = {"rows": source.shape[0], "whole prediction": seconds}
        common.show({**summary, "rows per second": source.shape[0] / seconds}, as_json)
