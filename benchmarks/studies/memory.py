"""Peak memory of a fit of FL-20M.

`LSEC(13)` fits FL-20M with the default `memory_limit` and with `512MiB`, same seed; `KMeans` for
comparison. The base labels alone, 20 bytes a row, take 381 MiB.
"""

from __future__ import annotations

from benchmarks.harness.data import DATA
from benchmarks.pages.numbers import gibibytes
from benchmarks.pages.table import Table
from benchmarks.studies.figures import (
    above_input,
    at_most,
    holds,
    runs_of,
    runs_table,
    targets_table,
)
from benchmarks.studies.study import Cells, Session

GIB = 2**30
TARGETS = {"default": 2.0, "512MiB": 1.2}


def run(session: Session) -> None:
    flower = DATA["fl"].sized(session.plan.pick(20_000_000, 100_000))
    for repeat in session.plan.repeats(1):
        session.fit(f"default/{repeat}", flower, "LSEC", seed=0)
        session.fit(f"512MiB/{repeat}", flower, "LSEC", seed=0, memory_limit="512MiB")
        if not session.plan.small:
            session.fit(f"KMeans/{repeat}", flower, "KMeans", seed=0)


def tables(cells: Cells) -> list[Table]:
    groups = {name: runs_of(cells, name) for name in (*TARGETS, "KMeans")}
    rows = []
    for name, target in TARGETS.items():
        peak = max(map(above_input, groups[name]))
        verdict = at_most(peak, target * GIB)
        rows.append(
            (f"peak above input, {name}", gibibytes(peak), f"at most {target} GiB", verdict)
        )
    same = len({run["labels"] for name in TARGETS for run in groups[name]}) == 1
    rows.append(("labels with both limits", "same" if same else "differ", "same", holds(same)))
    return [targets_table(rows), runs_table("Runs", "memory_limit, or method", groups)]
