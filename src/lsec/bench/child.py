"""The measured process: runs one task and writes down what it cost.

`lsec.bench.process` runs this file as a script, so that only the standard library is loaded
when a task begins and a task can time imports.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Any


class Clock:
    """Times the laps of a task; memory is that of the process, from the first lap to the last."""

    def __init__(self) -> None:
        self.laps: dict[str, list[dict[str, float]]] = {}
        self.rss_before: int | None = None
        self.peak_rss = 0

    @contextmanager
    def lap(self, name: str) -> Iterator[None]:
        """Time the block under a name; a name may have many laps."""
        if self.rss_before is None:
            self.rss_before = current_rss()
        wall, cpu = time.perf_counter(), time.process_time()
        yield
        lap = {"seconds": time.perf_counter() - wall, "cpu_seconds": time.process_time() - cpu}
        self.laps.setdefault(name, []).append(lap)
        self.peak_rss = peak_rss()


def current_rss() -> int:
    """Bytes of memory this process holds now (its peak where that cannot be told)."""
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return peak_rss()


def peak_rss() -> int:
    """Most bytes of memory this process has held.

    On Linux `ru_maxrss` begins with what the parent held when it started this process; the
    kernel's own high-water mark does not.
    """
    try:
        with open("/proc/self/status") as file:
            for line in file:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def end_with_parent(pipe: int) -> None:
    """Have this process and what it starts ended when the parent, which holds the pipe, is gone.

    Another process of the group waits for that: a thread would wait for libraries that hold the
    interpreter's lock, too.
    """
    if os.fork():
        return
    try:
        while os.read(pipe, 1):
            pass
    finally:
        os.killpg(0, signal.SIGKILL)


def be_ended_first() -> None:
    """Let the kernel end this process, and not the one that keeps the results, for memory."""
    with suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")


def named(function: str) -> Any:
    """A function given as module:name."""
    module, _, name = function.rpartition(":")
    return getattr(import_module(module), name)


def run(request: dict[str, Any]) -> dict[str, Any]:
    """Run a task; returns its report, or the error that ended it."""
    clock = Clock()
    try:
        result = named(request["task"])(clock, **request["arguments"])
    except Exception as error:
        kinds = [kind.__name__ for kind in type(error).__mro__]
        text = traceback.format_exc()
        return {"error": {"kinds": kinds, "reason": str(error), "traceback": text}}
    return {
        "laps": clock.laps,
        "rss_before": clock.rss_before or 0,
        "peak_rss": clock.peak_rss,
        "result": result,
    }


def answer(request_file: str, pipe: int) -> None:
    """Run the task that a file asks for and write its report; end when the pipe closes."""
    be_ended_first()
    end_with_parent(pipe)
    with open(request_file) as file:
        request = json.load(file)
    with open(request["messages"], "wb") as messages:
        os.dup2(messages.fileno(), 1)
        os.dup2(messages.fileno(), 2)
    report = run(request)
    unfinished = f"{request['report']}.part"  # a process that dies meanwhile leaves no report
    with open(unfinished, "w") as file:
        json.dump(report, file)
    os.replace(unfinished, request["report"])


def main() -> None:
    """Run the task that the file named on the command line asks for."""
    answer(sys.argv[1], 0)


if __name__ == "__main__":
    main()
