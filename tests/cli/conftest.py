"""Fixtures of the tests of the command line."""

import shlex

import numpy as np
import pytest
from click.testing import CliRunner

from lsec import datasets
from lsec.cli.main import main
from tests.cli.noisy_labels import LABELS, write_all


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


@pytest.fixture
def run_consensus(tmp_path, monkeypatch):
    """Run `lsec consensus` in a folder with in.npy, in.csv, in-bare.csv and in.parquet."""
    monkeypatch.chdir(tmp_path)
    write_all(LABELS, "in")

    def run(line):
        return CliRunner().invoke(main, ["consensus", *shlex.split(line)])

    return run


@pytest.fixture
def labels_of(run_consensus):
    """Run a command that must succeed; returns the labels it wrote to out.npy."""

    def labels_of(line):
        result = run_consensus(f"{line} -o out.npy")
        assert result.exit_code == 0, result.output
        return np.load("out.npy")

    return labels_of
