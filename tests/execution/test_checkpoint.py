"""A fit that was interrupted goes on from its finished stages, to the same labels."""

import os

import numpy as np
import pytest

from lsec.execution.checkpoint import Checkpoint
from lsec.execution.executor import ThreadExecutor
from lsec.execution.memory import MemoryPlan
from tests.conftest import builder

WITH_STAGES = ["LSEC", "USENC", "EnsembleClustering", "DnCSC", "USPEC"]


# Results that are remembered


def test_results_are_computed_once_and_only_those_that_are_missing(tmp_path):
    computed = []

    def compute(numbers):
        computed.extend(numbers)
        return {number: {"value": np.full(3, number)} for number in numbers}

    names = {number: f"result-{number}" for number in range(4)}
    for _ in range(2):
        checkpoint = Checkpoint(tmp_path / "stages", {"fit": 1})
        found = checkpoint.recall({n: names[n] for n in (0, 2)}, compute)
        assert list(found) == [0, 2]
    found = checkpoint.recall(names, compute)
    assert computed == [0, 2, 1, 3]
    for number, arrays in found.items():
        np.testing.assert_array_equal(arrays["value"], np.full(3, number))


# Fits with a checkpoint


@pytest.fixture(params=WITH_STAGES)
def build(request):
    return builder(request.param)


@pytest.fixture
def rows(tmp_path, face):
    np.save(tmp_path / "rows.npy", face)
    return tmp_path / "rows.npy"


@pytest.fixture
def refuse(monkeypatch):
    """Lets a fit fail that sweeps once more: refuse("reduce")."""

    def refuse(operation):
        monkeypatch.setattr(ThreadExecutor, operation, lambda *_, **__: pytest.fail("swept again"))

    return refuse


def fit(model, rows, **where):
    return model.fit(rows, labels_out=rows.with_name("labels.npy"), **where)


def test_a_checkpoint_changes_nothing(build, rows, tmp_path, block_rows):
    block_rows(1024)
    plain = np.array(fit(build(4), rows).labels_)
    for _ in range(2):  # the second time all stages are there
        kept = fit(build(4), rows, checkpoint=tmp_path / "stages")
        np.testing.assert_array_equal(kept.labels_, plain)
    np.testing.assert_array_equal(kept.predict(rows), plain)


@pytest.mark.parametrize("operation", ["reduce", "distinct"])
def test_finished_sweeps_are_not_repeated(rows, tmp_path, refuse, operation):
    before = np.array(fit(builder("LSEC")(4), rows, checkpoint=tmp_path / "stages").labels_)
    refuse(operation)
    again = fit(builder("LSEC")(4), rows, checkpoint=tmp_path / "stages")
    np.testing.assert_array_equal(again.labels_, before)


