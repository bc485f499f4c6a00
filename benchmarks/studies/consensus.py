"""Every consensus function on 20 million rows.

The base labels of one `LSEC(13)` of FL-20M (20,000,000 x 20) are loaded into a fresh process;
micro-clusters and then one consensus function run under the clock. Peak memory is that of the
process, the labels (381 MiB) included. The last target is a bipartite consensus of 20 k-means
clusterings of PenDigits, for which a published Python package takes about 45 CPU seconds.
"""

from __future__ import annotations

from statistics import median

from benchmarks.harness import study_tasks
from benchmarks.harness.data import DATA
from benchmarks.harness.process import measure
from benchmarks.pages.numbers import gibibytes, number, percent
from benchmarks.pages.table import Table
from benchmarks.studies.figures import at_most, column, runs_of, table, targets_table
from benchmarks.studies.study import Cells, Session

METHODS = ("bipartite", "linkage", "lwgp", "kcc", "sec", "eac", "lwea", "ptgp", "pta")
MOST_SECONDS = 10.0
MOST_MEMORY = 4 * 2**30
PEER_CPU_SECONDS = 1.0


def run(session: Session) -> None:
    flower = DATA["fl"].sized(session.plan.pick(20_000_000, 100_000))
    members = {"n_clusters": 13, "random_state": 0, **session.plan.parameters("LSEC")}
    join_each(session, "fl", flower, "LSEC", members, METHODS)
    k_means = {"n_clusters": 10, "random_state": 0}
    join_each(session, "pendigits", DATA["pendigits"], "EnsembleClustering", k_means, METHODS[:1])


def join_each(session: Session, name: str, data, estimator: str, parameters: dict, methods) -> None:
    folder = session.folder(data)
    make = {"folder": folder, "estimator": estimator, "parameters": parameters}
    measure(study_tasks.make_labels, **make)
    for method in methods:
        for repeat in session.plan.repeats(1):
            asked = {"method": method, "n_clusters": data.n_clusters, "seed": repeat}

            def join(asked=asked) -> dict:
                done = measure(study_tasks.join_labels, folder=folder, **asked)
                micro = done.seconds("micro-clusters")[0]
                return {"micro_seconds": micro, **done.record("join")}

            session.cell(f"{name}/{method}/{repeat}", join)


def tables(cells: Cells) -> list[Table]:
    groups = {method: runs_of(cells, f"fl/{method}") for method in METHODS}
    groups = {method: runs for method, runs in groups.items() if runs}
    every = [run for runs in groups.values() for run in runs]
    micro = median(column(every, "micro_seconds"))
    rows: list[tuple] = [
        (
            "micro-clusters of FL-20M, seconds",
            number(micro),
            f"at most {MOST_SECONDS:g}",
            at_most(micro, MOST_SECONDS),
        )
    ]
    for method, runs in groups.items():
        seconds = median(column(runs, "seconds"))
        peak = max(run["peak_bytes"] for run in runs)
        rows += [
            (
                f"{method}, seconds",
                number(seconds),
                f"at most {MOST_SECONDS:g}",
                at_most(seconds, MOST_SECONDS),
            ),
            (f"{method}, peak memory", gibibytes(peak), "under 4 GiB", at_most(peak, MOST_MEMORY)),
        ]
    rows += peer_row(runs_of(cells, "pendigits/bipartite"))
    scores = []
    for method, runs in groups.items():
        quality = percent(column(runs, "acc")), percent(column(runs, "nmi"))
        sure = number(runs[0]["confidence"])
        scores.append((method, runs[0]["n_micro_clusters"], *quality, sure))
    columns = ("function", "micro-clusters", "ACC %", "NMI %", "mean confidence")
    return [targets_table(rows), table("FL-20M, members of one LSEC", columns, scores)]


def peer_row(runs: list[dict]) -> list[tuple]:
    """Row of the bipartite consensus of k-means clusterings of PenDigits."""
    if not runs:
        return []
    spent = median(column(runs, "cpu_seconds"))
    name = "bipartite, PenDigits x 20 k-means, CPU seconds"
    target = f"at most {PEER_CPU_SECONDS:g}"
    return [(name, number(spent), target, at_most(spent, PEER_CPU_SECONDS))]
