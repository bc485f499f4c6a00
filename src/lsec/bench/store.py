"""Records on disk: one JSON file per cell, written as soon as the cell is done.

::

    OUT/plan.json              the cells that the group plans, a list
    OUT/cells/KEY.json         what was measured, or why not
    OUT/outdated/KEY.json      cells that the group does not plan any more
    OUT/ensembles/NAME.json    what the generation of a k-means ensemble cost
    OUT/pictures/DATA.npz      rows to draw, with their labels
    OUT/work/                  data sets and ensembles, as long as cells need them
    OUT/lock                   held by the run that writes to the folder
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any

from lsec.bench.cell import Cell
from lsec.output.atomic import open_atomically, read_json

Record = dict[str, Any]
PLAN = "plan.json"


class OtherGroup(ValueError):
    """The folder holds the results of another group."""


class InUse(ValueError):
    """Another run writes to the folder."""


class Store:
    """The output folder of a run.

    Parameters
    ----------
    folder : Path
        Made where it does not exist.
    """

    def __init__(self, folder: Path):
        self.folder = folder
        self.pictures = folder / "pictures"
        self.work = folder / "work"
        self._cells = folder / "cells"
        self._ensembles = folder / "ensembles"
        for place in (self.pictures, self.work, self._cells, self._ensembles):
            place.mkdir(parents=True, exist_ok=True)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep other runs out of the folder; the system lets go of it when this process ends."""
        import fcntl  # not on Windows, where nothing is run

        with open(self.folder / "lock", "w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise InUse(
                    f"Another run writes to {self.folder}. Wait until it ends, or choose another."
                ) from None
            yield

    def write_plan(self, group: str, cells: list[Cell]) -> None:
        """Write down all cells that the group plans, and set others aside."""
        other = self._group() or group
        if other != group:
            raise OtherGroup(f"{self.folder} holds results of the group {other}. Choose another.")
        write_json(self.folder / PLAN, [{"key": cell.key, **cell.describe()} for cell in cells])
        planned = {f"{cell.key}.json" for cell in cells}
        aside = self.folder / "outdated"
        for record in list(aside.glob("*.json")):  # planned again
            if record.name in planned and not (self._cells / record.name).exists():
                record.replace(self._cells / record.name)
        for record in list(self._cells.glob("*.json")):
            if record.name not in planned:
                aside.mkdir(exist_ok=True)
                record.replace(aside / record.name)

    def _group(self) -> str | None:
        """The group whose results the folder holds; its records tell as well as the plan."""
        some = [_read_record(path) for path in islice(self._cells.glob("*.json"), 1)]
        plan = self.folder / PLAN
        if not some and plan.is_file():
            with suppress(ValueError):  # it will be written anew
                some = read_json(plan)
        return some[0].get("group") if some else None

    def read(self, cell: Cell) -> Record | None:
        """The record of a cell, or None where it has to be run (again)."""
        path = self._cells / f"{cell.key}.json"
        record = _read_record(path) if path.is_file() else None
        return record if still_holds(record, cell.limit_seconds) else None

    def write(self, cell: Cell, record: Record) -> None:
        """Keep the record of a cell."""
        write_json(self._cells / f"{cell.key}.json", record)

    def read_ensemble(self, name: str, about: Record) -> Record | None:
        """What the generation of an ensemble cost, or None where it was not done here.

        `about` are machine and versions: the times of two of them do not add up.
        """
        path = self._ensembles / f"{name}.json"
        record = _read_record(path) if path.is_file() else {}
        return record if about.items() <= record.items() else None

    def write_ensemble(self, name: str, record: Record) -> None:
        """Keep what the generation of an ensemble cost."""
        write_json(self._ensembles / f"{name}.json", record)


def _read_record(path: Path) -> Record:
    try:
        record = read_json(path)
        if not (isinstance(record, dict) and "status" in record):
            raise ValueError(f"{path} is not the record of a run")
    except ValueError as error:
        raise ValueError(f"{error}. Remove it, and it will be run again.") from error
    return record


def write_json(path: Path, content: Any) -> None:
    """Write a JSON file in one step."""
    with open_atomically(path) as file:
        file.write((json.dumps(content, indent=1) + "\n").encode())


def still_holds(record: Record | None, limit_seconds: float) -> bool:
    """Whether there is a record, and neither a missing thing nor more time may change it."""
    if record is None or record["status"] == "absent":
        return False
    return record["status"] != "timeout" or record["limit_seconds"] >= limit_seconds