@pytest.mark.parametrize("stop_in", ["distinct", "reduce"])
def test_an_interrupted_fit_goes_on(build, rows, tmp_path, monkeypatch, stop_in):
    plain = np.array(fit(build(4), rows).labels_)
    rows.with_name("labels.npy").unlink()

    def stop(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(ThreadExecutor, stop_in, stop)
        fit(build(4), rows, checkpoint=tmp_path / "stages")
        if stop_in == "reduce" and "generator" in build(4).get_params():
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
def test_sums_are_found_again_where_memory_takes_another_number_of_sets(
    rows, tmp_path, monkeypatch, refuse, before, after
):
    build, stages = builder("USENC"), tmp_path / "stages"
    monkeypatch.setattr(MemoryPlan, "sums_at_once", lambda *_: before)
    plain = np.array(fit(build(4), rows, checkpoint=stages).labels_)
    monkeypatch.setattr(MemoryPlan, "sums_at_once", lambda *_: after)
    refuse("reduce")
    again = fit(build(4), rows, checkpoint=stages)
    np.testing.assert_array_equal(again.labels_, plain)


def test_only_landmark_sets_that_are_lost_are_swept_again(rows, tmp_path, monkeypatch):
    build, stages, swept = builder("USENC"), tmp_path / "stages", []
    plain = np.array(fit(build(4), rows, checkpoint=stages).labels_)
    for lost in ("gram-0.npz", "gram-2.npz", "labels-5.npz"):
        (stages / lost).unlink()
    reduce = ThreadExecutor.reduce

    def watched(executor, source, function, sums, names):
        swept.extend(sums)
        return reduce(executor, source, function, sums, names)

    monkeypatch.setattr(ThreadExecutor, "reduce", watched)
    again = fit(build(4), rows, checkpoint=stages)
    assert swept == [0, 2]
    np.testing.assert_array_equal(again.labels_, plain)


@pytest.mark.parametrize(("before", "after"), [(5, 2), (2, 5), (0, 3)])
def test_passes_are_found_again_where_memory_keeps_other_neighbors(
    before, after, face, tmp_path, monkeypatch, refuse, block_rows
):
    block_rows(1024)
    build, stages = builder("USENC"), tmp_path / "stages"
    monkeypatch.setattr(MemoryPlan, "kept_at_once", lambda *_: before)
    plain = build(4).fit(face, checkpoint=stages)
    monkeypatch.setattr(MemoryPlan, "kept_at_once", lambda *_: after)
    refuse("map")
    again = build(4).fit(face, checkpoint=stages)
    np.testing.assert_array_equal(again.base_labels_, plain.base_labels_)
    for member, other in zip(again._ensemble.members, plain._ensemble.members, strict=True):
        np.testing.assert_array_equal(member.centers, other.centers)


def test_only_passes_that_are_lost_are_repeated(face, tmp_path, monkeypatch, block_rows):
    block_rows(1024)
    build, stages, swept = builder("USENC"), tmp_path / "stages", []
    plain = build(4).fit(face, checkpoint=stages)
    for lost in ("centers-1-0.npz", "centers-3-0.npz", "centers-3-4.npz"):
        (stages / lost).unlink()
    plain_map = ThreadExecutor.map

    def watched(executor, source, function, stage):
        swept.append(len(function.sets))
        return plain_map(executor, source, function, stage)

    monkeypatch.setattr(ThreadExecutor, "map", watched)
    again = build(4).fit(face, checkpoint=stages)
    np.testing.assert_array_equal(again.base_labels_, plain.base_labels_)
    assert swept == [2, 1]


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04 and nothing more"])
def test_a_damaged_stage_is_computed_again(rows, tmp_path, damage):
    before = np.array(fit(builder("LSEC")(4), rows, checkpoint=tmp_path / "stages").labels_)
    stages = sorted((tmp_path / "stages").glob("*.npz"))
    assert len(stages) >= 2
    for stage in stages:
        stage.write_bytes(damage)
    again = fit(builder("LSEC")(4), rows, checkpoint=tmp_path / "stages")
    np.testing.assert_array_equal(again.labels_, before)


def test_numbers_that_were_cut_off_are_named(rows, tmp_path):
    stages = tmp_path / "stages"
    fit(builder("LSEC")(4), rows, checkpoint=stages)
    (numbers,) = stages.glob("numbers-*")
    os.truncate(numbers, 100)
    with pytest.raises(OSError, match=f"{numbers.name} has fewer numbers.*Remove its folder"):
        fit(builder("LSEC")(4), rows, checkpoint=stages)


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


def test_arrays_in_memory_have_stages_too(face, tmp_path, refuse):
    plain = builder("LSEC")(4).fit(face)
    builder("LSEC")(4).fit(face, checkpoint=tmp_path / "stages")
    refuse("reduce")
    again = builder("LSEC")(4).fit(face, checkpoint=tmp_path / "stages")
    np.testing.assert_array_equal(again.labels_, plain.labels_)
    np.testing.assert_array_equal(again.base_labels_, plain.base_labels_)


def test_the_finer_base_clustering_has_a_stage_of_its_own(face, tmp_path):
    # Members that agree too much: rows are labeled twice, and both results are kept.
    build = builder("LSEC")
    plain = build(8, n_base=1, base_clusters=(2, 2), n_landmarks=300).fit(face)
    for _ in range(2):
        model = build(8, n_base=1, base_clusters=(2, 2), n_landmarks=300)
        model.fit(face, checkpoint=tmp_path / "stages")
        np.testing.assert_array_equal(model.labels_, plain.labels_)
        np.testing.assert_array_equal(model.confidence_, plain.confidence_)
