"""`lsec predict`: label the rows of files with a saved model."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

import click

from lsec.cli import common
from lsec.cli.rows import GivenRows, rows_arguments
from lsec.cli.streams import is_standard, open_output


@click.command()
@click.argument("model", type=common.FILE)
@rows_arguments
@common.labels_option
@common.confidence_option
@common.jobs_option
@common.device_option
@common.json_option
@common.quiet_option
def predict(
    rows: GivenRows,
    model: Path,
    output: Path,
    confidence: bool,
    jobs: int | None,
    device: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Label the rows of files, which may be larger than memory, with a MODEL of `lsec fit`.

    ROWS are given as for `lsec fit`. Of files with column names, the columns that the model was
    fitted on are used, in any order.
    """
    import lsec

    with common.one_line_errors(), open_output(output) as path:
        common.check_labels(path, rows.extra(confidence), others=(model,))
        estimator = lsec.load(model).set_params(n_jobs=jobs, verbose=int(not quiet))
        if device is not None:
            estimator.set_params(device=device)
        if confidence and not hasattr(estimator, "n_micro_clusters_"):
            kind = type(estimator).__name__
            raise ValueError(f"--confidence does not apply to {kind}: it is a single clustering.")
        names = getattr(estimator, "feature_names_in_", None)
        source = rows.open(path, fitted_on=names)
        table, start = rows.table(path, source, confidence), perf_counter()
        estimator.predict(source, labels_out=table)
        seconds = perf_counter() - start
    if as_json or not quiet:
        summary = {"rows": source.shape[0], "whole prediction": seconds}
        summary["rows per second"] = source.shape[0] / seconds
        common.show(summary, as_json, err=is_standard(output))
