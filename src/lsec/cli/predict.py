"""`lsec predict`: label the rows of files with a saved model."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

import click

from lsec.cli.errors import one_line_errors
from lsec.cli.parameters import columns_option, show, split_names


@click.command()
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("rows", nargs=-1, required=True)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    help="Where the labels go: a .npy, .csv or .parquet file.",
)
@columns_option
@click.option("--jobs", type=int, help="Threads; all cores by default.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
@click.option("-q", "--quiet", is_flag=True, help="Show neither progress nor summary.")
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

    ROWS is a .npy, .parquet, .zarr, .h5 (file.h5::name) or .csv file, a folder of .parquet or
    .npy files, or several files that follow each other.
    """
    import lsec
    from lsec.cli.files import check_output
    from lsec.output.label_files import LABEL_FORMATS
    from lsec.sources.opening import open_rows

    with one_line_errors():
        check_output(output, LABEL_FORMATS, others=(model, *map(Path, rows)))
        estimator = lsec.load(model).set_params(n_jobs=jobs, verbose=int(not quiet))
        source = open_rows(rows[0] if len(rows) == 1 else list(rows), columns=split_names(columns))
        start = perf_counter()
        estimator.predict(source, labels_out=output)
        seconds = perf_counter() - start
    if not quiet:
        summary = {"rows": source.shape[0], "whole prediction": seconds}
        show({**summary, "rows per second": source.shape[0] / seconds}, as_json)
