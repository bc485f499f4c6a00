"""Rows on the workers of a Dask cluster.

`LSEC(11)` fits 10 million rows of CG on the threads of one process and on a `LocalCluster` of two
processes with one thread each, in turns; the ratio is the median of the pairs. Rows lie on the
workers in chunks of a million before the clock starts ("cluster"), or are read by them from a file
in every sweep ("cluster, lazy chunks"); the clock stops when all labels are there.
"""

from __future__ import annotations

from statistics import median

from benchmarks.harness import study_tasks
from benchmarks.harness.data import DATA
from benchmarks.harness.process import measure
from benchmarks.pages.numbers import number, numbers
from benchmarks.pages.table import Table
from benchmarks.studies.figures import at_most, holds, table, targets_table
from benchmarks.studies.study import Cells, Session

SEED = 0
MOST_TIMES = 1.5
THREADS, CLUSTER, LAZY = "threads", "cluster", "cluster, lazy chunks"


def run(session: Session) -> None:
    rows = session.plan.pick(10_000_000, 200_000)
    data = DATA["cg"].sized(rows)
    parameters = {"n_clusters": data.n_clusters, "random_state": SEED}
    parameters |= session.plan.parameters("LSEC")
    chunk = session.plan.pick(1_000_000, 70_000)

    def fit() -> dict:
        asked = {"folder": session.folder(data), "parameters": parameters, "chunk": chunk}
        done = measure(study_tasks.fit_both, repeats=len(session.plan.repeats()), **asked)
        seconds = {name: done.seconds(name) for name in (THREADS, CLUSTER, LAZY)}
        return {**done.result, "seconds": seconds}

    session.cell("both", fit)


def tables(cells: Cells) -> list[Table]:
    if "both" not in cells:
        return []
    both = cells["both"]
    seconds = both["seconds"]
    ratios = [c / t for c, t in zip(seconds[CLUSTER], seconds[THREADS], strict=True)]
    times = median(ratios)
    value = f"{number(times)} (all: {numbers(ratios)})"
    same = all(other == both["hashes"][THREADS] for other in both["hashes"].values())
    targets = [
        (
            "time on the cluster / on threads",
            value,
            f"at most {MOST_TIMES}",
            at_most(times, MOST_TIMES),
        ),
        ("labels", "same" if same else "differ", "same", holds(same)),
    ]
    rows = [(name, numbers(seconds[name]), both["hashes"][name]) for name in seconds]
    stages = sorted(set(both["stages"][THREADS]) | set(both["stages"][CLUSTER]))
    times_of = [
        (stage, *(number(both["stages"][name].get(stage, 0.0)) for name in (THREADS, CLUSTER)))
        for stage in stages
    ]
    return [
        targets_table(targets),
        table(f"Runs, {both['n_rows']:,} rows", ("where", "seconds", "labels (hash)"), rows),
        table("Seconds per stage, last run", ("stage", THREADS, CLUSTER), times_of),
    ]
