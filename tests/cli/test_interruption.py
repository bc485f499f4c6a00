"""A fit on the command line that was stopped or killed goes on to the same labels."""

import multiprocessing
import os
import random
import shutil
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


def test_stop_before_the_first_stage_leaves_nothing_and_says_so(rows, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(ThreadExecutor, "reduce", stop)
    result, _ = lsec_fit(rows)
    assert result.exit_code == 130
    assert "nothing to go on from yet" in result.stderr
    assert [p.name for p in rows.parent.iterdir()] == ["rows.npy"]


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


def stages(rows):
    return sorted(path.name for path in (rows.parent / "labels.npy.resume").iterdir())


@pytest.fixture
def interrupted(rows, monkeypatch):
    """Rows whose fit was stopped after sweep A."""

    def stop(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(ThreadExecutor, "distinct", stop)
        lsec_fit(rows)
    assert stages(rows)
    return rows


def test_stages_of_another_fit_are_kept(interrupted):
    before = stages(interrupted)
    result, _ = lsec_fit(interrupted, "--resume", "--seed", "1")
    assert result.exit_code == 2
    assert "keeps the stages of another fit" in result.stderr
    assert stages(interrupted) == before
    assert lsec_fit(interrupted, "--resume")[0].exit_code == 0


@pytest.mark.parametrize(
    "error", [OSError(28, "No space left on device"), MemoryError("Unable to allocate 8 GiB")]
)
def test_an_error_keeps_finished_stages_and_says_so(rows, monkeypatch, error):
    def fail(*_, **__):
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(ThreadExecutor, "distinct", fail)
        result, output = lsec_fit(rows)
    assert result.exit_code == 2
    assert str(error.args[-1]) in result.stderr
    assert "go on with --resume" in result.stderr
    assert "gram-0.npz" in stages(rows)
    monkeypatch.setattr(ThreadExecutor, "reduce", lambda *_: pytest.fail("swept again"))
    assert lsec_fit(rows, "--resume")[0].exit_code == 0
    assert output.exists()


def test_a_folder_with_other_files_is_not_removed(rows):
    folder = rows.parent / "labels.npy.resume"
    folder.mkdir()
    (folder / "thesis.txt").write_text("mine")
    result, _ = lsec_fit(rows)
    assert result.exit_code == 2
    assert "thesis.txt" in result.stderr
    assert (folder / "thesis.txt").read_text() == "mine"


def test_an_output_folder_that_disappears_is_one_clear_error(rows, tmp_path, monkeypatch):
    distinct = ThreadExecutor.distinct
    output = tmp_path / "deep" / "labels.npy"
    output.parent.mkdir()

    def remove_and_go_on(*arguments):
        found = distinct(*arguments)
        shutil.rmtree(output.parent)
        return found

    monkeypatch.setattr(ThreadExecutor, "distinct", remove_and_go_on)
    result = CliRunner().invoke(main, ["fit", str(rows), "-k", "4", "-o", str(output), "-q"])
    assert result.exit_code == 2
    assert str(output.parent) in result.stderr
    assert result.stderr.count("\n") == 1
    assert not output.parent.exists()


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
