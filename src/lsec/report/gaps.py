"""Section: runs without a result, and what of the plan was not run."""

from __future__ import annotations

from collections import Counter

from lsec.report.cells import Cell, Results
from lsec.report.methods import METHODS, in_order
from lsec.report.names import data_entry
from lsec.report.printed import data_sets
from lsec.report.reasons import one_of, reasons_alike
from lsec.report.section import Section
from lsec.report.table import Entry, Table, plain


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
        results.cells,
        lambda cell: (cell.status, cell.study, cell.data, cell.method, _varied(cell)),
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
