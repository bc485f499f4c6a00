"""`lsec fit`: cluster the rows of files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import perf_counter
from typing import Any

import click

from lsec.cli import common, stopped_by
from lsec.cli.rows import GivenRows, rows_arguments
from lsec.cli.settings import METHODS, estimator_options, make_estimator, refuse_confidence
from lsec.cli.streams import is_standard, open_output

__all__ = ["METHODS", "fit"]

CONNECT_SECONDS = 30


@click.command()
@rows_arguments
@click.option("-k", "--n-clusters", required=True, help="Clusters to find, or auto.")
@common.labels_option
@common.confidence_option
@click.option("--model", type=common.FILE, help="Save the fitted model here.")
@estimator_options
@common.seed_option
@common.jobs_option
@click.option(
    "--resume", is_flag=True, help="Go on from the finished stages of an interrupted fit."
)
@click.option("--dask", "address", help="Run on a Dask cluster, such as tcp://host:8786.")
@common.json_option
@common.quiet_option
def fit(
    rows: GivenRows,
    n_clusters: str,
    output: Path,
    confidence: bool,
    model: Path | None,
    method: str,
    settings: dict[str, Any],
    seed: int,
    jobs: int | None,
    resume: bool,
    address: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Cluster the rows of files, which may be larger than memory.

    ROWS is a .npy, .parquet, .zarr, .h5 (file.h5::name), .csv or .csv.gz file, a folder of
    .parquet, .npy or .csv files, several files that follow each other, or - for standard input.
    The labels are 0 to k - 1, in the order of the rows.

    A fit that was interrupted, or killed, leaves a folder OUTPUT.resume. The same command with
    --resume goes on from there, to the same labels; without it, the fit starts anew.
    """
    with common.one_line_errors(), open_output(output) as path:
        common.check_labels(path, rows.extra(confidence))
        if model is not None:
            common.check_output(model, (".lsec",), others=(path,))
        if confidence:
            refuse_confidence(method)
        if address is not None and method == "light-kmeans":
            raise ValueError("--dask does not apply to light-kmeans: it runs in this process only.")
        estimator = make_estimator(method, n_clusters, settings)
        estimator.set_params(random_state=seed, n_jobs=jobs, verbose=int(not quiet))
        source = rows.open(path, model)
        table, start = rows.table(path, source, confidence), perf_counter()
        with _checkpoint(path, resume) as folder, _cluster(address) as where:
            if method != "light-kmeans" and not is_standard(output):
                where["checkpoint"] = folder
            estimator.fit(source, labels_out=table, **where)
            if model is not None:
                estimator.save(model)
        seconds = perf_counter() - start
    if as_json or not quiet:
        summary = {
            "rows": source.shape[0],
            "features": source.shape[1],
            "clusters": getattr(estimator, "n_clusters_", estimator.n_clusters),
            "stages": estimator.timings_,
            "whole fit": seconds,
            "rows per second": source.shape[0] / seconds,
        }
        common.show(summary, as_json, err=is_standard(output))


class Interrupted(click.ClickException):
    """A signal stopped the work, which has an exit code of its own."""


@contextmanager
def _checkpoint(output: Path, resume: bool) -> Iterator[Path]:
    """Provide a folder for the finished stages of a fit, next to the file for the labels.

    Stages are removed after a successful fit, and by a fit that starts anew; never after an
    error, such as that of a full disk, which may be far from where they went wrong.
    """
    from lsec.execution.checkpoint import has_stages, remove_stages

    folder = output.with_name(f"{output.name}.resume")
    if not resume and folder.exists():
        remove_stages(folder)
        click.echo(f"Starting anew: {folder}, of an interrupted fit, is removed.", err=True)
    found = folder.exists()
    try:
        yield folder
    except BaseException as error:
        advice = "There is nothing to go on from yet."
        if has_stages(folder):
            advice = f"Finished stages stay in {folder}: go on with --resume, or remove it."
        elif not found:
            with suppress(OSError, ValueError):
                remove_stages(folder)
        if isinstance(error, KeyboardInterrupt):
            word, code = stopped_by(error)
            interrupted = Interrupted(f"{word} {advice}")
            interrupted.exit_code = code  # type: ignore[misc]
            raise interrupted from None
        if has_stages(folder):
            click.echo(advice, err=True)
        raise
    with suppress(OSError, ValueError):  # the labels are complete
        remove_stages(folder)


@contextmanager
def _cluster(address: str | None) -> Iterator[dict[str, Any]]:
    """Connect to a Dask cluster; yields the parameters of `fit` that say where to run."""
    if address is None:
        yield {}
        return
    from lsec.sources.stored import import_for

    distributed = import_for("--dask", "distributed", "dask")
    with distributed.Client(address, timeout=CONNECT_SECONDS) as client:
        yield {"client": client}
