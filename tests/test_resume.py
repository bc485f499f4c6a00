"""A fit that was interrupted goes on from its finished stages, to the same labels."""

import multiprocessing
import os
import random
import signal
import time

import numpy as np
import pytest
from click.testing import CliRunner

import lsec
from conftest import SMALL, builder
from lsec.cli.main import main
from lsec.datasets import make_circles_gaussians
from lsec.spectral.sweep import Sweeper

FINISHED = ["labels.npy", "m.lsec", "rows.npy"]
WITH_STAGES = ["LSEC", "USENC", "EnsembleClustering", "DnCSC", "USPEC"]


@pytest.fixture(params=WITH_STAGES)
def build(request):
    return builder(request.param)


@pytest.fixture
def rows(tmp_path, face):
    np.save(tmp_path / "rows.npy", face)
    return tmp_path / "rows.npy"


def fit(model, rows, **where):
    return model.fit(rows, labels_out=rows.with_name("labels.npy"), **where)


def test_a_checkpoint_changes_nothing(build, rows, tmp_path, block_rows):
    block_rows(1024)
    plain = np.array(fit(build(4), rows).labels_)
    for _ in range(2):  # the second time all stages are there
        kept = fit(build(4), rows, checkpoint=tmp_path / "stages")
        np.testing.assert_array_equal(kept.labels_, plain)
    np.testing.assert_array_equal(kept.predict(rows), plain)


@pytest.mark.parametrize("sweep", ["grams", "_label"])
def test_finished_sweeps_are_not_repeated(rows, tmp_path, monkeypatch, sweep):
    model = builder("LSEC")(4)
    before = np.array(fit(model, rows, checkpoint=tmp_path / "stages").labels_)
    monkeypatch.setattr(Sweeper, sweep, lambda *_: pytest.fail("swept again"))
    again = fit(builder("LSEC")(4), rows, checkpoint=tmp_path / "stages")
    np.testing.assert_array_equal(again.labels_, before)


@pytest.mark.parametrize("stop_in", ["_label", "grams"])
def test_an_interrupted_fit_goes_on(build, rows, tmp_path, monkeypatch, stop_in):
    plain = np.array(fit(build(4), rows).labels_)
    rows.with_name("labels.npy").unlink()

    def stop(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Sweeper, stop_in, stop)
        fit(build(4), rows, checkpoint=tmp_path / "stages")
        if stop_in == "grams" and "generator" in build(4).get_params():
            raise KeyboardInterrupt  # k-means members have no Gram matrices
    again = fit(build(4), rows, checkpoint=tmp_path / "stages")
    np.testing.assert_array_equal(again.labels_, plain)


def test_stages_do_not_depend_on_threads_or_memory(rows, tmp_path, block_rows):
    block_rows(1024)
    plain = np.array(fit(builder("LSEC")(4), rows).labels_)
    for settings in ({"n_jobs": 1}, {"n_jobs": 3}, {"memory_limit": "1MiB"}):
        kept = fit(builder("LSEC")(4, **settings), rows, checkpoint=tmp_path / "stages")
        np.testing.assert_array_equal(kept.labels_, plain)


@pytest.mark.parametrize(("before", "after"), [(5, 2), (1, 5)])
def test_a_sweep_is_found_again_where_memory_takes_another_number_of_sets(
    rows, tmp_path, monkeypatch, before, after
):
    build, stages = builder("USENC"), tmp_path / "stages"
    monkeypatch.setattr(Sweeper, "sets_at_once", lambda *_: before)
    plain = np.array(fit(build(4), rows, checkpoint=stages).labels_)
    monkeypatch.setattr(Sweeper, "sets_at_once", lambda *_: after)
    monkeypatch.setattr(Sweeper, "grams", lambda *_: pytest.fail("swept again"))
    again = fit(build(4), rows, checkpoint=stages)
    np.testing.assert_array_equal(again.labels_, plain)


