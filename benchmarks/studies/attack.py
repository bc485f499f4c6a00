"""Hostile files, extreme rows, faults and load.

Every case is drawn from a seed and runs in a process with caps of time and memory
(`benchmarks/attack`). It *worked* if a result kept the laws of the library, and it was *refused* if
one of our errors said why; all else is a promise broken: the process died or hung, the error came
from another library, or the result was wrong. Measured in the long form, in portions, each in a
process of its own.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import count
from pathlib import Path

from benchmarks.attack.areas import AREAS, LONG, SHORT, Area
from benchmarks.attack.case import DIED, FOREIGN, HUNG, REFUSED, WORKED, WRONG
from benchmarks.attack.supervise import Tally, run_cases
from benchmarks.harness.store import Record
from benchmarks.pages.table import Table
from benchmarks.studies.figures import holds, table, targets_table
from benchmarks.studies.study import Cells, Session

RESUMABLE = True
BREAKS = (DIED, HUNG, FOREIGN, WRONG)
COLUMNS = ("attacked", "cases", WORKED, REFUSED, *BREAKS)


def run(session: Session) -> None:
    attack(session, session.plan.pick(LONG, SHORT))
    if session.plan.small:
        require_unbroken(session.cells)


def attack(session: Session, form: str, names: Sequence[str] = (), seed: int = 0) -> None:
    """Run the portions of a form that are not done, area by area."""
    for name, area in AREAS.items():
        if names and name not in names:
            continue
        for portion in portions(area, form):
            run_portion(session, name, portion, seed)


def attack_for(session: Session, seconds: float, names: Sequence[str] = (), seed: int = 0) -> None:
    """Run new cases, beyond those of all forms, area by area until the time is over."""
    end = time.monotonic() + seconds
    for turn in count():
        for name in names or AREAS:
            if time.monotonic() >= end:
                return
            area = AREAS[name]
            start = area.cases[LONG] + turn * area.portion
            run_portion(session, name, range(start, start + area.portion), seed)


def run_portion(session: Session, name: str, cases: range, seed: int) -> None:
    """Run some cases of an area in a process, unless that was done."""
    folder = session.scratch / name
    folder.mkdir(exist_ok=True)

    def measure() -> Record:
        tally = run_cases(f"benchmarks.attack.{name}", seed, cases, AREAS[name].limits, folder)
        return {"cases": len(cases), "seed": seed, **asdict(tally)}

    session.cell(f"{name}/{cases.start:06d}", measure)


def repeat(name: str, seed: int, case: int) -> Tally:
    """Run a case again, after those of its portion that it depends on."""
    area = AREAS[name]
    first = case - case % area.portion if area.in_order else case
    with tempfile.TemporaryDirectory(prefix="lsec-attack-") as folder:
        cases = range(first, case + 1)
        return run_cases(f"benchmarks.attack.{name}", seed, cases, area.limits, Path(folder))


def portions(area: Area, form: str) -> Iterator[range]:
    """The cases of an area in portions."""
    n_cases = area.cases[form]
    for start in range(0, n_cases, area.portion):
        yield range(start, min(start + area.portion, n_cases))


def tables(cells: Cells) -> list[Table]:
    """How the cases of every area ended, and the promises that were broken."""
    rows, broken = [], []
    for name, area in AREAS.items():
        parts = [cell for key, cell in cells.items() if key.startswith(f"{name}/")]
        if parts:
            ends = [sum(one["endings"].get(e, 0) for one in parts) for e in COLUMNS[2:]]
            rows.append((f"{name}: {area.title}", sum(one["cases"] for one in parts), *ends))
            broken += [(name, text) for one in parts for text in one["broken"]]
    n_cases = sum(row[1] for row in rows)
    verdict = f"{n_broken(cells):,} of {n_cases:,} cases", "0", holds(not n_broken(cells))
    found = [targets_table([("promises broken", *verdict)])]
    found.append(table("How the cases ended", COLUMNS, rows))
    if broken:
        found.append(table("Promises that were broken", ("area", "case"), broken))
    return found


def require_unbroken(cells: Cells) -> None:
    """Raise an error with all broken promises, if there are any."""
    if n_broken(cells):
        broken = [f"{key}: {text}" for key, cell in cells.items() for text in cell["broken"]]
        raise RuntimeError("Promises were broken:\n" + "\n".join(broken))


def n_broken(cells: Cells) -> int:
    """Number of cases that broke a promise."""
    return sum(cell["endings"].get(ending, 0) for cell in cells.values() for ending in BREAKS)
