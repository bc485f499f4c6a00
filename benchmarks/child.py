"""The measured process: runs one task and writes down what it cost.

Started by `benchmarks.measure`. Nothing heavy is imported here, so that a task can time imports.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from contextlib import contextmanager
from importlib import import_module


class Clock:
    """Times the laps of a task; memory is that of the process, from the first lap to the last."""

    def __init__(self):
        self.laps: dict[str, list[dict[str, float]]] = {}
        self.rss_before: int | None = None
        self.peak_rss = 0

    @contextmanager
    def lap(self, name: str):
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


def main() -> None:
    """Run the task that standard input asks for."""
    request = json.load(sys.stdin)
    module, _, name = request["task"].rpartition(":")
    tasks = import_module(f"benchmarks.{module or 'tasks'}")
    clock = Clock()
    result = getattr(tasks, name)(clock, **request["arguments"])
    report = {
        "laps": clock.laps,
        "rss_before": clock.rss_before or 0,
        "peak_rss": clock.peak_rss,
        "result": result,
    }
    with open(request["report"], "w") as file:
        json.dump(report, file)


if __name__ == "__main__":
    main()
