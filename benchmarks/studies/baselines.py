"""DnC-SC and U-SENC against what the papers print for them."""

from __future__ import annotations

from statistics import mean

from benchmarks.published import LSEC_PAPER, USENC_PAPER, Printed, Scores
from benchmarks.session import Session, Study
from benchmarks.studies.quality import COSTS, costs
from benchmarks.tables import Cells, Table, Verdict, absence, at_least, column, per_cent, runs_of
from lsec.bench.data import DATA, PAPER_SETS

LARGE_SEEDS = 3
METHODS = {"DnCSC": "DnC-SC", "USENC": "U-SENC"}
JUDGED = ("printed", "floor", "verdict")


def run(session: Session) -> None:
    plan = session.plan
    for key in plan.chosen(plan.pick(list(DATA), ["pendigits"])):
        methods = METHODS if key in PAPER_SETS else ["USENC"]
        with session.attempt(key):
            for seed in plan.seeds(LARGE_SEEDS if DATA[key].made else 5):
                for method in methods:
                    session.fit(f"{key}/{method}/{seed}", DATA[key], method, seed)


def tables(cells: Cells) -> list[Table]:
    shown = []
    for method, title in METHODS.items():
        printed = LSEC_PAPER[method]
        rows = [row(cells, key, method, printed[key], ("acc", "nmi")) for key in PAPER_SETS]
        columns = ("data", "ACC %", *JUDGED, "NMI %", *JUDGED, *COSTS)
        shown.append(Table(f"{title} against the LSEC paper", columns, rows))
    own = USENC_PAPER["usps_balanced"]
    rows = [row(cells, "usps_balanced", "USENC", own, ("purity", "nmi_max"))]
    columns = ("data", "purity %", *JUDGED, "NMI (max) %", *JUDGED, *COSTS)
    return [*shown, Table("U-SENC against its own paper", columns, rows)]


def row(cells: Cells, key: str, method: str, printed: Scores, names: tuple[str, str]) -> tuple:
    runs = runs_of(cells, f"{key}/{method}")
    if not runs:
        return (DATA[key].title, absence(cells, key), *["-"] * (7 + len(COSTS)))
    judged = []
    for name, value in zip(names, printed, strict=True):
        judged += judge(column(runs, name), value)
    return (DATA[key].title, *judged, *costs(runs))


def judge(scores: list[float], printed: Printed) -> tuple:
    """The scores beside the printed mean and its floor, two standard deviations below.

    Means are rounded as the papers round them.
    """
    text = f"{printed.mean:.2f} ± {printed.sd:.2f}"
    if printed.misprint:
        return per_cent(scores), f"{text} (misprint)", "-", Verdict.NOT_JUDGED
    floor = round(printed.mean - 2 * printed.sd, 2)
    return per_cent(scores), text, f"{floor:.2f}", at_least(round(mean(scores), 2), floor)


STUDY = Study(
    name="baselines",
    title="DnC-SC and U-SENC against their printed scores",
    text=(
        "`DnCSC` and `USENC` with default parameters; mean ± standard deviation over the seeds. A "
        "score is met when the mean is at least the printed mean less two printed standard "
        "deviations. The printed ACC of DnC-SC on SF-2M lost a digit and is not judged. The paper "
        "of U-SENC uses another USPS, NMI by the maximum and purity."
    ),
    run=run,
    tables=tables,
    resumable=True,
)
