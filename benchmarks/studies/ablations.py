"""LSEC with one part changed.

`LSEC` as it is; with a search of its own for every member; with k-means on all rows instead of a
sample; and with the kernel of the authors' program. Seeds 0, 1, ..., the variants in turns. For
information: there are no targets.
"""

from __future__ import annotations

from statistics import median

from benchmarks.harness.data import DATA
from benchmarks.pages.numbers import number
from benchmarks.pages.table import Table
from benchmarks.studies.figures import RUN_COLUMNS, absence, column, run_entries, runs_of, table
from benchmarks.studies.study import Cells, Session

KEYS = ["pendigits", "mnist"]
VARIANTS = {
    "default": {},
    "reuse_neighbors=False": {"reuse_neighbors": False},
    'discretization="kmeans"': {"discretization": "kmeans"},
    'kernel="quartic"': {"kernel": "quartic"},
}
RESUMABLE = True


def run(session: Session) -> None:
    plan = session.plan
    names = plan.pick(list(VARIANTS), list(VARIANTS)[:2])
    for key in plan.chosen(plan.pick(KEYS, KEYS[:1])):
        with session.attempt(key):
            for seed in plan.seeds():
                for name in names:
                    session.fit(f"{key}/{name}/{seed}", DATA[key], "LSEC", seed, **VARIANTS[name])


def tables(cells: Cells) -> list[Table]:
    return [variants(key, cells) for key in KEYS]


def variants(key: str, cells: Cells) -> Table:
    rows = []
    default = runs_of(cells, f"{key}/default")
    for name in VARIANTS:
        runs = runs_of(cells, f"{key}/{name}")
        if runs and default:
            ratio = median(column(runs, "seconds")) / median(column(default, "seconds"))
            rows.append((name, *run_entries(runs), number(ratio)))
        else:
            rows.append((name, absence(cells, key), *["-"] * len(RUN_COLUMNS)))
    return table(DATA[key].title, ("variant", *RUN_COLUMNS, "time / default"), rows)
