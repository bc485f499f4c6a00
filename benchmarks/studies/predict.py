"""Labels for new rows of FL.

`LSEC(13)` is fitted to FL-20M and labels 10,000,000 rows of FL that it has not seen, in the same
process. Both input arrays are taken off the peak memory.
"""

from __future__ import annotations

from statistics import median

from benchmarks.harness import study_tasks
from benchmarks.harness.data import DATA
from benchmarks.harness.process import measure
from benchmarks.pages.numbers import mebibytes, number, percent
from benchmarks.pages.table import Table
from benchmarks.studies.figures import (
    above_input,
    at_most,
    median_of,
    runs_of,
    table,
    targets_table,
)
from benchmarks.studies.study import Cells, Session

TARGET = 0.5


def run(session: Session) -> None:
    rows = session.plan.pick(20_000_000, 100_000)
    seen, new = DATA["fl"].sized(rows), DATA["fl"].sized(rows // 2, random_state=1)
    for repeat in session.plan.repeats(2):
        session.cell(f"run/{repeat}", lambda seed=repeat: fit_and_predict(session, seen, new, seed))


def fit_and_predict(session: Session, seen, new, seed: int) -> dict:
    done = measure(
        study_tasks.fit_and_predict,
        folder=session.folder(seen),
        new_folder=session.folder(new),
        estimator="LSEC",
        parameters={
            "n_clusters": seen.n_clusters,
            "random_state": seed,
            **session.plan.parameters("LSEC"),
        },
        thorough=not session.plan.small,
    )
    fit, predict = done.seconds("fit")[0], done.seconds("predict")[0]
    memory = {"peak_bytes": done.peak_bytes, "before_bytes": done.before_bytes}
    return {"fit_seconds": fit, "predict_seconds": predict, **memory, **done.result}


def tables(cells: Cells) -> list[Table]:
    runs = runs_of(cells, "run")
    ratios = [per_row(run, "predict", "n_new_rows") / per_row(run, "fit", "n_rows") for run in runs]
    value = median_of(ratios)
    verdict = at_most(median(ratios), TARGET)
    rows = [
        (
            f"{run['n_rows']:,} / {run['n_new_rows']:,}",
            number(run["fit_seconds"]),
            number(run["predict_seconds"]),
            number(per_row(run, "fit", "n_rows")),
            number(per_row(run, "predict", "n_new_rows")),
            mebibytes(above_input(run)),
            percent([run["acc"]]),
            percent([run["nmi"]]),
        )
        for run in runs
    ]
    columns = ("rows fitted / predicted", "fit s", "predict s", "fit ns/row", "predict ns/row")
    scores = ("peak above input", "ACC % of new rows", "NMI % of new rows")
    return [
        targets_table([("predict / fit, time per row", value, f"at most {TARGET}", verdict)]),
        table("Runs", (*columns, *scores), rows),
    ]


def per_row(run: dict, what: str, rows: str) -> float:
    """Nanoseconds per row."""
    return 1e9 * run[f"{what}_seconds"] / run[rows]
