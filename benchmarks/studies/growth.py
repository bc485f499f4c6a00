"""Fit of FL-20M against FL-2M.

`LSEC(13)` fits 20,000,000 and 2,000,000 rows of FL in turns; the ratio of the times is the median
of the pairs. Linear growth would be 10.
"""

from __future__ import annotations

from statistics import median

from benchmarks.harness.data import DATA
from benchmarks.pages.table import Table
from benchmarks.studies.figures import (
    at_most,
    median_of,
    pair_ratios,
    runs_of,
    runs_table,
    targets_table,
)
from benchmarks.studies.study import Cells, Session

TARGET = 11.0


def run(session: Session) -> None:
    rows = session.plan.pick(20_000_000, 100_000)
    for repeat in session.plan.repeats():
        for name, size in (("many", rows), ("few", rows // 10)):
            session.fit(f"{name}/{repeat}", DATA["fl"].sized(size), "LSEC", seed=repeat)


def tables(cells: Cells) -> list[Table]:
    many, few = runs_of(cells, "many"), runs_of(cells, "few")
    ratios = pair_ratios(many, few)
    value = median_of(ratios)
    verdict = at_most(median(ratios), TARGET)
    groups = {f"{runs[0]['n_rows']:,}": runs for runs in (many, few)}
    return [
        targets_table([("time of ten times the rows", value, f"at most {TARGET:g}", verdict)]),
        runs_table("Runs", "rows", groups),
    ]
