"""LSEC on the ten data sets of the paper.

Raw features, default parameters; mean ± standard deviation over the seeds 0, 1, ..., held to the
targets by the mean. Beside it what the paper prints for LSEC. USPS is the smoothed version; the
synthetic sets are drawn once, with seed 0.
"""

from __future__ import annotations

from statistics import mean

from benchmarks.harness.data import DATA
from benchmarks.pages.numbers import mebibytes, number, percent
from benchmarks.pages.table import Table
from benchmarks.paper.printed import lsec_paper
from benchmarks.studies.figures import above_input, absence, at_least, column, runs_of, table
from benchmarks.studies.study import Cells, Session

TARGETS = {  # ACC, NMI
    "pendigits": (86.5, 84.5),
    "usps": (84.0, 84.0),
    "letters": (36.0, 48.3),
    "mnist": (77.5, 79.4),
    "covertype": (22.0, 11.6),
    "tb": (99.7, 97.4),
    "sf": (79.0, 79.0),
    "cc": (99.9, 99.8),
    "cg": (97.0, 94.5),
    "fl": (82.0, 91.0),
}
COLUMNS = ("data", "ACC %", "target", "verdict", "NMI %", "target", "verdict", "paper ACC / NMI")
COSTS = ("s per fit", "CPU s", "peak above input", "seeds")
RESUMABLE = True


def run(session: Session) -> None:
    plan = session.plan
    for key in plan.chosen(plan.pick(list(TARGETS), ["pendigits", "tb"])):
        data = DATA[key]
        if plan.small and data.made:
            data = data.sized(50_000)
        with session.attempt(key):
            for seed in plan.seeds():
                session.fit(f"{key}/{seed}", data, "LSEC", seed)


def tables(cells: Cells) -> list[Table]:
    rows = [row(key, runs_of(cells, key), cells) for key in TARGETS]
    return [table("LSEC with defaults", (*COLUMNS, *COSTS), rows)]


def row(key: str, runs: list[dict], cells: Cells) -> tuple:
    printed, title = lsec_paper()[key, "LSEC"], DATA[key].title
    paper = f"{printed.acc.mean} / {printed.nmi.mean}"
    if not runs:
        return (title, absence(cells, key), *["-"] * 5, paper, *["-"] * len(COSTS))
    judged = []
    for name, target in zip(("acc", "nmi"), TARGETS[key], strict=True):
        scores = column(runs, name)
        judged += [percent(scores), f"at least {target}", at_least(mean(scores), target)]
    return (title, *judged, paper, *costs(runs))


def costs(runs: list[dict]) -> tuple[str, ...]:
    """Time and memory of the fits, under `COSTS`."""
    return (
        number(mean(column(runs, "seconds"))),
        number(mean(column(runs, "cpu_seconds"))),
        mebibytes(max(map(above_input, runs))),
        str(len(runs)),
    )
