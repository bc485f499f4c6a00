"""Warm fits of small data sets.

One warm process runs `scipy.linalg.eigh` (top 40 of a symmetric 1000 x 1000 float64 matrix), `LSEC`
and `KMeans(n_init=1)` in turns, seed 0. The target holds for the median time of LSEC; the ratios to
`eigh`, medians of the turns, compare it with one dense eigenproblem of fixed size. Peak memory is
that of the process with all of them.
"""

from __future__ import annotations

from statistics import median

from benchmarks.harness import study_tasks
from benchmarks.harness.data import DATA
from benchmarks.harness.process import measure
from benchmarks.pages.numbers import mebibytes, number, numbers
from benchmarks.pages.table import Table
from benchmarks.studies.figures import (
    above_input,
    absence,
    at_most,
    median_of,
    table,
    targets_table,
)
from benchmarks.studies.study import Cells, Session

TARGET = 2.0  # seconds
KEYS = ["pendigits", "usps"]
ESTIMATORS = ("LSEC", "KMeans")
# With all threads, eigh can take a hundred times longer while another process holds a core.
EIGH_THREADS = {"eigh, one thread": 1, "eigh, all threads": None}


def run(session: Session) -> None:
    repeats = len(session.plan.repeats(7))
    for key in session.plan.pick(KEYS, KEYS[:1]):
        with session.attempt(key):
            session.cell(key, lambda key=key: interleave(session, key, repeats))


def interleave(session: Session, key: str, repeats: int) -> dict:
    data, plan = DATA[key], session.plan
    common = {"n_clusters": data.n_clusters, "random_state": 0}
    done = measure(
        study_tasks.interleave,
        folder=session.folder(data),
        settings={name: {**common, **plan.parameters(name)} for name in ESTIMATORS},
        eigh_threads=plan.pick(EIGH_THREADS, {"eigh, one thread": 1}),
        repeats=repeats,
    )
    seconds = {lap: done.seconds(lap) for lap in done.laps}
    return {"seconds": seconds, "peak_bytes": done.peak_bytes, **done.result}


def tables(cells: Cells) -> list[Table]:
    goals, rows = [], []
    for key in KEYS:
        title = DATA[key].title
        if key in cells:
            goals += goals_of(title, cells[key]["seconds"])
            rows += entries(title, cells[key])
        else:
            goals.append((title, absence(cells, key), "-", "-"))
    columns = ("data", "what", "seconds", "all", "peak above input", "ACC %", "NMI %")
    return [targets_table(goals), table("Runs", columns, rows)]


def goals_of(title: str, seconds: dict[str, list[float]]) -> list[tuple]:
    """The time of LSEC, judged, and its ratios to eigh."""
    ours = seconds["LSEC"]
    taken = f"{number(median(ours))} s"
    verdict = at_most(median(ours), TARGET)
    rows: list[tuple] = [(f"{title}: LSEC", taken, f"at most {TARGET:g} s", verdict)]
    for lap in (lap for lap in EIGH_THREADS if lap in seconds):
        pairs = [a / b for a, b in zip(ours, seconds[lap], strict=True)]
        rows.append((f"{title}: LSEC / {lap}", median_of(pairs), "none", "-"))
    return rows


def entries(title: str, cell: dict) -> list[tuple]:
    """Time, memory and quality of a data set."""
    rows = []
    for lap, seconds in cell["seconds"].items():
        scores = cell["scores"].get(lap)
        shown = (f"{scores['acc']:.2f}", f"{scores['nmi']:.2f}") if scores else ("-", "-")
        peak = mebibytes(above_input(cell))
        rows.append((title, lap, number(median(seconds)), numbers(seconds), peak, *shown))
    return rows
