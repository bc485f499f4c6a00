"""Records on disk: one JSON file per cell, written as soon as the cell is done.

::

    OUT/plan.json              the cells that the group plans
    OUT/cells/KEY.json         what was measured, or why not
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
        """Write down all cells that the group plans."""
        path = self.folder / "plan.json"
        held = read_record(path)
        if held is not None and held["group"] != group:
            raise OtherGroup(
                f"{self.folder} holds results of the group {held['group']}. Choose another folder."
            )
        planned = [{"key": cell.key, **cell.describe()} for cell in cells]
        write_record(path, {"group": group, "cells": planned})

    def read(self, cell: Cell) -> Record | None:
        """The record of a cell, or None where it has to be run (again)."""
        return _valid(read_record(self._cells / f"{cell.key}.json"), cell.limit_seconds)

    def write(self, cell: Cell, record: Record) -> None:
        """Keep the record of a cell."""
        write_record(self._cells / f"{cell.key}.json", record)

    def read_ensemble(self, name: str, limit_seconds: float) -> Record | None:
        """What the generation of an ensemble cost, or None where it has to be run (again)."""
        return _valid(read_record(self._ensembles / f"{name}.json"), limit_seconds)

    def write_ensemble(self, name: str, record: Record) -> None:
        """Keep what the generation of an ensemble cost."""
        write_record(self._ensembles / f"{name}.json", record)


def read_record(path: Path) -> Record | None:
    """The content of a JSON file, or None where there is none."""
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None


def write_record(path: Path, record: Record) -> None:
    """Write a JSON file in one step."""
    with open_atomically(path) as file:
        file.write((json.dumps(record, indent=1) + "\n").encode())


def _valid(record: Record | None, limit_seconds: float) -> Record | None:
    """The record, unless what was missing may be there now, or there is more time now."""
    if record is None or record["status"] == "absent":
        return None
    if record["status"] == "timeout" and record["limit_seconds"] < limit_seconds:
        return None
    return record
