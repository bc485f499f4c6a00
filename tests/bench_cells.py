"""Cells of few rows, and what it takes to run them, for the tests of the harness."""

import json
from dataclasses import replace
from pathlib import Path

from lsec.bench import runner as running
from lsec.bench import supplies
from lsec.bench.cell import Cell
from lsec.bench.data import DATA
from lsec.bench.methods import METHODS
from lsec.bench.runner import Runner
from lsec.bench.store import Store


def make(method, data="tb", **changed):
    """A cell of few rows, of a method or of its name."""
    kind = METHODS[method] if isinstance(method, str) else method
    cell = Cell("tiny", "table", DATA[data].sized(1000), kind, seed=0, limit_seconds=60)
    return replace(cell, **changed)


def run_cells(folder, cells, **options):
    """Run cells; returns their records in order."""
    Runner(Store(folder), cells, lambda _: None, **options).run()
    return [json.loads((folder / "cells" / f"{cell.key}.json").read_text()) for cell in cells]


def times(folder):
    return {path: path.stat().st_mtime_ns for path in Path(folder).rglob("*.json")}


def count_tasks(monkeypatch):
    """Names of the tasks that get a process, as they are started."""
    names = []
    measure = running.measure_task

    def counted(task, *rest, **options):
        names.append(task.rpartition(":")[2])
        return measure(task, *rest, **options)

    for module in (running, supplies):
        monkeypatch.setattr(module, "measure_task", counted)
    return names
