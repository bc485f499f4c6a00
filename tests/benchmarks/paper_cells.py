"""Cells of few rows, and what it takes to run them, for the tests of the harness."""

from dataclasses import replace

from benchmarks.harness.data import DATA
from benchmarks.harness.process import measure
from benchmarks.harness.store import Records
from benchmarks.paper import runner as running
from benchmarks.paper import supplies
from benchmarks.paper.cell import Cell
from benchmarks.paper.methods import METHODS
from benchmarks.paper.runner import Runner
from benchmarks.paper.store import Store


def make(method, data="tb", **changed):
    """A cell of few rows, of a method or of its name."""
    kind = METHODS[method] if isinstance(method, str) else method
    cell = Cell("tiny", "table", DATA[data].sized(1000), kind, seed=0, limit_seconds=60)
    return replace(cell, **changed)


def run_cells(folder, cells, **options):
    """Run cells; returns their records in order."""
    Runner(Store(folder), cells, lambda _: None, **options).run()
    return [Store(folder)._cells[cell.study][cell.key] for cell in cells]


def stored(folder, study):
    """All records of a study."""
    return list(Records(study, folder).values())


def count_tasks(monkeypatch):
    """Names of the tasks that get a process, as they are started."""
    names = []

    def counted(task, **options):
        names.append(task.__name__)
        return measure(task, **options)

    for module in (running, supplies):
        monkeypatch.setattr(module, "measure", counted)
    return names
