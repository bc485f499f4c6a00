"""Gaussian clusters of unequal sizes.

Eighteen clusters of `make_blobs`: 15 of 200 rows, and 3 with 5, 15 or 50 times as many, in 2, 10
and 50 columns; four draws each, twelve per ratio. `LSEC(18)`, `KMeans(18, n_init=10)` and
`GaussianMixture(18, n_init=2)` cluster each draw, with its number as seed. A draw is solved by an
adjusted Rand index of at least 0.99. LSEC is to solve every draw that another method solves.
"""

from __future__ import annotations

from statistics import mean

from benchmarks.harness import study_tasks
from benchmarks.harness.process import measure
from benchmarks.harness.store import Record
from benchmarks.pages.table import Table, Verdict
from benchmarks.studies.figures import NOT_YET, holds, runs_of, table
from benchmarks.studies.shapes import Method
from benchmarks.studies.study import Cells, Session

OURS = "LSEC"
METHODS = {
    OURS: Method("lsec", "LSEC", seeded=True),
    "KMeans": Method("sklearn.cluster", "KMeans", {"n_init": 10}, seeded=True),
    "GaussianMixture": Method(
        "sklearn.mixture", "GaussianMixture", {"n_init": 2}, "n_components", True
    ),
}
N_EQUAL, N_LARGE, ROWS = 15, 3, 200
RATIOS, COLUMNS = (5, 15, 50), (2, 10, 50)
DRAWS = 4
SOLVED = 99.0  # adjusted Rand index in percent
RESUMABLE = True


def run(session: Session) -> None:
    plan = session.plan
    more = {OURS: plan.parameters(OURS)}
    for ratio, n_columns in plan.pick(kinds(), kinds()[:1]):
        sizes = [ROWS] * N_EQUAL + [ROWS * ratio] * N_LARGE
        for seed in plan.seeds(DRAWS):
            methods = {name: of.request(seed, more.get(name, {})) for name, of in METHODS.items()}
            asked = {"sizes": sizes, "n_columns": n_columns, "seed": seed, "methods": methods}
            session.cell(f"{ratio} x {n_columns}/{seed}", lambda asked=asked: cluster(asked))


def kinds() -> list[tuple[int, int]]:
    """Every ratio of sizes with every number of columns."""
    return [(ratio, n_columns) for ratio in RATIOS for n_columns in COLUMNS]


def cluster(asked: dict) -> Record:
    return measure(study_tasks.cluster_blobs, **asked).record()


def tables(cells: Cells) -> list[Table]:
    rows = [row(cells, *kind) for kind in kinds()]
    scores = (f"{name}, mean / worst" for name in METHODS)
    counts = ("draws", "solved by another", "of these by LSEC", "verdict")
    columns = ("sizes", "columns", *scores, *counts)
    return [table("Adjusted Rand index, %", columns, rows)]


def row(cells: Cells, ratio: int, n_columns: int) -> tuple:
    """Scores of the draws of one kind; the verdict is that on all of them."""
    runs = runs_of(cells, f"{ratio} x {n_columns}")
    name = f"1 : {ratio}"
    if not runs:
        return (name, NOT_YET, *["-"] * (len(METHODS) + 4))
    scores = {method: [run["scores"][method]["ari"] for run in runs] for method in METHODS}
    shown = (f"{mean(found):.2f} / {min(found):.2f}" for found in scores.values())
    others = zip(*(scores[method] for method in METHODS if method != OURS), strict=True)
    solvable = [
        ours for ours, theirs in zip(scores[OURS], others, strict=True) if max(theirs) >= SOLVED
    ]
    solved = sum(score >= SOLVED for score in solvable)
    verdict = holds(solved == len(solvable)) if solvable else Verdict.NOT_JUDGED
    return (name, n_columns, *shown, len(runs), len(solvable), solved, verdict)
