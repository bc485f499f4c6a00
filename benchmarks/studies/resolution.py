"""Many landmarks, principal directions and true neighbors.

`LSEC` with other numbers of landmarks, and with 4000 landmarks and other projections; three seeds,
rows of real data as float32. LSEC takes fewer landmarks than it is asked for where there would be
too few rows for each. The seconds of the stages "landmarks" and "eigenvectors" are those of all
landmark sets and members. Recall is the share of the six nearest landmarks that the search finds,
against float64 distances from 10,000 rows to all landmarks in the working frame.
"""

from __future__ import annotations

from statistics import mean, median
from typing import Any

from benchmarks.harness import study_tasks
from benchmarks.harness.data import DATA, DataSet
from benchmarks.harness.process import measure
from benchmarks.harness.store import Record
from benchmarks.pages.numbers import number, percent
from benchmarks.pages.table import Table
from benchmarks.studies.figures import (
    absence,
    at_least,
    at_most,
    column,
    runs_of,
    table,
    targets_table,
)
from benchmarks.studies.study import Cells, Session

LANDMARKS = {
    "mnist": (1000, 2000, 4000, 8000, 16000),
    "usps": (1000, 2000, 4000),
    "pendigits": (500, 1000, 2000),
    "sf": (1000, 4000),
    "fl": (1000, 4000),
}
PROJECTIONS = (32, 64, 128, None)
PROJECTED = ("mnist", "usps")
LANDMARKS_OF_PROJECTIONS = 4000
SEARCHED = ("mnist", "usps", "pendigits", "fl")
N_NEIGHBORS, SEARCHED_ROWS = 6, 10_000
SYNTHETIC_ROWS = 2_000_000
SEEDS = 3
STAGES = ("landmarks", "eigenvectors")
LEAST_RECALL = 0.999
MOST_SECONDS = {  # on MNIST
    ("landmarks", 8000): 1.5,
    ("eigenvectors", 8000): 3.0,
    ("eigenvectors", 16000): 8.0,
}
SMALL_LANDMARKS = (500,)
COLUMNS = ("ACC %", "NMI %", "seconds", *(f"{stage} s" for stage in STAGES), "seeds")
RESUMABLE = True


def run(session: Session) -> None:
    plan = session.plan
    for key in plan.chosen(plan.pick(list(LANDMARKS), ["pendigits"])):
        data = data_set(key)
        with session.attempt(key):
            for kind, values in variants(session, key).items():
                for value in values:
                    for seed in plan.seeds(SEEDS):
                        settings = parameters(kind, value)
                        session.fit(f"{key}/{kind} {value}/{seed}", data, "LSEC", seed, **settings)
            if key in SEARCHED:
                session.cell(f"{key}/recall/0", lambda data=data: search(session, data))


def data_set(key: str) -> DataSet:
    data = DATA[key].as_float32()
    return data.sized(SYNTHETIC_ROWS) if data.made else data


def variants(session: Session, key: str) -> dict[str, tuple]:
    """Numbers of landmarks and of directions to fit with."""
    if session.plan.small:
        return {"landmarks": SMALL_LANDMARKS}
    return {"landmarks": LANDMARKS[key], "projection": PROJECTIONS if key in PROJECTED else ()}


def parameters(kind: str, value: int | None) -> dict[str, Any]:
    if kind == "landmarks":
        return {"n_landmarks": value}
    return {"projection": value, "n_landmarks": LANDMARKS_OF_PROJECTIONS}


def search(session: Session, data: DataSet) -> Record:
    """Recall of the search for nearest landmarks, with default parameters."""
    settings = {"n_clusters": data.n_clusters, "random_state": 0}
    settings |= session.plan.parameters("LSEC")
    asked = {"folder": session.folder(data), "parameters": settings}
    asked |= {"n_neighbors": N_NEIGHBORS, "n_rows": SEARCHED_ROWS}
    return measure(study_tasks.recall, **asked).record()


def tables(cells: Cells) -> list[Table]:
    landmarks = [row(cells, key, "landmarks", p) for key, of in LANDMARKS.items() for p in of]
    projections = [row(cells, key, "projection", q) for key in PROJECTED for q in PROJECTIONS]
    found = f"Projection, {LANDMARKS_OF_PROJECTIONS} landmarks"
    return [
        targets_table([*time_goals(cells), *recall_goals(cells)]),
        table("Landmarks", ("data", "asked for", "landmarks", *COLUMNS), landmarks),
        table(found, ("data", "directions", "landmarks", *COLUMNS), projections),
    ]


def row(cells: Cells, key: str, kind: str, value: int | None) -> tuple:
    runs = runs_of(cells, f"{key}/{kind} {value}")
    name = data_set(key).title, "all" if value is None else value
    if not runs:
        return (*name, absence(cells, key), *["-"] * len(COLUMNS))
    stages = (number(median(stage_seconds(runs, stage))) for stage in STAGES)
    scores = percent(column(runs, "acc")), percent(column(runs, "nmi"))
    taken = number(median(column(runs, "seconds")))
    return (*name, runs[0]["n_landmarks"], *scores, taken, *stages, len(runs))


def stage_seconds(runs: list[Record], stage: str) -> list[float]:
    return [run["timings"][stage] for run in runs]


def time_goals(cells: Cells) -> list[tuple]:
    """Seconds of stages on MNIST."""
    rows = []
    for (stage, p), most in MOST_SECONDS.items():
        runs = runs_of(cells, f"mnist/landmarks {p}")
        name, goal = f"MNIST, {p} landmarks: stage {stage}", f"at most {most:g} s"
        if runs:
            taken = median(stage_seconds(runs, stage))
            rows.append((name, f"{number(taken)} s", goal, at_most(taken, most)))
        else:
            rows.append((name, absence(cells, "mnist"), goal, "-"))
    return rows


def recall_goals(cells: Cells) -> list[tuple]:
    rows = []
    for key in SEARCHED:
        runs = runs_of(cells, f"{key}/recall")
        name, goal = f"{data_set(key).title}: recall", f"at least {LEAST_RECALL}"
        if not runs:
            rows.append((name, absence(cells, key), goal, "-"))
            continue
        found = mean(column(runs, "recall"))
        sizes = f"{runs[0]['n_landmarks']} landmarks in {runs[0]['n_directions']} dimensions"
        rows.append((f"{name}, {sizes}", f"{found:.5f}", goal, at_least(found, LEAST_RECALL)))
    return rows
