"""RESULTS.md: rendered from the stored records of all studies."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from benchmarks.harness.machine import ROOT
from benchmarks.harness.store import Records
from benchmarks.pages.markdown import markdown_table
from benchmarks.pages.table import Entry, Table, Verdict
from benchmarks.studies.figures import NOT_YET, table
from benchmarks.studies.study import Study, described_machine

RESULTS_FOLDER = ROOT / "benchmarks" / "results"
RESULTS_FILE = ROOT / "benchmarks" / "RESULTS.md"

HEADER = """\
# Benchmark results

Written by `python -m benchmarks run`; do not edit. Every run is a fresh process that loads its
input, fits a few rows to load and compile everything, and then runs under the clock. Seconds are
wall time. Memory is the peak of the process: "above input" is the peak less the bytes of the input
array, interpreter and libraries included; "growth" is the peak less the memory of the process
before the fit. Methods that are compared ran in turns on the same data with all cores. Targets are
meant for two cores. ACC is the share of rows labeled correctly under the best one-to-one matching,
NMI has the geometric mean as divisor unless said otherwise; both are in percent, mean ± standard
deviation over several runs."""

Part = tuple[Study, Records]


def write_results(
    studies: Iterable[Study], folder: Path = RESULTS_FOLDER, path: Path = RESULTS_FILE
) -> None:
    """Render all stored records; studies without a new run keep their numbers."""
    stored = [(study, Records(study.name, folder)) for study in studies]
    path.write_text(render([part for part in stored if part[1]]), encoding="utf-8")


def render(parts: list[Part]) -> str:
    """The whole page as Markdown."""
    tables = [study.tables(cells) for study, cells in parts]
    machines: list[dict[str, str]] = []
    of_part = []
    for _, cells in parts:
        machine = described_machine(next(iter(cells.values())))
        if machine not in machines:
            machines.append(machine)
        of_part.append(1 + machines.index(machine))
    text = [HEADER, "## Overview", markdown_table(_summary(parts, tables))]
    for number, machine in enumerate(machines, 1):
        text.append(markdown_table(table(f"Machine {number}", ("part", "value"), machine.items())))
    for (study, cells), number, shown in zip(parts, of_part, tables, strict=True):
        where = f" on machine {number}" if len(machines) > 1 else ""
        text.append(f"## {study.name}: {study.title}\n\n{study.text}\n\n{when(cells)}{where}.")
        text += map(markdown_table, shown)
    return "\n\n".join(text) + "\n"


def render_small(study: Study, cells: Records) -> str:
    """The tables of a small run: without verdicts, since targets are for full sizes."""
    text = [f"## {study.name} (small): {study.title}"]
    for shown in study.tables(cells):
        rows = [
            tuple(Entry("-") if entry.verdict else entry for entry in row)
            for row in shown.rows
            if all(entry.text != NOT_YET for entry in row)
        ]
        if rows:
            text.append(markdown_table(replace(shown, rows=rows)))
    return "\n\n".join(text) + "\n"


def verdicts(tables: Iterable[Table]) -> list[tuple[str, Verdict]]:
    """Every verdict with the name of its row."""
    rows = [row for one in tables for row in one.rows]
    return [(row[0].text, entry.verdict) for row in rows for entry in row if entry.verdict]


def _summary(parts: list[Part], tables: list[list[Table]]) -> Table:
    """The number of targets each study meets, and those it misses."""
    rows = []
    for (study, _), shown in zip(parts, tables, strict=True):
        judged = verdicts(shown)
        missed = [name for name, verdict in judged if verdict is Verdict.MISSED]
        met = sum(verdict is Verdict.MET for _, verdict in judged)
        rows.append((study.name, met, len(missed), ", ".join(dict.fromkeys(missed)) or "-"))
    return table("Summary", ("study", "targets met", "targets missed", "missed in"), rows)


def when(cells: Records) -> str:
    """Dates and commits of the cells of a study."""
    stamps = sorted((cell["date"], cell["commit"]) for cell in cells.values())
    first, last = stamps[0][0], stamps[-1][0]
    days = first if first == last else f"{first} to {last}"
    commits = dict.fromkeys(commit for _, commit in stamps)
    return f"Measured {days} at commit {', '.join(commits)}"
