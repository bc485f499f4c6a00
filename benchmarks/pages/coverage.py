"""Sections: runs without a result, and the machines of all others."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from benchmarks.pages.names import METHODS, data_entry, in_order
from benchmarks.pages.outcome import one_of, reasons_alike
from benchmarks.pages.results import STATUSES, Cell, Results
from benchmarks.pages.table import Entry, Section, Table, plain
from benchmarks.paper.printed import data_sets


def gaps_section(results: Results) -> Section:
    """List both, with reasons."""
    parts = [table for table in (_without_result(results), _not_run(results)) if table.rows]
    return Section(
        "gaps",
        "Without a result",
        "Every run that was refused, failed, ran out of time or lacked its data or package, and "
        "every planned run that has no record yet.",
        [*parts],
        empty="None: every planned cell has a result."
        if results.planned
        else "None; what was planned is not known without plan.json.",
    )


def not_run(results: Results) -> Counter[tuple[str, str, str, int]]:
    """Count the planned cells that have no record."""
    have = Counter((cell.study, cell.data, cell.method, cell.seed) for cell in results.cells)
    return Counter(results.planned) - have


def _without_result(results: Results) -> Table:
    groups = reasons_alike(
        results.cells, lambda cell: (cell.status, cell.study, cell.data, cell.method, _varied(cell))
    )
    rows = [
        (
            *plain(status, study),
            data_entry(results, data, study),
            *plain(method, varied, len(reasons), one_of(reasons)),
        )
        for ((status, study, data, method, varied), _), reasons in sorted(groups.items())
    ]
    columns = ("status", "study", "data", "method", "varied", "runs", "reason")
    return Table("Runs without a result", columns, rows, words=(0, 1, 2, 3, 4, 6))


def _varied(cell: Cell) -> str:
    return f"{cell.varied[0]} = {cell.varied[1]}" if cell.varied else ""


def _not_run(results: Results) -> Table:
    waiting = not_run(results)
    rows: list[tuple[Entry, ...]] = []
    for study in dict.fromkeys(study for study, _, _, _ in waiting):
        mine = {place: count for place, count in waiting.items() if place[0] == study}
        for data in in_order((place[1] for place in mine), data_sets()):
            here = {place: count for place, count in mine.items() if place[1] == data}
            methods = in_order((place[2] for place in here), METHODS)
            total = sum(here.values())
            rows.append(
                (
                    Entry(study),
                    data_entry(results, data, study),
                    Entry(str(total), float(total)),
                    Entry(", ".join(methods)),
                )
            )
    columns = ("study", "data", "cells", "methods")
    return Table("Planned and not run", columns, rows, words=(0, 1, 3))


@dataclass(frozen=True)
class Overview:
    """What a folder holds, in short."""

    groups: str
    dates: str
    machine: str
    took: str  # time of all runs, with what they load and make first
    counts: dict[str, int]  # with a result, then by status; planned and not run if that is known


def overview(results: Results) -> Overview:
    """Count the cells and name where they come from."""
    statuses = Counter(cell.status for cell in results.cells)
    waiting = sum(not_run(results).values())
    titles = {"ok": "with a result", "timeout": "out of time"}
    counts = {titles.get(status, status): statuses[status] for status in STATUSES}
    if results.planned:
        counts = {"planned": len(results.planned), **counts, "not run": waiting}
    return Overview(
        groups=", ".join(sorted({cell.group for cell in results.cells if cell.group})) or "none",
        dates=_dates(results),
        machine=_machines(results),
        took=_took(sum(cell.numbers.get("process_seconds", 0.0) for cell in results.cells)),
        counts=counts,
    )


def _dates(results: Results) -> str:
    days = sorted({cell.date[:10] for cell in results.cells if cell.date})
    if not days:
        return "not known"
    return days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"


def _took(seconds: float) -> str:
    return f"{seconds / 60:.1f} minutes" if seconds < 7200 else f"{seconds / 3600:.1f} hours"


def _machines(results: Results) -> str:
    machines = [machine for machine, _ in results.settings if machine]
    if not machines:
        return "not known"
    if any(machine != machines[0] for machine in machines):
        return "several, listed at the end"
    facts = machines[0].items()
    return ", ".join(f"{value} {name}" if value.isdigit() else value for name, value in facts)


def provenance_section(results: Results) -> Section:
    """List every machine with its versions, its cells and dates."""
    return Section(
        "provenance",
        "Machines and versions",
        "On the HTML page, scores and times name their machine when pointed at. These are the "
        "machines; the same one with other versions of the code counts as another.",
        [_table(results, number) for number in range(1, 1 + len(results.settings))],
        empty="No cells yet.",
    )


def _table(results: Results, number: int) -> Table:
    machine, versions = results.settings[number - 1]
    cells = [cell for cell in results.cells if cell.setting == number]
    days = sorted({cell.date[:10] for cell in cells if cell.date})
    rows = [plain(name, value) for name, value in machine.items()]
    rows += [plain(f"{name} (version)", value) for name, value in versions.items()]
    rows += [plain("cells", len(cells)), plain("dates", ", ".join(days) or "not known")]
    return Table(f"Machine {number}", ("what", "value"), rows, words=(0, 1))
