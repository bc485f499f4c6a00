"""`lsec datasets`: list the data sets, and make the synthetic ones."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from lsec.cli import common


@dataclass(frozen=True)
class Entry:
    """A data set: its maker or loader in `lsec.datasets`, and its size there."""

    function: str
    rows: int
    features: int
    classes: int


SYNTHETIC = {
    "two-bananas": Entry("make_two_bananas", 1_000_000, 2, 2),
    "smiling-face": Entry("make_smiling_face", 2_000_000, 2, 4),
    "concentric-circles": Entry("make_concentric_circles", 5_000_000, 2, 3),
    "circles-gaussians": Entry("make_circles_gaussians", 10_000_000, 2, 11),
    "flower": Entry("make_flower", 20_000_000, 2, 13),
}
BUNDLED = {
    "pendigits": Entry("load_pendigits", 10_992, 16, 10),
    "letters": Entry("load_letters", 20_000, 16, 26),
}
FETCHED = {
    "usps": Entry("load_usps", 9_298, 256, 10),
    "mnist": Entry("load_mnist", 70_000, 784, 10),
    "covertype": Entry("load_covertype", 581_012, 54, 7),
}


@click.group()
def datasets() -> None:
    """List the data sets, make the synthetic ones."""


@datasets.command("list")
def list_datasets() -> None:
    """List the data sets and their origin."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE)
    for heading in ("name", "rows", "features", "classes", "from"):
        table.add_column(heading, justify="left" if heading in ("name", "from") else "right")
    for origin, entries in (
        ("any number made", SYNTHETIC),
        ("with the package", BUNDLED),
        ("LSEC_DATA, download", FETCHED),
    ):
        for name, entry in entries.items():
            counts = (f"{entry.rows:,}", f"{entry.features}", f"{entry.classes}")
            table.add_row(name, *counts, origin)
        table.add_section()
    common.console().print(table)


@datasets.command()
@click.argument("name", type=click.Choice(list(SYNTHETIC)), metavar="NAME")
@click.option(
    "-n",
    "--rows",
    type=common.row_count,
    metavar="NUMBER",
    help="Number of rows; default: as in the papers.",
)
@common.output_option("The .npy file for the rows, float32.", required=True)
@click.option("--labels", type=common.FILE, help="A .npy or .csv file for the class of every row.")
@common.seed_option
def make(name: str, rows: int | None, output: Path, labels: Path | None, seed: int) -> None:
    """Make a synthetic data set of any size.

    NAME is two-bananas, smiling-face, concentric-circles, circles-gaussians or flower.
    Rows are written as they are drawn, so that they may be larger than memory: a billion rows
    (-n 1e9) take 8 GB on disk, and 1 GB of memory for their classes.
    """
    from lsec import datasets as library
    from lsec.output.label_files import LABEL_FORMATS, write_labels

    entry = SYNTHETIC[name]
    with common.one_line_errors():
        common.check_output(output, (".npy",))
        if labels is not None:
            common.check_output(labels, LABEL_FORMATS, others=(output,))
        maker = getattr(library, entry.function)
        X, y = maker(rows or entry.rows, random_state=seed, out=output)
        if labels is not None:
            write_labels(labels, [y], len(y))
    click.echo(f"{output}: {X.shape[0]:,} rows, {X.shape[1]} features, {entry.classes} classes")
