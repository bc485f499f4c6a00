"""The number of clusters that "auto" chooses.

`LSEC("auto")` on the data sets of the paper, synthetic ones with one or two million rows, rows as
float32; three seeds. The median over the seeds is compared with the number of classes. A class need
not be one cluster: the targets hold for the count of data sets.
"""

from __future__ import annotations

from statistics import median

from benchmarks.harness.data import DATA, DataSet
from benchmarks.pages.numbers import number, percent
from benchmarks.pages.table import Table
from benchmarks.studies.figures import absence, at_least, column, runs_of, table, targets_table
from benchmarks.studies.study import Cells, Session

ROWS = {
    "pendigits": None,
    "usps": None,
    "letters": None,
    "mnist": None,
    "covertype": None,
    "tb": 1_000_000,
    "sf": 2_000_000,
    "cc": 1_000_000,
    "cg": 2_000_000,
    "fl": 2_000_000,
}
SMALL_ROWS = 20_000
SEEDS = 3
LEAST_RIGHT, LEAST_NEAR = 6, 8
COLUMNS = ("data", "classes", "chosen", "median", "ACC %", "NMI %", "s per fit")
RESUMABLE = True


def run(session: Session) -> None:
    plan = session.plan
    for key in plan.chosen(plan.pick(list(ROWS), ["pendigits", "tb"])):
        data = data_set(key)
        if plan.small and data.made:
            data = data.sized(SMALL_ROWS)
        with session.attempt(key):
            for seed in plan.seeds(SEEDS):
                session.fit(f"{key}/{seed}", data, "LSEC", seed, n_clusters="auto")


def data_set(key: str) -> DataSet:
    rows = ROWS[key]
    return DATA[key].sized(rows) if rows else DATA[key].as_float32()


def tables(cells: Cells) -> list[Table]:
    chosen = {key: column(runs_of(cells, key), "n_clusters_found") for key in ROWS}
    off = [abs(median(found) - DATA[key].n_clusters) for key, found in chosen.items() if found]
    goals = [goal("right", off, 0, LEAST_RIGHT), goal("off by at most one", off, 1, LEAST_NEAR)]
    rows = [row(cells, key) for key in ROWS]
    return [targets_table(goals), table("Numbers of clusters", COLUMNS, rows)]


def goal(name: str, off: list[float], most: int, least: int) -> tuple:
    """The number of data sets whose median differs from the classes by at most `most`."""
    count = sum(distance <= most for distance in off)
    value, goal = f"{count} of {len(off)}", f"at least {least} of {len(ROWS)}"
    return (f"data sets with a median that is {name}", value, goal, at_least(count, least))


def row(cells: Cells, key: str) -> tuple:
    data, runs = data_set(key), runs_of(cells, key)
    if not runs:
        return (data.title, data.n_clusters, absence(cells, key), *["-"] * 4)
    chosen = column(runs, "n_clusters_found")
    scores = percent(column(runs, "acc")), percent(column(runs, "nmi"))
    taken = number(median(column(runs, "seconds")))
    shown = ", ".join(map(str, chosen))
    return (data.title, data.n_clusters, shown, f"{median(chosen):g}", *scores, taken)
