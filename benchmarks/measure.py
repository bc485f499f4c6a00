"""Run a task of the benchmarks in a fresh process and return what it cost."""

from __future__ import annotations

import os
from pathlib import Path

from lsec.bench.process import Measurement, TaskFailed, measure_task

__all__ = ["ROOT", "Measurement", "TaskFailed", "measure"]

ROOT = Path(__file__).resolve().parents[1]


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
    module, _, name = task.rpartition(":")
    paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    setting = {**(environment or {}), "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    where = f"benchmarks.{module or 'tasks'}:{name}"
    return measure_task(where, arguments, environment=setting)
