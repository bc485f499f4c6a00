"""Measured processes: what they cost is told, and they end in time, with all they started."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lsec.bench.outcome import Outcome
from lsec.bench.process import TaskFailed, TimeLimit, measure_task

HERE = Path(__file__).resolve().parent


@pytest.fixture(autouse=True)
def tasks_can_be_imported(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", f"{HERE}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")


def lives(pid):
    """Whether a process runs (one that waits to be collected does not)."""
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


def outcome(task):
    with pytest.raises(TaskFailed) as caught:
        measure_task(f"bench_tasks:{task}", {})
    return Outcome.of_failure(caught.value)


def test_a_task_returns_its_result_its_time_and_its_memory():
    done = measure_task("bench_tasks:succeed", {"value": 7})
    assert done.result == {"value": 7}
    assert done.seconds("run")[0] > 0
    assert done.peak_rss - done.rss_before > 45e6
    assert done.rss_before < 45e6  # what the parent holds is not counted


def test_ends_are_told_apart():
    assert outcome("refuse") == Outcome("refused", "the linkage is too large")
    assert outcome("run_out_of_memory").status == "refused"
    assert outcome("fail") == Outcome("failed", "RuntimeError: a bug")
    assert outcome("die") == Outcome("failed", "the process died (exit code 3)")


def test_a_task_that_takes_too_long_is_ended_with_all_it_started(tmp_path):
    pids = tmp_path / "pids"
    with pytest.raises(TimeLimit) as caught:
        measure_task("bench_tasks:wait", {"pids": str(pids)}, limit_seconds=3)
    assert Outcome.of_failure(caught.value) == Outcome("timeout", "took more than 3 s")
    assert gone(started(pids))


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_task_does_not_outlive_the_process_that_started_it(tmp_path, how):
    pids = tmp_path / "pids"
    ask = f"measure_task('bench_tasks:wait', {{'pids': {str(pids)!r}}})"
    parent = subprocess.Popen(
        [sys.executable, "-c", f"from lsec.bench.process import measure_task; {ask}"],
        stderr=subprocess.DEVNULL,
    )
    running = started(pids)
    parent.send_signal(how)
    parent.wait()
    assert gone(running)
