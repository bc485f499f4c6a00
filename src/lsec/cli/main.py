"""The `lsec` command."""

from __future__ import annotations

import click

from lsec import __version__
from lsec.address_space import require_libraries
from lsec.cli.common import one_line_errors
from lsec.cli.consensus import consensus
from lsec.cli.datasets import datasets
from lsec.cli.demo import demo
from lsec.cli.explore import explore
from lsec.cli.fit import fit
from lsec.cli.info import info
from lsec.cli.predict import predict


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="lsec")
def main() -> None:
    """Cluster many rows: large-scale spectral ensemble clustering."""
    with one_line_errors():
        require_libraries()


for command in (demo, datasets, fit, predict, explore, info, consensus):
    main.add_command(command)
