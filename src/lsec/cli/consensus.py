"""`lsec consensus`: join the base clusterings of a file into one."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import click

from lsec.cli.errors import one_line_errors
from lsec.cli.parameters import seed_option

if TYPE_CHECKING:
    from rich.table import Table

    from lsec import Consensus
    from lsec.consensus_methods.evidence import Evidence

METHODS = ("bipartite", "linkage", "eac", "lwea", "lwgp", "kcc", "sec", "pta", "ptgp")
MOST_COMPARED = 4096  # base clusters; every two of them are counted


@click.command()
@click.argument("labels", type=click.Path(path_type=Path))
@click.option(
    "-k",
    "--n-clusters",
    required=True,
    metavar="INTEGER|auto",
    help="Clusters to find; auto lets the method choose, if it can.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    help="Where the labels go: a .npy, .csv or .parquet file.",
)
@click.option(
    "--method",
    type=click.Choice(METHODS),
    default="bipartite",
    show_default=True,
    help="How to join the base clusterings.",
)
@click.option("--option", "settings", multiple=True, metavar="NAME=VALUE", help="...")
@click.option("--columns", metavar="NAME,...", help="...")
@click.option("--confidence", is_flag=True, help="...")
@seed_option
@click.option("--jobs", type=int, help="Threads; all cores by default.")
@click.option("-q", "--quiet", is_flag=True, help="Show neither progress nor summary.")
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
    """Join base clusterings of the same rows into one clustering.
    """
