"""Measured processes: their cost is told, and they end in time, with all they started."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import ending_tasks
import pytest

from benchmarks.harness.process import WARM, TaskFailed, TimeLimit, measure
from benchmarks.paper.outcome import Outcome

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


@pytest.fixture(params=[None, pytest.param(WARM, marks=pytest.mark.skipif(
    sys.platform != "linux", reason="processes are copied on Linux only"
))], ids=["fresh", "warm"])  # fmt: skip
def warm(request):
    """The module that processes have imported before they are copied."""
    return request.param


def lives(pid):
    """Whether a process runs (one that waits to be collected does not)."""
    if not Path("/proc").is_dir():
        pytest.skip("processes are looked up in /proc")
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return False


def gone(pids, patience=20.0):
    """Whether all processes end soon."""
    end = time.monotonic() + patience
    while any(map(lives, pids)) and time.monotonic() < end:
        time.sleep(0.05)
    return not any(map(lives, pids))


def started(path, patience=60.0):
    """The processes that the task `wait` wrote down."""
    end = time.monotonic() + patience
    while not path.is_file() and time.monotonic() < end:
        time.sleep(0.05)
    return [int(pid) for pid in path.read_text().split()]


def outcome(task, warm):
    with pytest.raises(TaskFailed) as caught:
        measure(task, warm=warm)
    return Outcome.of_failure(caught.value)


def test_a_task_returns_its_result_its_time_and_its_memory(warm):
    held = b"x" * 400_000_000
    done = measure(ending_tasks.succeed, warm=warm, value=7)
    assert done.result == {"value": 7}
    assert done.seconds("run")[0] > 0
    assert done.peak_bytes - done.before_bytes > 45e6
    assert done.before_bytes < len(held)  # the memory of the parent is not counted
    record = done.record()
    assert (record["value"], record["peak_bytes"]) == (7, done.peak_bytes)


def test_only_warm_processes_have_loaded_and_compiled_everything(warm):
    seen = measure(ending_tasks.see, warm=warm).result
    assert seen["loaded"] == (["numpy", "numba"] if warm else [])
    assert (seen["frozen"] > 10_000) == bool(warm)  # no garbage is looked for in what was loaded
    assert seen["group"]


def test_ends_are_told_apart(warm):
    assert outcome(ending_tasks.refuse, warm) == Outcome("refused", "the linkage is too large")
    assert outcome(ending_tasks.run_out_of_memory, warm).status == "refused"
    assert outcome(ending_tasks.break_down, warm) == Outcome(
        "failed", "LinAlgError: no convergence"
    )
    assert outcome(ending_tasks.fail, warm) == Outcome("failed", "RuntimeError: a bug")
    assert outcome(ending_tasks.die, warm) == Outcome("failed", "the process died (exit code 3)")


def test_a_process_that_dies_leaves_its_last_words():
    with pytest.raises(TaskFailed, match="last words"):
        measure(ending_tasks.die)


def test_a_task_that_takes_too_long_is_ended_with_all_it_started(tmp_path, warm):
    pids = tmp_path / "pids"
    measure(ending_tasks.see, warm=warm)  # what all processes are copied from is loaded
    with pytest.raises(TimeLimit) as caught:
        measure(ending_tasks.wait, limit_seconds=3, warm=warm, pids=str(pids))
    assert Outcome.of_failure(caught.value) == Outcome("timeout", "took more than 3 s")
    assert gone(started(pids)[:2])
    assert measure(ending_tasks.succeed, warm=warm, value=8).result == {"value": 8}


def script(*lines):
    """The command that runs these lines; its warm processes have imported next to nothing."""
    head = [
        f"import sys; sys.path[:0] = [{str(HERE)!r}, {str(ROOT)!r}]",
        "import ending_tasks",
        "from benchmarks.harness.process import TaskFailed, measure",
    ]
    return [sys.executable, "-c", "\n".join([*head, *lines])]


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
@pytest.mark.parametrize("kind", [None, "ending_tasks"], ids=["fresh", "warm"])
@pytest.mark.parametrize("task", ["wait", "hold_the_lock"])
def test_a_task_does_not_outlive_the_process_that_started_it(tmp_path, task, kind, how):
    pids = tmp_path / "pids"
    line = f"measure(ending_tasks.{task}, warm={kind!r}, pids={str(pids)!r})"
    parent = subprocess.Popen(script(line), stderr=subprocess.DEVNULL, cwd=HERE)
    running = started(pids)  # with the server of warm processes
    parent.send_signal(how)
    parent.wait(20)
    assert gone(running)


def test_a_run_that_is_stopped_while_all_is_loaded_ends(tmp_path):
    loading = tmp_path / "pids"
    line = "measure(ending_tasks.die, warm='slow_to_load')"
    environment = {**os.environ, "LOADING": str(loading)}
    parent = subprocess.Popen(script(line), stderr=subprocess.DEVNULL, cwd=HERE, env=environment)
    server = started(loading)
    parent.send_signal(signal.SIGINT)
    parent.wait(20)
    assert gone(server)


@pytest.mark.skipif(sys.platform != "linux", reason="processes are copied on Linux only")
def test_a_server_that_dies_takes_its_task_along_and_is_replaced():
    lines = [
        "try:",
        "    measure(ending_tasks.end_the_server, warm='ending_tasks')",
        "except TaskFailed:",
        "    print(measure(ending_tasks.succeed, warm='ending_tasks', value=9).result)",
    ]
    done = subprocess.run(script(*lines), cwd=HERE, capture_output=True, text=True, timeout=60)
    assert done.stdout == "{'value': 9}\n", done.stderr


def test_a_task_has_the_variables_that_are_set_for_it():
    done = measure(ending_tasks.variable, environment={"LSEC_TESTED": "yes"}, name="LSEC_TESTED")
    assert done.result == {"value": "yes"}
    assert "LSEC_TESTED" not in os.environ
