"""Tables of results: rows of text and verdicts, and the helpers that make both from runs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from statistics import mean, median, stdev

Cells = dict[str, dict]
NOT_YET = "not run yet"


class Verdict(Enum):
    """Whether a number reaches its target."""

    MET = "met"
    MISSED = "missed"
    NOT_JUDGED = "not judged"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True)
class Table:
    """A table to render; the first column names the row."""

    title: str
    columns: tuple[str, ...]
    rows: list[tuple]

    def markdown(self) -> str:
        """The table as Markdown, with its title above it."""
        lines = [self.columns, ["---"] * len(self.columns), *self.rows]
        rendered = ["| " + " | ".join(map(str, line)) + " |" for line in lines]
        return "\n".join([f"**{self.title}**", "", *rendered])

    def verdicts(self) -> list[tuple[str, Verdict]]:
        """Every verdict with the name of its row."""
        return [(row[0], entry) for row in self.rows for entry in row if isinstance(entry, Verdict)]


def at_most(value: float, target: float) -> Verdict:
    return Verdict.MET if value <= target else Verdict.MISSED


def at_least(value: float, target: float) -> Verdict:
    return Verdict.MET if value >= target else Verdict.MISSED


def holds(fact: bool) -> Verdict:
    return Verdict.MET if fact else Verdict.MISSED


def targets_table(rows: list[tuple]) -> Table:
    """What a study is judged by: measure, value, target and verdict."""
    return Table("Targets", ("measure", "value", "target", "verdict"), rows)


def number(value: float, digits: int = 3) -> str:
    """A number with so many significant digits, without an exponent.

    >>> number(0.01234), number(12.34), number(1234.5)
    ('0.0123', '12.3', '1234')
    """
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    decimals = digits - 1 - math.floor(math.log10(abs(value)))
    return f"{value:.{max(0, decimals)}f}"


def numbers(values: list[float]) -> str:
    return ", ".join(map(number, values))


def mebibytes(size: float) -> str:
    return f"{size / 2**20:,.0f} MiB"


def gibibytes(size: float) -> str:
    return f"{size / 2**30:.2f} GiB"


def per_cent(values: list[float]) -> str:
    """Mean and standard deviation."""
    spread = f" ± {stdev(values):.2f}" if len(values) > 1 else ""
    return f"{mean(values):.2f}{spread}"


def column(runs: list[dict], name: str) -> list[float]:
    return [run[name] for run in runs]


def runs_of(cells: Cells, prefix: str) -> list[dict]:
    """Runs under ``prefix/0``, ``prefix/1``, ..., in this order."""
    found = [(key.rpartition("/"), cell) for key, cell in cells.items()]
    chosen = [
        (int(end), cell) for (start, _, end), cell in found if start == prefix and end.isdigit()
    ]
    return [cell for _, cell in sorted(chosen, key=lambda item: item[0])]


def pair_ratios(ours: list[dict], theirs: list[dict]) -> list[float]:
    """Ratios of the times of runs that were taken one after the other."""
    return [a["seconds"] / b["seconds"] for a, b in zip(ours, theirs, strict=False)]


def above_input(run: dict) -> int:
    """Peak memory of a run less its input array: interpreter and libraries are counted."""
    return run["peak_rss"] - run["input_bytes"]


def absence(cells: Cells, key: str) -> str:
    """Why a data set has no runs."""
    reason = cells.get(f"{key}/not run", {}).get("reason")
    return f"not run: {reason}" if reason else NOT_YET


RUN_COLUMNS = ("seconds", "all", "CPU seconds", "peak above input", "growth", "ACC %", "NMI %")


def run_entries(runs: list[dict]) -> tuple[str, ...]:
    """Time, memory and quality of the runs of one method, under `RUN_COLUMNS`."""
    seconds = column(runs, "seconds")
    return (
        number(median(seconds)),
        numbers(seconds),
        number(median(column(runs, "cpu_seconds"))),
        mebibytes(max(above_input(run) for run in runs)),
        mebibytes(max(run["peak_rss"] - run["rss_before"] for run in runs)),
        per_cent(column(runs, "acc")),
        per_cent(column(runs, "nmi")),
    )


def runs_table(title: str, first: str, groups: dict[str, list[dict]]) -> Table:
    """Time, memory and quality, one row per group that has runs."""
    rows = [(name, *run_entries(runs)) for name, runs in groups.items() if runs]
    return Table(title, (first, *RUN_COLUMNS), rows)
