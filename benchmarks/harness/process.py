"""Run a task in a process of its own and return its cost.

A fresh process has loaded nothing but the standard library when its task begins, so that a task
can time imports. A warm one is a copy of a server process that has loaded and compiled all of lsec
(`benchmarks.harness.warm`): it starts within milliseconds, and its time is the task's alone.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

LAP = "run"  # the lap of a task that has only one
WARM = "benchmarks.harness.warm"
ATTEMPTS = 3
PATIENCE = 5.0  # seconds for a process that has said its last word
Task = Callable[..., dict[str, Any]]


class TaskFailed(RuntimeError):
    """A task ended without a result.

    Attributes
    ----------
    kinds : tuple of str
        Names of the class of the error and of its bases; empty for a process that died.
    reason : str
        The message of the error.
    """

    def __init__(self, message: str, kinds: tuple[str, ...] = (), reason: str = ""):
        super().__init__(message)
        self.kinds = kinds
        self.reason = reason or message


class TimeLimit(TaskFailed):
    """A task took too long and was ended."""


@dataclass(frozen=True)
class Measurement:
    """Cost and result of a task.

    Attributes
    ----------
    laps : dict of list of dict
        ``seconds`` (wall) and ``cpu_seconds`` (all threads) of every lap, by name.
    before_bytes : int
        Memory of the process before the first lap: interpreter, libraries and input.
    peak_bytes : int
        Peak memory of the process up to the end of the last lap.
    result : dict
        The return value of the task.
    """

    laps: dict[str, list[dict[str, float]]]
    before_bytes: int
    peak_bytes: int
    result: dict[str, Any]

    def seconds(self, lap: str) -> list[float]:
        """Wall times of the laps of one name."""
        return [one["seconds"] for one in self.laps[lap]]

    def record(self, lap: str = LAP) -> dict[str, Any]:
        """The only lap of a name, the memory and the result, as one record."""
        (one,) = self.laps[lap]
        memory = {"before_bytes": self.before_bytes, "peak_bytes": self.peak_bytes}
        return {**one, **memory, **self.result}


class Clock:
    """Times the laps of a task; memory is that of the process, from the first lap to the last."""

    def __init__(self) -> None:
        self.laps: dict[str, list[dict[str, float]]] = {}
        self.before_bytes: int | None = None
        self.peak_bytes = 0

    @contextmanager
    def lap(self, name: str = LAP) -> Iterator[None]:
        """Time the block under a name; a name may have many laps."""
        if self.before_bytes is None:
            self.before_bytes = current_bytes()
        wall, cpu = time.perf_counter(), time.process_time()
        yield
        lap = {"seconds": time.perf_counter() - wall, "cpu_seconds": time.process_time() - cpu}
        self.laps.setdefault(name, []).append(lap)
        self.peak_bytes = peak_bytes()


def current_bytes() -> int:
    """Memory that this process holds now (its peak on systems that do not tell)."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return peak_bytes()


def peak_bytes() -> int:
    """Peak memory of this process.

    On Linux `ru_maxrss` begins with the memory of the parent that started this process; the
    kernel's own high-water mark does not.
    """
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def measure(
    task: Task,
    *,
    limit_seconds: float | None = None,
    environment: dict[str, str] | None = None,
    warm: str | None = None,
    **arguments: Any,
) -> Measurement:
    """Run one task in a process of its own.

    As with all of `multiprocessing`, a script that calls this must guard its main code by
    ``if __name__ == "__main__"``.

    Parameters
    ----------
    task : callable
        A function of a module. It gets a `Clock` and the arguments, and returns a dict of values
        that JSON can hold.
    limit_seconds : float, optional
        Wall time after which the process, and all it started, is ended.
    environment : dict, optional
        Environment variables to set before the task begins.
    warm : str, optional
        Name of a module, such as `WARM`: the process is a copy of a server that has imported it.
        Only on Linux; the libraries of other systems cannot be forked, and processes there are
        fresh. A server imports the first module it is asked for, a copy any other.
    **arguments
        Arguments of the task.

    Returns
    -------
    measurement : Measurement

    Raises
    ------
    TaskFailed
        When the task raises, dies or takes too long.
    """
    copied = warm is not None and sys.platform == "linux"
    context: Any = multiprocessing.get_context("forkserver" if copied else "spawn")
    if copied:
        context.set_forkserver_preload([warm])
    variables = {**os.environ, **(environment or {})}
    reports, sender = context.Pipe(duplex=False)
    with tempfile.NamedTemporaryFile(prefix="lsec-bench-") as messages:
        module = warm if copied else None
        asked = (task, arguments, variables, module, sender, messages.name)
        process = context.Process(target=_answer, args=asked)
        try:
            _start(process)
            sender.close()
            report = _await(process, reports, limit_seconds)
            if report is None:
                process.join(PATIENCE)
                said = Path(messages.name).read_text(errors="replace")[-2000:]
                code = process.exitcode
                message = f"{task.__name__} ended with {code}:\n{said}"
                raise TaskFailed(message, reason=_cause(code))
        finally:
            if process.pid is not None:
                _end(process)
            reports.close()
    if "error" in report:
        error = report["error"]
        message = f"{task.__name__} ended with an error:\n{error['traceback'][-2000:]}"
        raise TaskFailed(message, tuple(error["kinds"]), error["reason"] or error["kinds"][0])
    return Measurement(**report)


