"""`lsec fit`: cluster the rows of files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from lsec.cli.errors import one_line_errors
from lsec.cli.interruption import stages_kept
from lsec.cli.parameters import columns_option, seed_option, show, split_names

if TYPE_CHECKING:
    from lsec.estimators.base import RowsEstimator

METHODS = {
    "lsec": "LSEC",
    "dncsc": "DnCSC",
    "uspec": "USPEC",
    "usenc": "USENC",
    "ensemble": "EnsembleClustering",
    "light-kmeans": "LightKMeans",
}
WITH_CONSENSUS = ("lsec", "ensemble")
CONNECT_SECONDS = 30


@click.command()
@click.argument("rows", nargs=-1, required=True)
@click.option("-k", "--n-clusters", required=True, help="Clusters to find, or auto.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    help="Where the labels go: a .npy, .csv or .parquet file.",
)
@click.option("--model", type=click.Path(path_type=Path), help="Save the fitted model here.")
@click.option(
    "--method",
    type=click.Choice(list(METHODS)),
    default="lsec",
    show_default=True,
    help="How to cluster.",
)
@click.option("--consensus", help="How to join members (lsec, ensemble), such as bipartite.")
@columns_option
@seed_option
@click.option("--jobs", type=int, help="Threads; all cores by default.")
@click.option("--memory-limit", help="Memory for work, such as 2GiB.")
@click.option(
    "--resume", is_flag=True, help="Go on from the finished stages of an interrupted fit."
)
@click.option("--dask", "address", help="Run on a Dask cluster, such as tcp://host:8786.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
@click.option("-q", "--quiet", is_flag=True, help="Show neither progress nor summary.")
def fit(
    rows: tuple[str, ...],
    n_clusters: str,
    output: Path,
    model: Path | None,
    method: str,
    consensus: str | None,
    columns: str | None,
    seed: int,
    jobs: int | None,
    memory_limit: str | None,
    resume: bool,
    address: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Cluster the rows of files, which may be larger than memory.

    ROWS is a .npy, .parquet, .zarr, .h5 (file.h5::name) or .csv file, a folder of .parquet or
    .npy files, or several files that follow each other. The labels are 0 to k - 1, in the order
    of the rows.

    A fit that was interrupted, or killed, leaves a folder OUTPUT.resume. The same command with
    --resume goes on from there, to the same labels; without it, the fit starts anew.
    """
    from lsec.cli.files import check_output
    from lsec.output.label_files import LABEL_FORMATS
    from lsec.sources.opening import open_rows

    with one_line_errors():
        check_output(output, LABEL_FORMATS, others=tuple(map(Path, rows)))
        if model is not None:
            check_output(model, (".lsec",), others=(output, *map(Path, rows)))
        settings: dict[str, Any] = {"random_state": seed, "n_jobs": jobs, "verbose": int(not quiet)}
        settings |= {} if memory_limit is None else {"memory_limit": memory_limit}
        settings |= {} if consensus is None else {"consensus": consensus}
        estimator = _make_model(method, _clusters(n_clusters), settings, address is not None)
        source = open_rows(rows[0] if len(rows) == 1 else list(rows), columns=split_names(columns))
        start = perf_counter()
        with stages_kept(output, resume) as folder, _cluster(address) as how:
            if method != "light-kmeans":
                how["checkpoint"] = folder
            estimator.fit(source, labels_out=output, **how)
            if model is not None:
                estimator.save(model)
        seconds = perf_counter() - start
    if not quiet:
        show(_summary(source.shape, estimator, seconds), as_json)


@contextmanager
def _cluster(address: str | None) -> Iterator[dict[str, Any]]:
    """Parameters of `fit` that say where to run."""
    if address is None:
        yield {}
        return
    try:
        from distributed import Client
    except ImportError as error:
        raise ValueError(
            "--dask needs dask.distributed. Install it with: pip install 'lsec[dask]'"
        ) from error
    with Client(address, timeout=CONNECT_SECONDS) as client:
        yield {"client": client}


def _clusters(text: str) -> int | str:
    return int(text) if text.lstrip("-").isdigit() else text


def _make_model(
    method: str, n_clusters: int | str, settings: dict, on_cluster: bool
) -> RowsEstimator:
    """Return the estimator of a method; what was not given keeps the estimator's default."""
    import lsec

    if "memory_limit" in settings and method == "light-kmeans":
        raise ValueError("--memory-limit does not apply to light-kmeans: it keeps no tables.")
    if on_cluster and method == "light-kmeans":
        raise ValueError("--dask does not apply to light-kmeans: it runs in this process only.")
    if "consensus" in settings and method not in WITH_CONSENSUS:
        raise ValueError(f"--consensus applies to {' and '.join(WITH_CONSENSUS)}; got {method}.")
    return getattr(lsec, METHODS[method])(n_clusters, **settings)


def _summary(shape: tuple[int, int], estimator: RowsEstimator, seconds: float) -> dict:
    """What was done, and how long each stage took."""
    return {
        "rows": shape[0],
        "features": shape[1],
        "clusters": getattr(estimator, "n_clusters_", estimator.n_clusters),
        "stages": estimator.timings_,
        "whole fit": seconds,
        "rows per second": shape[0] / seconds,
    }
