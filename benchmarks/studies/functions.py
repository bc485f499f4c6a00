"""The members of LSEC joined by every consensus function.

`LSEC` with default members, fitted once a seed; the same members joined by each function, with the
true number of clusters. A dash stands for a function that was not run: on MNIST those that walk
from each micro-cluster, on Covertype also those that compare all pairs. For information: there are
no targets.
"""

from __future__ import annotations

from statistics import mean

from benchmarks.harness import study_tasks
from benchmarks.harness.data import DATA, PAPER_SETS
from benchmarks.harness.process import measure
from benchmarks.pages.numbers import number, percent
from benchmarks.pages.table import Table
from benchmarks.paper.printed import lsec_paper
from benchmarks.studies.figures import absence, runs_of, table
from benchmarks.studies.study import Cells, Session

METHODS = ("bipartite", "linkage", "lwgp", "lwea", "eac", "ptgp", "pta", "kcc", "sec")
LEFT_OUT = {"mnist": ("ptgp", "pta"), "covertype": ("lwea", "eac", "ptgp", "pta")}
LARGE_SEEDS = 3
RESUMABLE = True


def run(session: Session) -> None:
    plan = session.plan
    for key in plan.chosen(plan.pick(PAPER_SETS, ["pendigits"])):
        with session.attempt(key):
            for seed in plan.seeds(LARGE_SEEDS if DATA[key].made else 5):
                session.cell(f"{key}/{seed}", lambda key=key, seed=seed: join(session, key, seed))


def join(session: Session, key: str, seed: int) -> dict:
    data = DATA[key]
    parameters = {"n_clusters": data.n_clusters, **session.plan.parameters("LSEC")}
    methods = [m for m in METHODS if m not in LEFT_OUT.get(key, ())]
    asked = {"folder": session.folder(data), "parameters": parameters, "methods": methods}
    return measure(study_tasks.join_all, seed=seed, **asked).record()


def tables(cells: Cells) -> list[Table]:
    return [
        score_table(cells, "acc", "ACC %"),
        score_table(cells, "nmi", "NMI %"),
        time_table(cells),
    ]


def score_table(cells: Cells, score: str, title: str) -> Table:
    rows = []
    averages: dict[str, list[float]] = {method: [] for method in METHODS}
    printed = []
    for key in PAPER_SETS:
        runs = runs_of(cells, key)
        paper = lsec_paper()[key, "LSEC"].score(score).mean
        if not runs:
            rows.append((DATA[key].title, absence(cells, key), *["-"] * (1 + len(METHODS))))
            continue
        printed.append(paper)
        row = [DATA[key].title, len(runs), f"{paper:.2f}"]
        for method in METHODS:
            found = [
                r["joined"][method][score] for r in runs if score in r["joined"].get(method, {})
            ]
            row.append(percent(found) if found else "-")
            if found:
                averages[method].append(mean(found))
        rows.append(tuple(row))
    if printed:
        full = [f"{mean(a):.2f}" if len(a) == len(printed) else "-" for a in averages.values()]
        rows.append(("average", "-", f"{mean(printed):.2f}", *full))
    return table(title, ("data", "seeds", "LSEC, printed", *METHODS), rows)


def values(runs: list[dict], method: str, name: str) -> list[float]:
    """A number of every run in which a function was run."""
    return [run["joined"][method][name] for run in runs if name in run["joined"].get(method, {})]


def time_table(cells: Cells) -> Table:
    rows = []
    for key in PAPER_SETS:
        runs = runs_of(cells, key)
        if not runs:
            continue
        row = [DATA[key].title, f"{max(r['n_micro_clusters'] for r in runs):,}"]
        for method in METHODS:
            taken = values(runs, method, "seconds")
            row.append(number(mean(taken)) if taken else "-")
        rows.append(tuple(row))
    columns = ("data", "micro-clusters", *METHODS)
    return table("Seconds of the consensus function alone", columns, rows)
