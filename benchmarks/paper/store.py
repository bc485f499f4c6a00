"""The output folder of a run of the paper's experiments.

::

    OUT/STUDY.csv.gz        records of the cells of a study, also of those not planned any more
    OUT/ensembles.csv.gz    costs of the generation of k-means ensembles
    OUT/plan.csv.gz         the cells that the group plans
    OUT/*.jsonl             the same of a run that is under way, or was killed
    OUT/pictures/DATA.npz   rows to draw, with their labels
    OUT/work/               data sets and ensembles, as long as cells need them
    OUT/lock                held by the run that writes to the folder
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path

from benchmarks.harness.store import Record, Records, write_table
from benchmarks.paper import STUDIES
from benchmarks.paper.cell import Cell

PLAN = "plan"


class OtherGroup(ValueError):
    """The folder holds the results of another group."""


class InUse(ValueError):
    """Another run writes to the folder."""


class Store:
    """The output folder of a run; it is made if it does not exist."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.pictures = folder / "pictures"
        self.work = folder / "work"
        for place in (self.pictures, self.work):
            place.mkdir(parents=True, exist_ok=True)

    @cached_property
    def _cells(self) -> dict[str, Records]:
        return {study: Records(study, self.folder) for study in STUDIES}

    @cached_property
    def _ensembles(self) -> Records:
        return Records("ensembles", self.folder)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep other runs out of the folder; the system releases it when this process ends."""
        import fcntl  # not on Windows, where nothing is run

        with open(self.folder / "lock", "w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise InUse(
                    f"Another run writes to {self.folder}. Wait until it ends, or choose another."
                ) from None
            try:
                yield
            finally:
                for records in (*self._cells.values(), self._ensembles):
                    records.compact()

    def write_plan(self, group: str, cells: list[Cell]) -> None:
        """Write down all cells that the group plans."""
        other = self._group() or group
        if other != group:
            raise OtherGroup(f"{self.folder} holds results of the group {other}. Choose another.")
        names = ("group", "study", "data", "data_title", "method", "seed")
        plan = {}
        for cell in cells:
            facts = cell.describe()
            plan[cell.key] = {name: facts[name] for name in names}
        write_table(self.folder / f"{PLAN}.csv.gz", plan)

    def _group(self) -> str | None:
        """The group whose results the folder holds; its records tell as well as the plan."""
        some = [record for records in self._cells.values() for record in records.values()]
        if not some:
            with suppress(ValueError):  # a damaged plan is written anew
                some = list(Records(PLAN, self.folder).values())
        return some[0].get("group") if some else None

    def read(self, cell: Cell) -> Record | None:
        """The record of a cell, or None if it has to be run (again)."""
        record = self._cells[cell.study].get(cell.key)
        return record if still_holds(record, cell.limit_seconds) else None

    def write(self, cell: Cell, record: Record) -> None:
        """Keep the record of a cell."""
        self._cells[cell.study].add(cell.key, record)

    def read_ensemble(self, name: str, about: Record) -> Record | None:
        """The cost of the generation of an ensemble, or None if it was not done here.

        `about` are machine and versions: the times of two of them do not add up.
        """
        record = self._ensembles.get(name, {})
        return record if about.items() <= record.items() else None

    def write_ensemble(self, name: str, record: Record) -> None:
        """Keep the cost of the generation of an ensemble."""
        self._ensembles.add(name, record)


def still_holds(record: Record | None, limit_seconds: float) -> bool:
    """Whether there is a record that neither an installation nor more time may change."""
    if record is None or record["status"] == "absent":
        return False
    return record["status"] != "timeout" or record["limit_seconds"] >= limit_seconds
