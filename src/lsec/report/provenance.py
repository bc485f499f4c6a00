"""Where the numbers come from: counts, groups, dates, machines and versions."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from lsec.report.cells import STATUSES, Results
from lsec.report.gaps import not_run
from lsec.report.section import Section
from lsec.report.table import Table, plain


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
