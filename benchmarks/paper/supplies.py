"""Data sets and k-means ensembles: made when first needed, removed when nobody needs them."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.harness import tasks
from benchmarks.harness.data import DataSet
from benchmarks.harness.process import WARM, TaskFailed, measure
from benchmarks.harness.store import Record
from benchmarks.paper.cell import Cell
from benchmarks.paper.outcome import Outcome
from benchmarks.paper.store import Store

STAGING_SECONDS = 3600  # a download that takes longer is not going to end


class Missing(RuntimeError):
    """A supply that cannot be made; `outcome` is that of the cells that need it."""

    def __init__(self, outcome: Outcome):
        super().__init__(outcome.reason)
        self.outcome = outcome


class Supplies:
    """Data sets and ensembles of cells, on disk.

    Parameters
    ----------
    store : Store
    cells : list of Cell
        Those that are still to be run. Files that an earlier run left and they do not need are
        removed.
    about : dict
        Machine and versions, for the costs of generation.
    """

    def __init__(self, store: Store, cells: list[Cell], about: Record):
        self._store = store
        self._about = about
        self._missing: dict[str, Outcome] = {}  # what this run could not make
        self._needs = Counter(path for cell in cells for path in self._paths(cell))
        for path in store.work.iterdir():
            if path not in self._needs:
                _remove(path)

    def data(self, cell: Cell) -> Path:
        """The folder with the arrays of the cell's data set."""
        folder = self._data_folder(cell.data)
        if cell.data.name not in self._missing and not (folder / "y.npy").is_file():
            self._stage(cell.data, folder)
        if cell.data.name in self._missing:
            raise Missing(self._missing[cell.data.name])
        return folder

    def ensemble(self, cell: Cell) -> tuple[Path, dict[str, Any]]:
        """The file with the cell's k-means ensemble, and what its generation cost."""
        name = str(cell.ensemble)
        path = self._ensemble_file(name)
        cost = self._store.read_ensemble(name, self._about)
        if name not in self._missing and (cost is None or not path.is_file()):
            made = self._generate(cell, path)
            if not made.ok:
                reason = f"generation of members: {made.reason}"
                self._missing[name] = Outcome(made.status, reason)
            elif cost is None:  # made again, it is the same and counts once
                cost = {**made.record(), **self._about}
                self._store.write_ensemble(name, cost)
        if cost is None or name in self._missing:
            raise Missing(self._missing[name])
        return path, cost

    def done_with(self, cell: Cell) -> None:
        """Remove what only this cell needed."""
        for path in self._paths(cell):
            self._needs[path] -= 1
            if not self._needs[path]:
                _remove(path)

    def _paths(self, cell: Cell) -> list[Path]:
        ensemble = [] if cell.ensemble is None else [self._ensemble_file(cell.ensemble)]
        return [self._data_folder(cell.data), *ensemble]

    def _data_folder(self, data: DataSet) -> Path:
        return self._store.work / f"data-{data.name}"

    def _ensemble_file(self, name: str) -> Path:
        return self._store.work / f"ensemble-{name}.npz"

    def _stage(self, data: DataSet, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        asked = {"folder": str(folder), **data.request}
        try:
            done = measure(tasks.stage, limit_seconds=STAGING_SECONDS, warm=WARM, **asked)
        except TaskFailed as error:  # nothing that the methods could do about
            self._missing[data.name] = Outcome("absent", Outcome.of_failure(error).reason)
            return
        if "not_run" in done.result:
            self._missing[data.name] = Outcome("absent", done.result["not_run"])

    def _generate(self, cell: Cell, path: Path) -> Outcome:
        asked = {
            "folder": str(self.data(cell)),
            "parameters": {**cell.method.parameters, "random_state": cell.seed},
            "members": str(path),
        }
        try:
            done = measure(tasks.generate, limit_seconds=cell.limit_seconds, warm=WARM, **asked)
        except TaskFailed as error:
            return Outcome.of_failure(error)
        return Outcome.of(done)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
