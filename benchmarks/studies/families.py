"""Consensus functions on data sets beside those of the paper.

Eleven synthetic families (`benchmarks/harness/families.py`: 60,000 rows; shapes, unequal sizes and
densities, heavy tails). `LSEC` with default members, fitted once a seed, its members joined by each
function with the true number of clusters, and with `auto`. For information: there are no targets.
"""

from __future__ import annotations

from statistics import mean

from benchmarks.harness import study_tasks
from benchmarks.harness.families import FAMILIES, ROWS
from benchmarks.harness.process import measure
from benchmarks.pages.numbers import number, percent
from benchmarks.pages.table import Table
from benchmarks.studies.figures import NOT_YET, runs_of, table
from benchmarks.studies.study import Cells, Session

METHODS = ("bipartite", "linkage", "lwgp")  # those whose memory is linear
SEEDS = 3
NEAR = 0.2  # of the true number of clusters
RESUMABLE = True


def run(session: Session) -> None:
    for name in session.plan.pick(list(FAMILIES), ["moons"]):
        for seed in session.plan.seeds(SEEDS):
            asked = {"name": name, "seed": seed, "methods": METHODS}
            asked |= {"rows": session.plan.pick(ROWS, 5000)}
            asked |= {"members": session.plan.parameters("LSEC")}
            session.cell(f"{name}/{seed}", lambda asked=asked: join(asked))


def join(asked: dict) -> dict:
    return measure(study_tasks.join_family, **asked).record()


def tables(cells: Cells) -> list[Table]:
    return [score_table(cells), choice_table(cells)]


def value(run: dict, method: str) -> float:
    """Mean of ACC and NMI."""
    return (run["joined"][method]["acc"] + run["joined"][method]["nmi"]) / 2


def score_table(cells: Cells) -> Table:
    rows: list[tuple] = []
    means: dict[str, list[float]] = {method: [] for method in METHODS}
    for name in FAMILIES:
        runs = runs_of(cells, name)
        if not runs:
            rows.append((name, NOT_YET, *["-"] * len(METHODS)))
            continue
        found = {method: [value(run, method) for run in runs] for method in METHODS}
        for method in METHODS:
            means[method].append(mean(found[method]))
        rows.append((name, runs[0]["n_clusters"], *map(percent, found.values())))
    if means["linkage"]:
        rows.append(("average", "-", *(f"{mean(of):.2f}" for of in means.values())))
        gains = {
            m: [a - b for a, b in zip(of, means["bipartite"], strict=True)]
            for m, of in means.items()
        }
        for title, counts in (
            ("families more than a point above bipartite", lambda gain: gain > 1),
            ("families more than a point below bipartite", lambda gain: gain < -1),
        ):
            rows.append((title, "-", *(sum(map(counts, of)) for of in gains.values())))
    return table("Mean of ACC and NMI, %", ("family", "clusters", *METHODS), rows)


def choice_table(cells: Cells) -> Table:
    runs = [run for name in FAMILIES for run in runs_of(cells, name)]
    rows = []
    for method in METHODS if runs else ():
        ratios = [run["joined"][method]["chosen"] / run["n_clusters"] for run in runs]
        exact = mean(ratio == 1 for ratio in ratios)
        near = mean(abs(ratio - 1) <= NEAR for ratio in ratios)
        rows.append((method, len(runs), number(exact, 2), number(near, 2)))
    columns = ("function", "runs", "share exact", "share within 20 %")
    return table('Number of clusters chosen by "auto"', columns, rows)
