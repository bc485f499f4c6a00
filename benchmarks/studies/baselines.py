"""DnC-SC and U-SENC against their printed scores.

`DnCSC` and `USENC` with default parameters; mean ± standard deviation over the seeds. A score is
met when the mean is at least the printed mean less two printed standard deviations. The printed ACC
of DnC-SC on SF-2M lost a digit and is not judged. The paper of U-SENC uses another USPS, NMI by the
maximum and purity. The program behind the printed scores of DnC-SC squares distances twice, and the
paper has alpha = 50: `DnCSC(kernel="quartic", alpha=50)` is run as well.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import mean
from typing import Any

from benchmarks.harness.data import DATA, PAPER_SETS
from benchmarks.pages.numbers import percent
from benchmarks.pages.table import Table, Verdict
from benchmarks.paper.printed import Printed, lsec_paper
from benchmarks.studies.figures import absence, at_least, column, runs_of, table
from benchmarks.studies.quality import COSTS, costs
from benchmarks.studies.study import Cells, Session

LARGE_SEEDS = 3
JUDGED = ("printed", "floor", "verdict")


@dataclass(frozen=True)
class Baseline:
    """An estimator as it comes, or with parameters changed."""

    key: str
    title: str
    paper_name: str
    estimator: str
    parameters: dict[str, Any] = field(default_factory=dict)


BASELINES = [
    Baseline("DnCSC", "DnC-SC", "DnC-SC", "DnCSC"),
    Baseline(
        "DnCSC-quartic",
        "DnC-SC with the kernel of the authors' program",
        "DnC-SC",
        "DnCSC",
        {"kernel": "quartic", "alpha": 50},
    ),
    Baseline("USENC", "U-SENC", "U-SENC", "USENC"),
]
OWN_PAPER = "usps_balanced", "USENC"  # the set that only the paper of U-SENC has, and its scores
OWN_SCORES = {"purity": Printed(78.17, 3.05), "nmi_max": Printed(73.89, 1.82)}
RESUMABLE = True


def run(session: Session) -> None:
    plan = session.plan
    for key in plan.chosen(plan.pick(list(DATA), ["pendigits"])):
        ours = [b for b in BASELINES if key in PAPER_SETS or (key, b.key) == OWN_PAPER]
        with session.attempt(key):
            for seed in plan.seeds(LARGE_SEEDS if DATA[key].made else 5):
                for b in ours:
                    name = f"{key}/{b.key}/{seed}"
                    session.fit(name, DATA[key], b.estimator, seed, **b.parameters)


def tables(cells: Cells) -> list[Table]:
    shown = []
    for b in BASELINES:
        rows = []
        for key in PAPER_SETS:
            paper = lsec_paper()[key, b.paper_name]
            rows.append(row(cells, key, b.key, {"acc": paper.acc, "nmi": paper.nmi}))
        columns = ("data", "ACC %", *JUDGED, "NMI %", *JUDGED, *COSTS)
        shown.append(table(f"{b.title}, against the LSEC paper", columns, rows))
    key, baseline = OWN_PAPER
    rows = [row(cells, key, baseline, OWN_SCORES)]
    columns = ("data", "purity %", *JUDGED, "NMI (max) %", *JUDGED, *COSTS)
    return [*shown, table("U-SENC against its own paper", columns, rows)]


def row(cells: Cells, key: str, baseline: str, printed: dict[str, Printed | None]) -> tuple:
    runs = runs_of(cells, f"{key}/{baseline}")
    if not runs:
        return (DATA[key].title, absence(cells, key), *["-"] * (7 + len(COSTS)))
    judged = []
    for name, paper in printed.items():
        assert paper is not None  # all three methods are printed for every set
        judged += judge(column(runs, name), paper)
    return (DATA[key].title, *judged, *costs(runs))


def judge(scores: list[float], printed: Printed) -> tuple:
    """The scores beside the printed mean and its floor, two standard deviations below.

    Means are rounded as the papers round them.
    """
    text = f"{printed.mean:.2f} ± {printed.sd:.2f}"
    if printed.misprint:
        return percent(scores), f"{text} (misprint)", "-", Verdict.NOT_JUDGED
    floor = round(printed.mean - 2 * printed.sd, 2)
    return percent(scores), text, f"{floor:.2f}", at_least(round(mean(scores), 2), floor)
