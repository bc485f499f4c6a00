"""`lsec report`: the result pages of a folder of cells."""

from __future__ import annotations

from pathlib import Path

import click

from lsec.cli.common import one_line_errors


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder for the pages; FOLDER by default.",
)
def report(folder: Path, out: Path | None) -> None:
    """Write report.html and report.md again from a FOLDER of `lsec bench paper`."""
    from lsec.report.pages import write_pages

    with one_line_errors():
        for page in write_pages(folder, out):
            click.echo(page)
