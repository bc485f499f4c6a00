"""How the command ends when a signal stops it, or when nobody reads its output."""

import subprocess
import sys

import numpy as np
import pytest

import lsec
from lsec.cli import CLOSED_PIPE

MOMENTS = ["lsec.cli.main", "click", "lsec.cli.fit", "numpy", "numba", "lsec.pipeline"]
STOPPED_WHILE_IMPORTING = """
import os, signal, sys

class Stop:
    def find_spec(self, name, path=None, target=None):
        if name == {moment!r}:
            os.kill(os.getpid(), signal.{signal})

import lsec.cli
sys.meta_path.insert(0, Stop())
sys.argv = ["lsec", "fit", {rows!r}, "-k", "2", "-o", {labels!r}]
lsec.cli.start()
"""
RUN = "import sys, lsec.cli; sys.argv[0] = 'lsec'; lsec.cli.start()"


@pytest.fixture(scope="module")
def model(tmp_path_factory, bananas):
    path = tmp_path_factory.mktemp("model") / "m.lsec"
    lsec.LightKMeans(2, random_state=0).fit(bananas[0]).save(path)
    return path


def stopped(tmp_path, moment, signal):
    rows, labels = tmp_path / "rows.npy", tmp_path / "labels.npy"
    np.save(rows, np.random.default_rng(0).random((1000, 2)))
    program = STOPPED_WHILE_IMPORTING.format(
        moment=moment, signal=signal, rows=str(rows), labels=str(labels)
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120
    )
    assert [path.name for path in tmp_path.iterdir()] == ["rows.npy"]
    return done


@pytest.mark.parametrize("moment", MOMENTS)
def test_interrupted_at_the_start_it_says_so_with_exit_code_130(tmp_path, moment):
    done = stopped(tmp_path, moment, "SIGINT")
    assert done.returncode == 130
    assert "Interrupted." in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("moment", ["click", "lsec.pipeline"])
def test_terminated_it_says_so_with_exit_code_143(tmp_path, moment):
    done = stopped(tmp_path, moment, "SIGTERM")
    assert done.returncode == 143
    assert "Terminated." in done.stderr
    assert "Traceback" not in done.stderr


def read_by_nobody(*arguments, streams=("stdout",)):
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    for stream in streams:
        getattr(process, stream).close()
    error = b"" if "stderr" in streams else process.stderr.read()
    return process.wait(120), error


@pytest.mark.parametrize("arguments", [("--help",), ("datasets", "list"), ("info", "MODEL")])
def test_a_closed_pipe_ends_it_quietly(model, arguments):
    given = [model if one == "MODEL" else one for one in arguments]
    assert read_by_nobody(*given) == (CLOSED_PIPE, b"")


def test_outputs_are_complete_though_nobody_watches(model, tmp_path, bananas):
    rows, labels, saved = (tmp_path / name for name in ("rows.npy", "labels.npy", "m.lsec"))
    np.save(rows, bananas[0])
    command = "fit", rows, "-k", "2", "-o", labels, "--model", saved, "--method", "light-kmeans"
    code, _ = read_by_nobody(*command, streams=("stdout", "stderr"))
    assert code == CLOSED_PIPE
    np.testing.assert_array_equal(lsec.load(saved).predict(rows), np.load(labels))
