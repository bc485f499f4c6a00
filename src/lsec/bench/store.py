"""Records on disk: one JSON file per cell, written as soon as the cell is done.

::

    OUT/plan.json              the cells that the group plans, a list
    OUT/cells/KEY.json         what was measured, or why not
    OUT/outdated/KEY.json      cells that the group does not plan any more
    OUT/ensembles/NAME.json    what the generation of a k-means ensemble cost
    OUT/pictures/DATA.npz      rows to draw, with their labels
    OUT/work/                  data sets and ensembles, as long as cells need them
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from lsec.bench.cell import Cell
from lsec.files import open_atomically

Record = dict[str, Any]
PLAN = "plan.json"


class OtherGroup(ValueError):
    """The folder holds the results of another group."""


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

    def write_plan(self, group: str, cells: list[Cell]) -> None:
        """Write down all cells that the group plans, and set others aside."""
        path = self.folder / PLAN
        held = {planned["group"] for planned in read_json(path) or []}
        if held - {group}:
            other = ", ".join(held)
            raise OtherGroup(f"{self.folder} holds results of the group {other}. Choose another.")
        write_json(path, [{"key": cell.key, **cell.describe()} for cell in cells])
        planned = {cell.key for cell in cells}
        for old in self._cells.glob("*.json"):
            if old.stem not in planned:
                (self.folder / "outdated").mkdir(exist_ok=True)
                old.replace(self.folder / "outdated" / old.name)

    def read(self, cell: Cell) -> Record | None:
        """The record of a cell, or None where it has to be run (again)."""
        record = read_json(self._cells / f"{cell.key}.json")
        return record if still_holds(record, cell.limit_seconds) else None

    def write(self, cell: Cell, record: Record) -> None:
        """Keep the record of a cell."""
        write_json(self._cells / f"{cell.key}.json", record)

    def read_ensemble(self, name: str, limit_seconds: float) -> Record | None:
        """What the generation of an ensemble cost, or None where it has to be run (again)."""
        record = read_json(self._ensembles / f"{name}.json")
        return record if still_holds(record, limit_seconds) else None

    def write_ensemble(self, name: str, record: Record) -> None:
        """Keep what the generation of an ensemble cost."""
        write_json(self._ensembles / f"{name}.json", record)


def read_json(path: Path) -> Any:
    """The content of a JSON file, or None where there is none."""
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None


def write_json(path: Path, content: Any) -> None:
    """Write a JSON file in one step."""
    with open_atomically(path) as file:
        file.write((json.dumps(content, indent=1) + "\n").encode())


def still_holds(record: Record | None, limit_seconds: float) -> bool:
    """Whether there is a record, and neither a missing thing nor more time may change it."""
    if record is None or record["status"] == "absent":
        return False
    return record["status"] != "timeout" or record["limit_seconds"] >= limit_seconds
