"""Measured processes: what they cost is told, and they end in time, with all they started."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lsec.bench.nursery import Nursery
from lsec.bench.outcome import Outcome
from lsec.bench.process import TaskFailed, TimeLimit, measure_task

HERE = Path(__file__).resolve().parent


@pytest.fixture(autouse=True)
def tasks_can_be_imported(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", f"{HERE}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")


@pytest.fixture(params=["fresh", "copied"])
def nursery(request):
    """Processes are fresh, or copies."""
    if request.param == "fresh":
        yield None
        return
    with Nursery("tests.bench_tasks:prepare") as nursery:
        yield nursery


def lives(pid):
    """Whether a process runs (one that waits to be collected does not)."""
    if not Path("/proc").is_dir():
        pytest.skip("processes are looked up in /proc")
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return False


def gone(pids, patience=10.0):
    """Whether all processes end soon."""
    end = time.monotonic() + patience
    while any(map(lives, pids)) and time.monotonic() < end:
        time.sleep(0.05)
    return not any(map(lives, pids))


def started(path, patience=30.0):
    """The processes that the task `wait` wrote down."""
    end = time.monotonic() + patience
    while not path.is_file() and time.monotonic() < end:
        time.sleep(0.05)
    return [int(pid) for pid in path.read_text().split()]


def outcome(task, nursery):
    with pytest.raises(TaskFailed) as caught:
        measure_task(f"tests.bench_tasks:{task}", {}, nursery=nursery)
    return Outcome.of_failure(caught.value)


def test_a_task_returns_its_result_its_time_and_its_memory(nursery):
    done = measure_task("tests.bench_tasks:succeed", {"value": 7}, nursery=nursery)
    assert done.result == {"value": 7}
    assert done.seconds("run")[0] > 0
    assert done.peak_rss - done.rss_before > 45e6
    assert done.rss_before < 45e6  # what the parent holds is not counted


def test_ends_are_told_apart(nursery):
    assert outcome("refuse", nursery) == Outcome("refused", "the linkage is too large")
    assert outcome("run_out_of_memory", nursery).status == "refused"
    assert outcome("break_down", nursery) == Outcome("failed", "LinAlgError: no convergence")
    assert outcome("fail", nursery) == Outcome("failed", "RuntimeError: a bug")
    assert outcome("die", nursery) == Outcome("failed", "the process died (exit code 3)")


def test_a_task_that_takes_too_long_is_ended_with_all_it_started(tmp_path, nursery):
    pids = tmp_path / "pids"
    with pytest.raises(TimeLimit) as caught:
        measure_task(
            "tests.bench_tasks:wait", {"pids": str(pids)}, limit_seconds=3, nursery=nursery
        )
    assert Outcome.of_failure(caught.value) == Outcome("timeout", "took more than 3 s")
    assert gone(started(pids))
    again = measure_task("tests.bench_tasks:succeed", {"value": 8}, nursery=nursery)
    assert again.result == {"value": 8}


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
@pytest.mark.parametrize("where", ["None", "Nursery('tests.bench_tasks:prepare')"])
@pytest.mark.parametrize("task", ["wait", "hold_the_lock"])
def test_a_task_does_not_outlive_the_process_that_started_it(tmp_path, task, where, how):
    pids = tmp_path / "pids"
    lines = [
        "from lsec.bench.nursery import Nursery",
        "from lsec.bench.process import measure_task",
        f"measure_task('tests.bench_tasks:{task}', {{'pids': {str(pids)!r}}}, nursery={where})",
    ]
    parent = subprocess.Popen(
        [sys.executable, "-c", "; ".join(lines)],
        stderr=subprocess.DEVNULL,
    )
    running = started(pids)
    parent.send_signal(how)
    parent.wait()
    assert gone(running)


def test_a_run_that_is_stopped_while_all_is_loaded_ends_at_once(tmp_path):
    lines = [
        "from lsec.bench.nursery import Nursery",
        "from lsec.bench.process import measure_task",
        "with Nursery('tests.bench_tasks:prepare_for_ever') as nursery:",
        "    measure_task('tests.bench_tasks:die', {}, nursery=nursery)",
    ]
    loading = tmp_path / "pids"
    parent = subprocess.Popen(
        [sys.executable, "-c", "\n".join(lines)],
        env={**os.environ, "LOADING": str(loading)},
        stderr=subprocess.DEVNULL,
    )
    nursery = started(loading)
    parent.send_signal(signal.SIGINT)
    parent.wait(timeout=20)
    assert gone(nursery)


def test_copies_share_what_was_prepared_and_nothing_else():
    with Nursery("tests.bench_tasks:prepare") as nursery:
        for _ in range(2):
            done = measure_task("tests.bench_tasks:add_a_step", {}, nursery=nursery)
            assert done.result == {"steps": ["prepared", "ran"]}
        parent = nursery._process.pid
    assert gone([parent])


def test_a_nursery_that_dies_takes_its_task_along_and_is_replaced():
    with Nursery("tests.bench_tasks:prepare") as nursery:
        assert outcome("end_the_nursery", nursery).status == "failed"
        again = measure_task("tests.bench_tasks:succeed", {"value": 9}, nursery=nursery)
        assert again.result == {"value": 9}


def test_garbage_is_not_looked_for_in_what_was_prepared():
    with Nursery("tests.bench_tasks:prepare") as nursery:
        done = measure_task("tests.bench_tasks:look_for_what_was_prepared", {}, nursery=nursery)
    assert done.result == {"found": False}


def test_what_cannot_be_prepared_is_no_failure_of_the_task():
    with (
        Nursery("tests.bench_tasks:missing") as nursery,
        pytest.raises(RuntimeError, match="missing"),
    ):
        measure_task("tests.bench_tasks:succeed", {"value": 1}, nursery=nursery)
