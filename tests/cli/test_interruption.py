"""A fit on the command line that was stopped or killed goes on to the same labels."""

import multiprocessing
import os
import random
import signal
import time

import numpy as np
import pytest
from click.testing import CliRunner

import lsec
from lsec.cli.main import main
from lsec.datasets import make_circles_gaussians
from lsec.execution.executor import ThreadExecutor
from tests.conftest import SMALL

FINISHED = ["labels.npy", "m.lsec", "rows.npy"]


@pytest.fixture
def rows(tmp_path, face):
    np.save(tmp_path / "rows.npy", face)
    return tmp_path / "rows.npy"


def lsec_fit(rows, *more):
    output = rows.with_name("labels.npy")
    arguments = ["fit", str(rows), "-k", "4", "-o", str(output), "-q", *more]
    return CliRunner().invoke(main, arguments), output


def test_stop_by_the_user_keeps_stages_and_says_so(rows, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(ThreadExecutor, "distinct", stop)
        result, output = lsec_fit(rows)
    assert result.exit_code == 130
    assert "go on with --resume" in result.stderr
    assert sorted(p.name for p in rows.parent.iterdir()) == ["labels.npy.resume", "rows.npy"]
    monkeypatch.setattr(ThreadExecutor, "reduce", lambda *_: pytest.fail("swept again"))
    assert lsec_fit(rows, "--resume")[0].exit_code == 0
    assert sorted(p.name for p in rows.parent.iterdir()) == ["labels.npy", "rows.npy"]
    monkeypatch.undo()
    np.testing.assert_array_equal(np.load(output), lsec.LSEC(4, random_state=0).fit_predict(rows))


def test_without_resume_a_fit_starts_anew_and_says_so(rows):
    (rows.parent / "labels.npy.resume").mkdir()
    result, _ = lsec_fit(rows)
    assert result.exit_code == 0
    assert "Starting anew" in result.stderr
    assert not (rows.parent / "labels.npy.resume").exists()


def test_an_error_leaves_nothing_behind(rows, face):
    face = face.copy()
    face[-1, 0] = np.nan
    np.save(rows, face)
    result, _ = lsec_fit(rows)
    assert result.exit_code == 2
    assert [p.name for p in rows.parent.iterdir()] == ["rows.npy"]


def test_leftovers_of_a_killed_process_are_removed(rows):
    process = multiprocessing.get_context("spawn").Process(target=os.getpid)
    process.start()
    process.join()
    left = rows.with_name(f".labels.npy.{process.pid}.tmp")
    own = rows.with_name(f".labels.npy.{os.getppid()}.tmp")  # still running: not ours to remove
    left.write_bytes(b"half")
    own.write_bytes(b"half")
    assert lsec_fit(rows)[0].exit_code == 0
    assert not left.exists()
    assert own.exists()


def run_fit(folder, *more):
    """In a process of its own, which is to be killed; cheap settings reach it by its memory."""
    for name, value in SMALL["LSEC"].items():
        lsec.LSEC.__init__.__kwdefaults__[name] = value
    arguments = [f"{folder}/rows.npy", "-k", "11", "-o", f"{folder}/labels.npy", "-q", *more]
    main(["fit", *arguments, "--model", f"{folder}/m.lsec"], standalone_mode=False)


def test_killed_at_any_moment_it_goes_on_to_the_same_labels(tmp_path):
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["lsec.cli.main", "lsec.pipeline", __name__])
    X, _ = make_circles_gaussians(250_000, random_state=0)
    np.save(tmp_path / "rows.npy", X)

    def start(*more):
        process = context.Process(target=run_fit, args=(tmp_path, *more))
        process.start()
        return process

    for _ in range(2):  # the first one also starts the server that forks them
        begin = time.perf_counter()
        start().join()
        seconds = time.perf_counter() - begin
    output, model = tmp_path / "labels.npy", tmp_path / "m.lsec"
    labels = output.read_bytes()
    output.unlink()
    model.unlink()
    moments = random.Random(0)
    killed = 0
    while killed < 20:
        process = start("--resume")
        process.join(moments.uniform(0, seconds))
        if process.is_alive():
            os.kill(process.pid, signal.SIGKILL)
            process.join()
            killed += 1
            assert not output.exists() or output.read_bytes() == labels
        else:
            assert output.read_bytes() == labels
            assert sorted(p.name for p in tmp_path.iterdir()) == FINISHED
            predicted = lsec.load(model).predict(tmp_path / "rows.npy")
            np.testing.assert_array_equal(predicted, np.load(output))
            output.unlink()
            model.unlink()
    start("--resume").join()
    assert output.read_bytes() == labels
    assert sorted(p.name for p in tmp_path.iterdir()) == FINISHED
