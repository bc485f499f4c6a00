"""`lsec predict`: label the rows of files with a saved model."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

import click

from lsec.cli import common


@click.command()
@click.argument("model", type=common.FILE)
@click.argument("rows", nargs=-1, required=True)
@common.labels_option
@common.columns_option
@common.jobs_option
@common.json_option
@common.quiet_option
def predict(
    model: Path,
    rows: tuple[str, ...],
    output: Path,
    columns: str | None,
    jobs: int | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Label the rows of files, which may be larger than memory, with a MODEL of `lsec fit`.

    ROWS are given as for `lsec fit`.
    """
    import lsec
    from lsec.output.labels import LABEL_FORMATS

    with common.one_line_errors():
        common.check_output(output, LABEL_FORMATS, others=(model,))
        estimator = lsec.load(model).set_params(n_jobs=jobs, verbose=int(not quiet))
        source = common.open_files(rows, columns, output)
        start = perf_counter()
        estimator.predict(source, labels_out=output)
        seconds = perf_counter() - start
    if not quiet:
        summary = {"rows": source.shape[0], "whole prediction": seconds}
        common.show({**summary, "rows per second": source.shape[0] / seconds}, as_json)
