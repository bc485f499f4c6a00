"""LSEC on the data sets of the paper.

Raw features, default parameters, MNIST as float32; mean ± standard deviation over the seeds 0, 1,
..., and the lowest ACC of a seed. Targets hold for the means and, where one is given, for the worst
seed; scores are rounded to the decimals of the target, at least one. Beside it what the paper
prints for LSEC. USPS is the smoothed version, and the balanced version with 11,000 rows; the
synthetic sets are drawn once, with seed 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import mean

from benchmarks.harness.data import DATA
from benchmarks.pages.numbers import mebibytes, number, percent
from benchmarks.pages.table import Table
from benchmarks.paper.printed import lsec_paper
from benchmarks.studies.figures import above_input, absence, column, holds, runs_of, table
from benchmarks.studies.study import Cells, Session


@dataclass(frozen=True)
class Target:
    """Least scores in percent.

    Attributes
    ----------
    acc, nmi : float
        Of the means over the seeds.
    worst : float or None
        Of the ACC of every seed.
    """

    acc: float
    nmi: float
    worst: float | None = None


TARGETS = {
    "pendigits": Target(88.7, 86.5, 87),
    "usps": Target(95.8, 90, 95),
    "usps_balanced": Target(86, 82),
    "letters": Target(38.5, 52.5),
    "mnist": Target(95.5, 90, 94),
    "covertype": Target(26, 13),
    "tb": Target(99.78, 97.7, 99.7),
    "sf": Target(98.8, 94.2, 98.5),
    "cc": Target(99.99, 99.9, 99.9),
    "cg": Target(98.2, 95.3, 98),
    "fl": Target(99.4, 98.6, 98),
}
JUDGED = ("target", "verdict")
COLUMNS = ("data", "ACC %", "worst ACC %", *JUDGED, "NMI %", *JUDGED, "paper ACC / NMI")
COSTS = ("s per fit", "CPU s", "peak above input", "seeds")
SEEDS = 10
SMALL_ROWS = 50_000
RESUMABLE = True


def run(session: Session) -> None:
    plan = session.plan
    for key in plan.chosen(plan.pick(list(TARGETS), ["pendigits", "tb"])):
        data = DATA[key].as_float32() if key == "mnist" else DATA[key]
        if plan.small and data.made:
            data = data.sized(SMALL_ROWS)
        with session.attempt(key):
            for seed in plan.seeds(SEEDS):
                session.fit(f"{key}/{seed}", data, "LSEC", seed)


def tables(cells: Cells) -> list[Table]:
    rows = [row(key, runs_of(cells, key), cells) for key in TARGETS]
    return [table("LSEC with defaults", (*COLUMNS, *COSTS), rows)]


def row(key: str, runs: list[dict], cells: Cells) -> tuple:
    printed, title, target = lsec_paper().get((key, "LSEC")), DATA[key].title, TARGETS[key]
    paper = f"{printed.acc.mean} / {printed.nmi.mean}" if printed else "-"
    if not runs:
        return (title, absence(cells, key), *["-"] * 6, paper, *["-"] * len(COSTS))
    acc, nmi = column(runs, "acc"), column(runs, "nmi")
    goal = f"at least {target.acc:g}"
    reached = reaches(mean(acc), target.acc)
    if target.worst is not None:
        goal += f", worst {target.worst:g}"
        reached = reached and reaches(min(acc), target.worst)
    of_acc = percent(acc), f"{min(acc):.2f}", goal, holds(reached)
    of_nmi = percent(nmi), f"at least {target.nmi:g}", holds(reaches(mean(nmi), target.nmi))
    return (title, *of_acc, *of_nmi, paper, *costs(runs))


def reaches(score: float, target: float) -> bool:
    """Whether a score, rounded to the decimals of the target, reaches it.

    A target without decimals is taken to have one.

    >>> reaches(99.776, 99.78), reaches(99.774, 99.78), reaches(89.96, 90), reaches(89.9, 90)
    (True, False, True, False)
    """
    decimals = len(f"{target:g}".partition(".")[2])
    return round(score, max(1, decimals)) >= target


def costs(runs: list[dict]) -> tuple[str, ...]:
    """Time and memory of the fits, under `COSTS`."""
    return (
        number(mean(column(runs, "seconds"))),
        number(mean(column(runs, "cpu_seconds"))),
        mebibytes(max(map(above_input, runs))),
        str(len(runs)),
    )
