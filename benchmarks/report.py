"""RESULTS.md: rendered from the stored results of all studies."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from benchmarks import store
from benchmarks.session import Study
from benchmarks.tables import NOT_YET, Table, Verdict

RESULTS_FILE = store.HERE / "RESULTS.md"

HEADER = """\
# Benchmark results

Written by `python -m benchmarks`; do not edit. Every run is a fresh process that loads its input,
fits a few rows to load and compile everything, and then runs under the clock. Seconds are wall
time. Memory is the peak of the process: "above input" is the peak less the bytes of the input
array, interpreter and libraries included; "growth" is the peak less what the process held before
the fit. Methods that are compared ran in turns on the same data with all cores. Targets are meant
for two cores. ACC is the share of rows labeled correctly under the best one-to-one matching, NMI
has the geometric mean as divisor unless said otherwise; both are in percent, mean ± standard
deviation where there are several runs."""

Section = tuple[Study, store.Results]


def stored_sections(studies: Iterable[Study], folder: Path = store.RESULTS_FOLDER) -> list[Section]:
    """The studies that have results, with these."""
    found = [(study, store.read(study.name, folder)) for study in studies]
    return [(study, results) for study, results in found if results is not None]


def write_report(
    studies: Iterable[Study], folder: Path = store.RESULTS_FOLDER, path: Path = RESULTS_FILE
) -> None:
    """Render all stored results; studies without a new run keep their numbers."""
    path.write_text(render(stored_sections(studies, folder)))


def render(sections: list[Section]) -> str:
    """The whole report as Markdown."""
    tables = [study.tables(results.cells) for study, results in sections]
    machines: list[dict[str, str]] = []
    for _, results in sections:
        if results.machine not in machines:
            machines.append(results.machine)
    parts = [HEADER, _summary(sections, tables).markdown()]
    parts += [
        _machine_table(machine, number).markdown() for number, machine in enumerate(machines, 1)
    ]
    for (study, results), shown in zip(sections, tables, strict=True):
        where = f" on machine {machines.index(results.machine) + 1}" if len(machines) > 1 else ""
        parts.append(f"## {study.name}: {study.title}\n\n{study.text}\n\n{_when(results)}{where}.")
        parts += [table.markdown() for table in shown]
    return "\n\n".join(parts) + "\n"


def render_small(study: Study, results: store.Results) -> str:
    """The tables of a small run: without verdicts, since targets are for full sizes."""
    parts = [f"## {study.name} (small): {study.title}"]
    for table in study.tables(results.cells):
        rows = [
            tuple("-" if isinstance(entry, Verdict) else entry for entry in row)
            for row in table.rows
            if NOT_YET not in row
        ]
        if rows:
            parts.append(Table(table.title, table.columns, rows).markdown())
    return "\n\n".join(parts) + "\n"


def _summary(sections: list[Section], tables: list[list[Table]]) -> Table:
    """How many targets each study meets, and which it misses."""
    rows = []
    for (study, _), shown in zip(sections, tables, strict=True):
        verdicts = [verdict for table in shown for verdict in table.verdicts()]
        missed = [name for name, verdict in verdicts if verdict is Verdict.MISSED]
        met = sum(verdict is Verdict.MET for _, verdict in verdicts)
        names = ", ".join(dict.fromkeys(missed)) or "-"
        rows.append((study.name, met, len(missed), names))
    return Table("Summary", ("study", "targets met", "targets missed", "missed in"), rows)


def _machine_table(machine: dict[str, str], number: int) -> Table:
    return Table(f"Machine {number}", ("what", "value"), list(machine.items()))


def _when(results: store.Results) -> str:
    """Dates and commits of the cells of a study."""
    dates = sorted({cell["date"] for cell in results.cells.values()})
    commits = list(dict.fromkeys(cell["commit"] for cell in results.cells.values()))
    days = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    return f"Measured {days} at commit {', '.join(commits)}"