def _start(process: Any) -> None:
    """Start a process, by another server if that of warm processes has died."""
    for attempt in range(ATTEMPTS):
        try:
            process.start()
            return
        except (EOFError, ConnectionError) as error:
            if attempt == ATTEMPTS - 1:
                raise RuntimeError(
                    "The server of warm processes died; its messages say why."
                ) from error
            time.sleep(0.2)


def _await(process: Any, reports: Connection, limit_seconds: float | None) -> Any:
    """The report of a process; None if it died without one."""
    if not wait([reports, process.sentinel], limit_seconds):
        reason = f"took more than {limit_seconds:g} s"
        raise TimeLimit(f"The task {reason}", reason=reason)
    try:
        return json.loads(reports.recv_bytes()) if reports.poll() else None
    except EOFError:
        return None


def _end(process: Any) -> None:
    """End a process and all it started."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()  # it may not lead a group yet
    process.join()
    process.close()


def _cause(code: int | None) -> str:
    if code == -signal.SIGKILL:
        return "the process was killed, probably because memory ran out"
    named = signal.Signals(-code).name if code is not None and code < 0 else f"exit code {code}"
    return f"the process died ({named})"


# The measured process.


def _answer(
    task: Task,
    arguments: dict[str, Any],
    environment: dict[str, str],
    warm: str | None,
    reports: Connection,
    messages: str,
) -> None:
    """Run a task and send its report."""
    os.setpgid(0, 0)  # a group of its own: Ctrl-C is for the parent, which then ends the group
    _be_ended_first()
    _end_with_parent()
    os.environ.clear()  # a copy has the environment of its server
    os.environ.update(environment)
    with open(messages, "wb") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    if warm is not None:
        import_module(warm)  # loaded already, unless the server could not import it
    reports.send_bytes(json.dumps(_run(task, arguments)).encode())


def _run(task: Task, arguments: dict[str, Any]) -> dict[str, Any]:
    """The report of a task, or the error that ended it."""
    clock = Clock()
    try:
        result = task(clock, **arguments)
    except Exception as error:
        kinds = [kind.__name__ for kind in type(error).__mro__]
        text = traceback.format_exc()
        return {"error": {"kinds": kinds, "reason": str(error), "traceback": text}}
    memory = {"before_bytes": clock.before_bytes or 0, "peak_bytes": clock.peak_bytes}
    return {"laps": clock.laps, **memory, "result": result}


def _end_with_parent() -> None:
    """Have the group of this process ended when the parent is gone.

    Another process waits for that: a thread could not run while a library holds the interpreter's
    lock.
    """
    parent = multiprocessing.parent_process()
    if parent is None or os.fork():
        return
    try:  # nothing else stays open: the parent hears of the end of a task by its files closing
        os.closerange(0, parent.sentinel)
        os.closerange(parent.sentinel + 1, os.sysconf("SC_OPEN_MAX"))
        parent.join()
    finally:
        os.killpg(0, signal.SIGKILL)


def _be_ended_first() -> None:
    """Let the kernel end this process for memory, and not the one that holds the results."""
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")
