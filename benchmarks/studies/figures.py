"""Verdicts, runs and tables of our own studies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from statistics import median
from typing import Any

from benchmarks.harness.store import Record
from benchmarks.pages.numbers import mebibytes, number, numbers, percent
from benchmarks.pages.table import Table, Verdict, plain

NOT_YET = "not run yet"
TARGET_COLUMNS = ("measure", "value", "target", "verdict")
RUN_COLUMNS = ("seconds", "all", "CPU seconds", "peak above input", "growth", "ACC %", "NMI %")


def at_most(value: float, target: float) -> Verdict:
    return holds(value <= target)


def at_least(value: float, target: float) -> Verdict:
    return holds(value >= target)


def holds(fact: bool) -> Verdict:
    return Verdict.MET if fact else Verdict.MISSED


def table(title: str, columns: Iterable[str], rows: Iterable[Iterable[Any]]) -> Table:
    """A table of texts, numbers and verdicts."""
    names = tuple(columns)
    words = tuple(range(len(names)))
    return Table(title, names, [plain(*row) for row in rows], words=words)


def targets_table(rows: Iterable[Iterable[Any]]) -> Table:
    """The targets of a study: measure, value, target and verdict."""
    return table("Targets", TARGET_COLUMNS, rows)


def column(runs: list[Record], name: str) -> list[float]:
    return [run[name] for run in runs]


def runs_of(cells: Mapping[str, Record], prefix: str) -> list[Record]:
    """Runs under ``prefix/0``, ``prefix/1``, ..., in this order."""
    found = [(key.rpartition("/"), cell) for key, cell in cells.items()]
    chosen = [
        (int(end), cell) for (start, _, end), cell in found if start == prefix and end.isdigit()
    ]
    return [cell for _, cell in sorted(chosen, key=lambda item: item[0])]


def pair_ratios(ours: list[Record], theirs: list[Record]) -> list[float]:
    """Ratios of the times of runs that were taken one after the other."""
    return [a["seconds"] / b["seconds"] for a, b in zip(ours, theirs, strict=False)]


def median_of(ratios: list[float]) -> str:
    """The median of some ratios, and all of them."""
    return f"{number(median(ratios))} (all: {numbers(ratios)})"


def above_input(run: Record) -> int:
    """Peak memory of a run less its input array: interpreter and libraries are counted."""
    return run["peak_bytes"] - run["input_bytes"]


def absence(cells: Mapping[str, Record], key: str) -> str:
    """Why a data set has no runs."""
    reason = cells.get(f"{key}/not run", {}).get("reason")
    return f"not run: {reason}" if reason else NOT_YET


def run_entries(runs: list[Record]) -> tuple[str, ...]:
    """Time, memory and quality of the runs of one method, under `RUN_COLUMNS`."""
    seconds = column(runs, "seconds")
    return (
        number(median(seconds)),
        numbers(seconds),
        number(median(column(runs, "cpu_seconds"))),
        mebibytes(max(above_input(run) for run in runs)),
        mebibytes(max(run["peak_bytes"] - run["before_bytes"] for run in runs)),
        percent(column(runs, "acc")),
        percent(column(runs, "nmi")),
    )


def runs_table(title: str, first: str, groups: dict[str, list[Record]]) -> Table:
    """Time, memory and quality, one row per group that has runs."""
    rows = [(name, *run_entries(runs)) for name, runs in groups.items() if runs]
    return table(title, (first, *RUN_COLUMNS), rows)
