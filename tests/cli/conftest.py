"""Fixtures of the tests of the command line."""

import pytest
from click.testing import CliRunner

from lsec import datasets
from lsec.cli.main import main


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run a command in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        return CliRunner().invoke(main, [str(argument) for argument in arguments])

    return run


@pytest.fixture(scope="module")
def bananas():
    return datasets.make_two_bananas(3000, random_state=0)
