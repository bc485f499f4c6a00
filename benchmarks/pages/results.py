"""Records of the paper's experiments, read for the pages."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.harness.store import Record, Records
from benchmarks.paper import STUDIES
from benchmarks.paper.store import PLAN

MEASURED = (
    "acc", "nmi", "nmi_max", "ari", "purity", "seconds", "generation_seconds", "cpu_seconds",
    "peak_bytes", "process_seconds", "n_clusters_found",
)  # fmt: skip
PLACE = ("study", "data", "method", "seed")
STATUSES = ("ok", "refused", "failed", "timeout", "absent")

Setting = tuple[dict[str, str], dict[str, str]]  # a machine and the versions on it


@dataclass(frozen=True)
class Cell:
    """One run of a method on a data set.

    `numbers` holds what was measured, under the names of `MEASURED` but with the peak as
    ``"peak_mib"``; a run that is not ``"ok"`` may lack all of them. `varied` is the parameter
    that the study changes, with its value, and `setting` the number of the machine with its
    versions, from 1.
    """

    study: str
    data: str
    method: str
    seed: int
    status: str
    title: str = ""
    group: str = ""
    reason: str = ""
    date: str = ""
    varied: tuple[str, Any] | None = None
    n_rows: int | None = None
    numbers: dict[str, float] = field(default_factory=dict)
    parameters: dict[str, Any] = field(default_factory=dict)
    machine: dict[str, str] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    setting: int = 1

    @property
    def ok(self) -> bool:
        """Whether the run ended with a result."""
        return self.status == "ok"


@dataclass(frozen=True)
class Results:
    """All that a folder holds.

    `settings` has every machine with its versions, `planned` the study, data set, method and
    seed of every cell of the plan, and `planned_titles` the titles that a study plans for a data
    set, one for each size.
    """

    cells: list[Cell]
    settings: list[Setting]
    planned: list[tuple[str, str, str, int]]
    planned_titles: dict[tuple[str, str], set[str]]
    pictures: dict[str, Path]

    def runs(self, study: str, data: str | None = None, method: str | None = None) -> list[Cell]:
        """Return the cells of a study, of any status."""
        return [
            cell
            for cell in self.cells
            if cell.study == study
            and (data is None or cell.data == data)
            and (method is None or cell.method == method)
        ]


def read_results(folder: Path) -> Results:
    """Read a folder of results.

    Parameters
    ----------
    folder : Path
        Holds tables of records, ``STUDY.csv.gz``; and may hold ``plan.csv.gz`` and
        ``pictures/*.npz``. Records that are not in the plan are left out.

    Returns
    -------
    results : Results
        The cells study by study, in the order of their keys.

    Raises
    ------
    ValueError
        When the folder has no records, or one of them is not that of a run.
    """
    if not any(folder.glob("*.csv.gz")) and not any(folder.glob("*.jsonl")):
        raise ValueError(
            f"{folder} has no records of runs. Make some with: python -m benchmarks paper"
        )
    plan = Records(PLAN, folder)
    records = {
        key: record
        for study in sorted(STUDIES)
        for key, record in Records(study, folder).items()
        if not plan or key in plan
    }
    settings: list[Setting] = []
    cells = []
    for key, record in records.items():
        setting = record.get("machine") or {}, record.get("versions") or {}
        if setting not in settings:
            settings.append(setting)
        cells.append(_cell(key, record, 1 + settings.index(setting)))
    titles: dict[tuple[str, str], set[str]] = {}
    for one in plan.values():
        if one.get("data_title"):
            titles.setdefault((one["study"], one["data"]), set()).add(one["data_title"])
    return Results(
        cells=cells,
        settings=settings,
        planned=[_place(key, one) for key, one in plan.items()],
        planned_titles=titles,
        pictures={path.stem: path for path in sorted((folder / "pictures").glob("*.npz"))},
    )


def _cell(key: str, record: Record, setting: int) -> Cell:
    study, data, method, seed = _place(key, record)
    if record.get("status") not in STATUSES:
        raise ValueError(
            f"The status of {key} must be one of {', '.join(STATUSES)}; "
            f"got {record.get('status')!r}."
        )
    varied = record.get("varied")
    return Cell(
        study=study,
        data=data,
        method=method,
        seed=seed,
        status=record["status"],
        title=record.get("data_title") or "",
        group=record.get("group") or "",
        reason=record.get("reason") or "",
        date=record.get("date") or "",
        varied=(varied["name"], varied["value"]) if varied else None,
        n_rows=record.get("n_rows"),
        numbers=_finite(record),
        parameters=record.get("parameters") or {},
        machine=record.get("machine") or {},
        versions=record.get("versions") or {},
        setting=setting,
    )


def _place(key: str, record: Record) -> tuple[str, str, str, int]:
    """Study, data set, method and seed of a record."""
    missing = [name for name in PLACE if name not in record]
    if missing:
        raise ValueError(f"The record {key} lacks {', '.join(missing)}.")
    study, data, method, seed = (record[name] for name in PLACE)
    return study, data, method, seed


def _finite(record: dict[str, Any]) -> dict[str, float]:
    """Return the numbers of a record; JSON has null, and Python's also NaN, for none."""
    kept = {name: float(record[name]) for name in MEASURED if _is_number(record.get(name))}
    if "peak_bytes" in kept:
        kept["peak_mib"] = kept.pop("peak_bytes") / 2**20
    return kept


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def numbers(cells: Iterable[Cell], name: str) -> list[float]:
    """Return one measured number of every run that has it and is ``"ok"``."""
    return [cell.numbers[name] for cell in cells if cell.ok and name in cell.numbers]
