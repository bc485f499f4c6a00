"""The command line on a Dask cluster."""

import numpy as np
import pytest
from click.testing import CliRunner

pytest.importorskip("distributed")

import distributed

import lsec
from lsec.cli.main import main
from lsec.datasets import make_circles_gaussians
from tests.conftest import SMALL


def test_labels_are_those_of_this_process(tmp_path, monkeypatch):
    rows = make_circles_gaussians(200_000, random_state=0)[0]
    np.save(tmp_path / "rows.npy", rows)
    for name, value in SMALL["LSEC"].items():
        monkeypatch.setitem(lsec.LSEC.__init__.__kwdefaults__, name, value)
    with distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=":0") as cluster:
        arguments = [str(tmp_path / "rows.npy"), "-k", "11", "-o", str(tmp_path / "labels.npy")]
        asked = ["fit", *arguments, "--dask", cluster.scheduler_address, "-q"]
        result = CliRunner().invoke(main, asked)
    assert result.exit_code == 0, result.stderr
    expected = lsec.LSEC(11, random_state=0).fit(rows).labels_
    np.testing.assert_array_equal(np.load(tmp_path / "labels.npy"), expected)


def test_a_cluster_that_does_not_answer_is_named(tmp_path, face, monkeypatch):
    monkeypatch.setattr("lsec.cli.fit.CONNECT_SECONDS", 1)
    np.save(tmp_path / "rows.npy", face)
    arguments = [str(tmp_path / "rows.npy"), "-k", "4", "-o", str(tmp_path / "labels.npy")]
    result = CliRunner().invoke(main, ["fit", *arguments, "--dask", "tcp://127.0.0.1:1"])
    assert result.exit_code == 2
    assert "127.0.0.1:1" in result.stderr.splitlines()[-1]
    assert [p.name for p in tmp_path.iterdir()] == ["rows.npy"]
