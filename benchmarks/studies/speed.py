"""Fit of FL-20M against KMeans.

`LSEC(13)` and scikit-learn's `KMeans(13, n_init=1)` fit the same 20,000,000 x 2 float32 array in
turns, each repeat with its own seed; the ratio is the median of the pairs.
"""

from __future__ import annotations

from statistics import median

from benchmarks.harness.data import DATA
from benchmarks.pages.numbers import number
from benchmarks.pages.table import Table
from benchmarks.studies.figures import (
    at_most,
    column,
    median_of,
    pair_ratios,
    runs_of,
    runs_table,
    table,
    targets_table,
)
from benchmarks.studies.study import Cells, Session

TARGET, AIM = 1.3, 1.0


def run(session: Session) -> None:
    flower = DATA["fl"].sized(session.plan.pick(20_000_000, 100_000))
    for repeat in session.plan.repeats():
        for estimator in ("LSEC", "KMeans"):
            session.fit(f"{estimator}/{repeat}", flower, estimator, seed=repeat)


def tables(cells: Cells) -> list[Table]:
    ours, theirs = runs_of(cells, "LSEC"), runs_of(cells, "KMeans")
    ratios = pair_ratios(ours, theirs)
    value = median_of(ratios)
    target = f"at most {TARGET}, aim {AIM}"
    return [
        targets_table(
            [("LSEC / KMeans, time of fit", value, target, at_most(median(ratios), TARGET))]
        ),
        runs_table("Runs", "method", {"LSEC": ours, "KMeans": theirs}),
        stage_table(ours),
    ]


def stage_table(runs: list[dict]) -> Table:
    """Where the time of the fits goes."""
    rows = []
    for stage in runs[0]["timings"]:
        seconds = [run["timings"][stage] for run in runs]
        share = median(seconds) / median(column(runs, "seconds"))
        rows.append((stage, number(median(seconds)), f"{100 * share:.0f} %"))
    return table("Stages of LSEC", ("stage", "seconds (median)", "share of the fit"), rows)
