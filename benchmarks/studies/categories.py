"""Tables with categories and gaps, beside k-prototypes and one-hot encoding.

Tables of eight known groups: six numeric columns, eight categorical ones, both, and both with 20 %
of the categorical values missing, drawn anew for every seed. `LSEC(categorical_features=
"from_dtype")` with default parameters, `KMeans(n_init=5)` on scaled numbers and one column per
value, and k-prototypes (the package kmodes; k-modes without numbers, k-means without categories).
ACC in percent. Then the time of LSEC on a large table of both kinds against LSEC on its numeric
columns alone, in turns. A library that is not installed is left out.
"""

from __future__ import annotations

from statistics import mean, median

from benchmarks.harness.mixed_tables import (
    METHODS,
    NUMERIC_PART,
    TABLES,
    cluster_table,
    missing_package,
)
from benchmarks.harness.process import measure
from benchmarks.pages.numbers import number, percent
from benchmarks.pages.table import Table
from benchmarks.studies.figures import (
    absence,
    at_least,
    at_most,
    column,
    runs_of,
    table,
    targets_table,
)
from benchmarks.studies.study import Cells, NotLoaded, Session

OURS, OTHERS = METHODS[0], METHODS[1:]
SEEDS = 20
MOST_TIME = 3.0  # of LSEC on its numeric columns
RESUMABLE = True


def run(session: Session) -> None:
    plan = session.plan
    for name in TABLES:
        for method in METHODS:
            key = f"{name}/{method}"
            with session.attempt(key):
                if missing := missing_package(method):
                    raise NotLoaded(missing)
                for seed in plan.seeds(SEEDS):
                    cluster(session, f"{key}/{seed}", name, plan.pick(3000, 1000), method, seed)
    for repeat in plan.repeats(3):
        for name in (NUMERIC_PART, "both"):
            rows = plan.pick(1_000_000, 2000)
            cluster(session, f"time/{name}/{repeat}", name, rows, OURS, repeat)


def cluster(session: Session, key: str, name: str, n_rows: int, method: str, seed: int) -> None:
    asked = {"table": name, "n_rows": n_rows, "method": method, "seed": seed}
    session.cell(key, lambda: measure(cluster_table, **asked).record())


def tables(cells: Cells) -> list[Table]:
    rows = [(name, *(score(cells, name, method) for method in METHODS)) for name in TABLES]
    goals = [*(accuracy_goal(cells, name) for name in TABLES), time_goal(cells)]
    return [targets_table(goals), table("Mean ACC %", ("table", *METHODS), rows)]


def score(cells: Cells, name: str, method: str) -> str:
    runs = runs_of(cells, f"{name}/{method}")
    return percent(column(runs, "acc")) if runs else absence(cells, f"{name}/{method}")


def accuracy_goal(cells: Cells, name: str) -> tuple:
    """LSEC against the better of the others."""
    ours = runs_of(cells, f"{name}/{OURS}")
    others = [mean(column(runs, "acc")) for m in OTHERS if (runs := runs_of(cells, f"{name}/{m}"))]
    title = f"{name}: mean ACC of LSEC, %"
    if not ours or not others:
        return (title, absence(cells, f"{name}/{OURS}"), "at least that of the others", "-")
    found, least = mean(column(ours, "acc")), max(others)
    return (title, f"{found:.2f}", f"at least {least:.2f}", at_least(found, least))


def time_goal(cells: Cells) -> tuple:
    both, numeric = (runs_of(cells, f"time/{name}") for name in ("both", NUMERIC_PART))
    title, goal = "time of both kinds / numeric columns, a million rows", f"at most {MOST_TIME:g}"
    if not both or not numeric:
        return (title, "not yet", goal, "-")
    ratio = median(column(both, "seconds")) / median(column(numeric, "seconds"))
    return (title, number(ratio), goal, at_most(ratio, MOST_TIME))