def test_only_landmark_sets_that_are_lost_are_swept_again(rows, tmp_path, monkeypatch):
    build, stages, swept = builder("USENC"), tmp_path / "stages", []
    plain = np.array(fit(build(4), rows, checkpoint=stages).labels_)
    for lost in ("gram-0.npz", "gram-2.npz", "labels-5.npz"):
        (stages / lost).unlink()
    grams = Sweeper.grams

    def watched(sweeper, frame, tasks, keep):
        swept.extend(tasks)
        return grams(sweeper, frame, tasks, keep)

    monkeypatch.setattr(Sweeper, "grams", watched)
    again = fit(build(4), rows, checkpoint=stages)
    assert swept == [0, 2]
    np.testing.assert_array_equal(again.labels_, plain)


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04 and nothing more"])
def test_a_damaged_stage_is_computed_again(rows, tmp_path, damage):
    before = np.array(fit(builder("LSEC")(4), rows, checkpoint=tmp_path / "stages").labels_)
    stages = sorted((tmp_path / "stages").glob("*.npz"))
    assert len(stages) >= 2
    for stage in stages:
        stage.write_bytes(damage)
    again = fit(builder("LSEC")(4), rows, checkpoint=tmp_path / "stages")
    np.testing.assert_array_equal(again.labels_, before)


@pytest.mark.parametrize("other", [{"random_state": 1}, {"n_base": 6}, {"n_landmarks": 90}])
def test_stages_of_another_fit_are_refused(rows, tmp_path, other):
    fit(builder("LSEC")(4), rows, checkpoint=tmp_path / "stages")
    ((name, value),) = other.items()
    with pytest.raises(ValueError, match=f"another fit: {name} was .* is now '{value}'"):
        fit(builder("LSEC")(4, **other), rows, checkpoint=tmp_path / "stages")


def test_stages_of_other_rows_are_refused(rows, tmp_path, face):
    fit(builder("LSEC")(4), rows, checkpoint=tmp_path / "stages")
    np.save(rows, face[::-1][:4000])
    with pytest.raises(ValueError, match="another fit: rows was"):
        fit(builder("LSEC")(4), rows, checkpoint=tmp_path / "stages")


@pytest.mark.parametrize("random_state", [None, np.random.RandomState(0)])
def test_a_fit_that_cannot_be_repeated_has_no_stages(rows, tmp_path, random_state):
    with pytest.raises(ValueError, match="random_state that is a number"):
        fit(builder("LSEC")(4, random_state=random_state), rows, checkpoint=tmp_path / "stages")
    assert not (tmp_path / "stages").exists()


def test_arrays_in_memory_have_stages_too(face, tmp_path, monkeypatch):
    plain = builder("LSEC")(4).fit(face)
    builder("LSEC")(4).fit(face, checkpoint=tmp_path / "stages")
    monkeypatch.setattr(Sweeper, "grams", lambda *_: pytest.fail("swept again"))
    again = builder("LSEC")(4).fit(face, checkpoint=tmp_path / "stages")
    np.testing.assert_array_equal(again.labels_, plain.labels_)
    np.testing.assert_array_equal(again.base_labels_, plain.base_labels_)


# The command line.


def lsec_fit(rows, *more):
    output = rows.with_name("labels.npy")
    arguments = ["fit", str(rows), "-k", "4", "-o", str(output), "-q", *more]
    return CliRunner().invoke(main, arguments), output


def test_stop_by_the_user_keeps_stages_and_says_so(rows, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Sweeper, "_label", stop)
        result, output = lsec_fit(rows)
    assert result.exit_code == 130
    assert "go on with --resume" in result.stderr
    assert sorted(p.name for p in rows.parent.iterdir()) == ["labels.npy.resume", "rows.npy"]
    monkeypatch.setattr(Sweeper, "grams", lambda *_: pytest.fail("swept again"))
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
    context.set_forkserver_preload(["lsec.cli.main", "lsec.spectral.generation", __name__])
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


def test_members_that_agree_too_much_can_be_kept_as_well(face, tmp_path):
    # The finer base clustering is the second thing that is labeled, and kept by itself.
    build = builder("LSEC")
    plain = build(8, n_base=1, base_clusters=(2, 2), n_landmarks=300).fit(face)
    for _ in range(2):
        model = build(8, n_base=1, base_clusters=(2, 2), n_landmarks=300)
        model.fit(face, checkpoint=tmp_path / "stages")
        np.testing.assert_array_equal(model.labels_, plain.labels_)
        np.testing.assert_array_equal(model.confidence_, plain.confidence_)


def test_numbers_that_were_cut_off_are_named(rows, tmp_path):
    stages = tmp_path / "stages"
    fit(builder("LSEC")(4), rows, checkpoint=stages)
    (numbers,) = stages.glob("numbers-*")
    os.truncate(numbers, 100)
    with pytest.raises(OSError, match=f"{numbers.name} has fewer numbers.*Remove its folder"):
        fit(builder("LSEC")(4), rows, checkpoint=stages)
