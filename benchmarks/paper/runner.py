"""Run the cells of a plan that are not done, one after the other, each in its own process."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from benchmarks.harness import tasks
from benchmarks.harness.machine import machine, source_digest
from benchmarks.harness.process import WARM, Task, TaskFailed, measure
from benchmarks.harness.store import Record
from benchmarks.paper.cell import Cell
from benchmarks.paper.methods import Way
from benchmarks.paper.outcome import Outcome
from benchmarks.paper.peers import PEERS, peer_versions
from benchmarks.paper.store import Store, still_holds
from benchmarks.paper.supplies import Missing, Supplies

DRAWN = ("table", "LSEC+", 0)  # study, method and seed of the pictures


@dataclass
class Progress:
    """Where a run stands.

    Attributes
    ----------
    cell, record : Cell, dict
        The cell that was just done.
    n_done, n_all : int
    seconds_left : float
        For the cells whose like was run before.
    n_unknown : int
        Cells whose like was not run before.
    """

    cell: Cell
    record: Record
    n_done: int
    n_all: int
    seconds_left: float
    n_unknown: int


@dataclass
class Known:
    """What the finished cells tell about those to come."""

    runs: dict[str, Record] = field(default_factory=dict)
    hopeless: dict[str, Record] = field(default_factory=dict)
    took: dict[str, float] = field(default_factory=dict)

    def learn(self, cell: Cell, record: Record) -> None:
        """Take a finished cell into account; with more time than before, it counts instead."""
        limit = record["limit_seconds"]
        if not still_holds(self.runs.get(cell.run), limit):
            self.runs[cell.run] = record
        if record["status"] == "timeout":
            if not still_holds(self.hopeless.get(cell.setting), limit):
                self.hopeless[cell.setting] = record
        else:  # the same run for another study takes no time
            took = max(record["process_seconds"], self.took.get(cell.setting, 0.0))
            self.took[cell.setting] = took

    def foretell(self, cells: list[Cell]) -> tuple[float, int]:
        """Seconds for the cells whose like was run, and how many others there are."""
        runs = {cell.run: cell.setting for cell in cells if cell.run not in self.runs}
        settings = [setting for setting in runs.values() if setting not in self.hopeless]
        told = [self.took[setting] for setting in settings if setting in self.took]
        return sum(told), len(settings) - len(told)


class Runner:
    """Runs a plan into a folder.

    Parameters
    ----------
    store : Store
    cells : list of Cell
        Cells that have a record are not run again.
    tell : callable
        Called with a `Progress` after every cell that is run.
    others : iterable of Cell
        Cells of the plan that are not run now. A run that one of them has the record of is not
        done a second time.
    again : collection of str
        Statuses of records, such as "failed", that do not count as done.
    """

    def __init__(
        self,
        store: Store,
        cells: list[Cell],
        tell: Callable[[Progress], None],
        others: Iterable[Cell] = (),
        again: Collection[str] = (),
    ):
        self._store = store
        self._tell = tell
        self._known = Known()
        self._n_all = len(cells)
        self._pending = [cell for cell in cells if not self._learn(cell, again)]
        for cell in others:
            self._learn(cell, again)
        about = machine()
        installed = {"lsec source": source_digest(), **peer_versions()}
        self._about = {**about, "versions": {**about["versions"], **installed}}
        self._supplies = Supplies(store, self._pending, self._about)

    @property
    def n_cells(self) -> int:
        """Number of cells, done or not."""
        return self._n_all

    @property
    def n_pending(self) -> int:
        """Number of cells to run."""
        return len(self._pending)

    def run(self) -> None:
        """Run what is not done."""
        for position, cell in enumerate(self._pending):
            record = self._run(cell)
            to_come = self._pending[position + 1 :]
            left = self._known.foretell(to_come)
            self._tell(Progress(cell, record, self._n_all - len(to_come), self._n_all, *left))

    def _learn(self, cell: Cell, again: Collection[str]) -> bool:
        """Take the record of a cell into account; returns whether there is one that counts."""
        record = self._store.read(cell)
        if record is None or record["status"] in again:
            return False
        self._known.learn(cell, record)
        return True

    def _run(self, cell: Cell) -> Record:
        """Run a cell, or know its outcome, and write it down."""
        start = time.perf_counter()
        record = self._known_record(cell) or self._new_record(cell)
        record["process_seconds"] = time.perf_counter() - start
        self._store.write(cell, record)
        self._supplies.done_with(cell)
        self._known.learn(cell, record)
        return record

    def _known_record(self, cell: Cell) -> Record | None:
        """The record of a cell that need not be run, or None."""
        same = self._known.runs.get(cell.run)
        drawn = self._picture(cell)
        if drawn is not None and not drawn.is_file():
            return None
        if same is not None and still_holds(same, cell.limit_seconds):
            return {**same, **cell.describe(), "parameters": same["parameters"]}
        before = self._known.hopeless.get(cell.setting)
        if before is None or not still_holds(before, cell.limit_seconds):
            return None
        reason = f"{before['reason']} (with seed {before['seed']}; not run with this one)"
        return self._record(cell, Outcome(before["status"], reason))

    def _new_record(self, cell: Cell) -> Record:
        try:
            outcome = self._measure(cell)
        except Missing as missing:
            outcome = missing.outcome
        except TaskFailed as error:
            outcome = Outcome.of_failure(error)
        return self._record(cell, outcome)

    def _record(self, cell: Cell, outcome: Outcome) -> Record:
        return {
            **cell.describe(),
            **outcome.record(),
            **self._about,
            "date": date.today().isoformat(),
        }

    def _measure(self, cell: Cell) -> Outcome:
        method, way = cell.method, cell.method.way
        if way is Way.PEER and PEERS[method.target].missing:
            return Outcome("absent", PEERS[method.target].missing)
        folder = str(self._supplies.data(cell))
        if way is Way.FIT:
            given = {"n_clusters": cell.data.n_clusters, "random_state": cell.seed}
            picture = self._picture(cell)
            return _outcome(
                tasks.fit,
                cell,
                folder=folder,
                estimator=method.target,
                parameters={**method.parameters, **given},
                picture=picture and str(picture),
            )
        asked = {"folder": folder, "n_clusters": cell.data.n_clusters, "seed": cell.seed}
        if way is Way.PEER:  # in a fresh process: its memory is not to hold what lsec loads
            return _outcome(tasks.peer, cell, warm=None, **asked, name=method.target)
        members, generation = self._supplies.ensemble(cell)
        asked |= {"members": str(members), "method": method.target, "options": method.options}
        return _outcome(tasks.join, cell, **asked).after(generation)

    def _picture(self, cell: Cell) -> Path | None:
        """Where the rows to draw go, for the cells that are drawn."""
        if not cell.data.made or (cell.study, cell.method.name, cell.seed) != DRAWN:
            return None
        return self._store.pictures / f"{cell.data.key}.npz"


def _outcome(task: Task, cell: Cell, *, warm: str | None = WARM, **arguments: Any) -> Outcome:
    return Outcome.of(measure(task, limit_seconds=cell.limit_seconds, warm=warm, **arguments))
