"""LSEC and other libraries on real data.

`LSEC`, `KMeans(n_init=1)`, EVoC and Genie cluster the same float32 rows in turns, each in a process
of its own that has clustered up to 20,000 of the rows before; a first run of every library, which
may compile and keep what it compiled, is not counted. Parameters are the defaults. All are given
the number of classes; EVoC takes it as `approx_n_clusters` and chooses its own, and what it calls
noise is one more cluster. Genie clusters sets of up to 20,000 rows. A library that is not installed
is left out.
"""

from __future__ import annotations

from statistics import mean, median

from benchmarks.harness import tasks
from benchmarks.harness.data import DATA, DataSet
from benchmarks.harness.process import measure
from benchmarks.harness.store import Record
from benchmarks.pages.numbers import mebibytes, number, numbers, percent
from benchmarks.pages.table import Table
from benchmarks.paper.peers import PEERS
from benchmarks.studies.figures import (
    absence,
    at_least,
    at_most,
    column,
    runs_of,
    table,
    targets_table,
)
from benchmarks.studies.study import Cells, NotLoaded, Session

KEYS = ["pendigits", "usps", "usps_balanced", "letters", "mnist"]
OURS, PEER = "LSEC", "EVoC"
OWN = (OURS, "KMeans")  # estimators of `Session.fit`
LIBRARIES = {PEER: "evoc", "Genie": "genieclust"}  # names of adapters
METHODS = (*OWN, *LIBRARIES)
MOST_ROWS = {"Genie": 20_000}
SEEDS = 3
TIME_TARGETS = {"mnist": 1.0}  # time of LSEC / time of EVoC
ACCURACY_TARGETS = ("usps", "mnist")  # ACC of LSEC at least that of EVoC
COLUMNS = ("method", "seconds", "all", "CPU seconds", "peak memory", "clusters", "ACC %", "NMI %")


def run(session: Session) -> None:
    plan = session.plan
    for key in plan.pick(KEYS, KEYS[:1]):
        data = DATA[key].as_float32()
        methods = [name for name in METHODS if data.n_rows <= MOST_ROWS.get(name, data.n_rows)]
        with session.attempt(key):
            installed = [name for name in methods if is_installed(session, key, name)]
            for name in installed:
                if name in LIBRARIES:
                    cluster_by_peer(session, data, name, seed=0)
            for seed in plan.seeds(SEEDS):
                for name in installed:
                    cluster(session, f"{key}/{name}/{seed}", data, name, seed)


def is_installed(session: Session, key: str, name: str) -> bool:
    """Whether a method can be run; if not, it is noted why."""
    missing = PEERS[LIBRARIES[name]].missing if name in LIBRARIES else ""
    with session.attempt(f"{key}/{name}"):
        if missing:
            raise NotLoaded(missing)
    return not missing


def cluster(session: Session, key: str, data: DataSet, name: str, seed: int) -> None:
    """Measure a method of ours or of another library."""
    if name in OWN:
        session.fit(key, data, name, seed)
    else:
        session.cell(key, lambda: cluster_by_peer(session, data, name, seed))


def cluster_by_peer(session: Session, data: DataSet, name: str, seed: int) -> Record:
    asked = {"folder": session.folder(data), "n_clusters": data.n_clusters, "seed": seed}
    asked |= {"name": LIBRARIES[name], "warm_rows": tasks.FEW_ROWS}
    return measure(tasks.peer, **asked).record()


def tables(cells: Cells) -> list[Table]:
    return [targets_table(goals(cells)), *(methods_table(key, cells) for key in KEYS)]


def goals(cells: Cells) -> list[tuple]:
    """LSEC against EVoC."""
    rows = [time_goal(key, cells, most) for key, most in TIME_TARGETS.items()]
    return rows + [accuracy_goal(key, cells) for key in ACCURACY_TARGETS]


def time_goal(key: str, cells: Cells, most: float) -> tuple:
    ours, theirs = (runs_of(cells, f"{key}/{name}") for name in (OURS, PEER))
    name, goal = f"{DATA[key].title}: LSEC / EVoC, median time", f"at most {most}"
    if not ours or not theirs:
        return (name, why_missing(cells, key, PEER), goal, "-")
    ratio = median(column(ours, "seconds")) / median(column(theirs, "seconds"))
    return (name, number(ratio), goal, at_most(ratio, most))


def accuracy_goal(key: str, cells: Cells) -> tuple:
    ours, theirs = (runs_of(cells, f"{key}/{name}") for name in (OURS, PEER))
    name = f"{DATA[key].title}: mean ACC of LSEC, %"
    if not ours or not theirs:
        return (name, why_missing(cells, key, PEER), "at least that of EVoC", "-")
    score, least = (mean(column(runs, "acc")) for runs in (ours, theirs))
    return (name, f"{score:.2f}", f"at least {least:.2f} (EVoC)", at_least(score, least))


def methods_table(key: str, cells: Cells) -> Table:
    """Time, memory and quality of every method that clusters a data set."""
    rows = []
    for name in METHODS:
        if DATA[key].n_rows > MOST_ROWS.get(name, DATA[key].n_rows):
            continue
        runs = runs_of(cells, f"{key}/{name}")
        if runs:
            rows.append((name, *entries(runs)))
        else:
            rows.append((name, why_missing(cells, key, name), *["-"] * (len(COLUMNS) - 2)))
    return table(DATA[key].title, COLUMNS, rows)


def entries(runs: list[Record]) -> tuple[str, ...]:
    """Time, memory and quality of the runs of one method, under `COLUMNS`."""
    seconds = column(runs, "seconds")
    return (
        number(median(seconds)),
        numbers(seconds),
        number(median(column(runs, "cpu_seconds"))),
        mebibytes(max(column(runs, "peak_bytes"))),
        ", ".join(f"{run['n_clusters_found']}" for run in runs),
        percent(column(runs, "acc")),
        percent(column(runs, "nmi")),
    )


def why_missing(cells: Cells, key: str, name: str) -> str:
    """Why a method has no runs on a data set."""
    own = f"{key}/{name}"
    return absence(cells, own if f"{own}/not run" in cells else key)
