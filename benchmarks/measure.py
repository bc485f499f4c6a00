"""Run a task of `benchmarks.tasks` in a fresh process and return what it cost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]


class TaskFailed(RuntimeError):
    """A task ended with an error."""


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


def measure(task: str, environment: dict[str, str] | None = None, **arguments) -> Measurement:
    """Run one task in a process of its own.

    Parameters
    ----------
    task : str
        Name of a function of `benchmarks.tasks`, or module:function for another module.
    environment : dict, optional
        Environment variables to set beside those of this process.
    **arguments
        Arguments of the task: anything that JSON can hold.

    Returns
    -------
    measurement : Measurement
    """
    paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    setting = {
        **os.environ,
        **(environment or {}),
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
    }
    with tempfile.TemporaryDirectory(prefix="lsec-benchmark-") as folder:
        report = Path(folder) / "report.json"
        request = {"task": task, "arguments": arguments, "report": str(report)}
        process = subprocess.run(
            [sys.executable, "-m", "benchmarks.child"],
            input=json.dumps(request),
            env=setting,
            capture_output=True,
            text=True,
            check=False,
        )
        if process.returncode:
            raise TaskFailed(f"{task} ended with {process.returncode}:\n{process.stderr[-2000:]}")
        return Measurement(**json.loads(report.read_text()))
