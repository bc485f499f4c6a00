"""Fit of MNIST against KMeans.

`LSEC(10)` and `KMeans(10, n_init=1)` fit 70,000 x 784 pixels in turns, as loaded (uint8) and as
float32. The iterations of KMeans depend on the seed, so the ratio is that of the medians over all
seeds.
"""

from __future__ import annotations

from dataclasses import replace
from statistics import median

from benchmarks.harness.data import DATA
from benchmarks.pages.numbers import number
from benchmarks.pages.table import Table
from benchmarks.studies.figures import absence, at_most, column, runs_of, runs_table, targets_table
from benchmarks.studies.study import Cells, Session

TARGET = 1.0
TYPES = {"uint8": None, "float32": "float32"}


def run(session: Session) -> None:
    raw = DATA[session.plan.pick("mnist", "pendigits")]
    with session.attempt("mnist"):
        for name, dtype in TYPES.items():
            data = replace(raw, dtype=dtype)
            for seed in session.plan.seeds():
                for estimator in ("LSEC", "KMeans"):
                    session.fit(f"{name}/{estimator}/{seed}", data, estimator, seed)


def tables(cells: Cells) -> list[Table]:
    if "mnist/not run" in cells:
        return [targets_table([("MNIST", absence(cells, "mnist"), f"at most {TARGET}", "-")])]
    rows, groups = [], {}
    for name in TYPES:
        ours, theirs = runs_of(cells, f"{name}/LSEC"), runs_of(cells, f"{name}/KMeans")
        ratio = median(column(ours, "seconds")) / median(column(theirs, "seconds"))
        verdict = at_most(ratio, TARGET)
        rows.append((f"LSEC / KMeans, {name}", number(ratio), f"at most {TARGET}", verdict))
        groups |= {f"LSEC, {name}": ours, f"KMeans, {name}": theirs}
    return [targets_table(rows), runs_table("Runs", "method and input", groups)]
