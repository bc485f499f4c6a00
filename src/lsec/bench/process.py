"""Run a task in a process of its own and return what it cost."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lsec.bench.nursery import Nursery

CHILD = Path(__file__).with_name("child.py")


class TaskFailed(RuntimeError):
    """A task ended without a result.

    Attributes
    ----------
    kinds : tuple of str
        Names of the class of the error that ended it and of its bases; empty where the process
        died.
    reason : str
        What the error said.
    """

    def __init__(self, message: str, kinds: tuple[str, ...] = (), reason: str = ""):
        super().__init__(message)
        self.kinds = kinds
        self.reason = reason or message


class TimeLimit(TaskFailed):
    """A task took too long and was ended."""


@dataclass(frozen=True)
class Measurement:
    """What a task cost and returned.

    Attributes
    ----------
    laps : dict of list of dict
        ``seconds`` (wall) and ``cpu_seconds`` (all threads) of every lap, by name.
    rss_before : int
        Memory of the process before the first lap, in bytes: interpreter, libraries and input.
    peak_rss : int
        Most memory of the process up to the end of the last lap, in bytes.
    result : dict
        What the task returned.
    """

    laps: dict[str, list[dict[str, float]]]
    rss_before: int
    peak_rss: int
    result: dict[str, Any]

    def seconds(self, lap: str) -> list[float]:
        """Wall times of the laps of one name."""
        return [one["seconds"] for one in self.laps[lap]]

    def run(self, lap: str) -> dict[str, Any]:
        """The only lap of a name, the memory and the result, as one flat record."""
        (one,) = self.laps[lap]
        return {**one, "rss_before": self.rss_before, "peak_rss": self.peak_rss, **self.result}


def measure_task(
    task: str,
    arguments: dict[str, Any],
    *,
    limit_seconds: float | None = None,
    environment: dict[str, str] | None = None,
    nursery: Nursery | None = None,
) -> Measurement:
    """Run one task in a process of its own.

    Parameters
    ----------
    task : str
        A function, as module:name. It gets a `Clock` and the arguments.
    arguments : dict
        Anything that JSON can hold.
    limit_seconds : float, optional
        Wall time after which the process, and all it started, is ended.
    environment : dict, optional
        Environment variables to set beside those of this process, for a fresh one.
    nursery : Nursery, optional
        Gives the task a copy of a process that has loaded everything; by default the process
        is a fresh one.

    Returns
    -------
    measurement : Measurement
    """
    with tempfile.TemporaryDirectory(prefix="lsec-bench-") as folder:
        request, report, errors = (Path(folder) / name for name in ("request", "report", "errors"))
        asked = {
            "task": task,
            "arguments": arguments,
            "report": str(report),
            "messages": str(errors),
        }
        request.write_text(json.dumps(asked))
        with nursery.started(request) if nursery else _started(request, environment) as process:
            try:
                code = process.wait(limit_seconds)
            except subprocess.TimeoutExpired:
                reason = f"took more than {limit_seconds:g} s"
                raise TimeLimit(f"{task} {reason}", reason=reason) from None
        if not report.is_file():
            said = errors.read_text(errors="replace")[-2000:] if errors.is_file() else ""
            raise TaskFailed(f"{task} ended with {code}:\n{said}", reason=_cause(code))
        found = json.loads(report.read_text())
    if "error" in found:
        error = found["error"]
        message = f"{task} ended with an error:\n{error['traceback'][-2000:]}"
        said = error["reason"] or error["kinds"][0]
        raise TaskFailed(message, tuple(error["kinds"]), said)
    return Measurement(**found)


@contextmanager
def _started(request: Path, environment: dict[str, str] | None) -> Iterator[subprocess.Popen]:
    """A running child, which is ended with all it started when the block is left.

    The pipe to its standard input stays open as long as this process lives: a child that
    reads its end knows that it is alone.
    """
    process = subprocess.Popen(
        [sys.executable, "-P", str(CHILD), str(request)],
        env={**os.environ, **(environment or {})},
        stdin=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        end_group(process.pid)
        process.wait()
        if process.stdin is not None:
            process.stdin.close()


def end_group(pid: int) -> None:
    """End the process that leads a group, and all it started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def _cause(code: int) -> str:
    if code == -signal.SIGKILL:
        return "the process was killed, probably because memory ran out"
    return f"the process died ({signal.Signals(-code).name if code < 0 else f'exit code {code}'})"
