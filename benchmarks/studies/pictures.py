"""Pictures, layers, scores without classes, and the explorer page.

`LSEC(13)` is fitted to FL-20M; then `labels_at` cuts its tree into 50 layers of 2 to 500 clusters,
and every picture of `lsec.plot` is drawn and written as a PNG. Memory is the peak while a picture
is drawn, less that of the process before: model and rows are not counted. "evidence" is that of a
model of few rows that chose its number of clusters. The scores are those of `lsec.validity`, of
all rows. The explorer page has a million rows of FL
with 14 more columns of noise; its first picture, of 200,000 points, and that of all points are
timed from the request of the file until the pixels can be read, in headless Chromium without a
GPU.
"""

from __future__ import annotations

from statistics import median

from benchmarks.harness import picture_tasks
from benchmarks.harness.data import DATA, DataSet
from benchmarks.harness.process import measure
from benchmarks.pages.numbers import mebibytes, number, numbers
from benchmarks.pages.table import Table
from benchmarks.studies.figures import at_most, column, runs_of, table, targets_table
from benchmarks.studies.study import Cells, Session

RESUMABLE = True
GIB = 2**30
PICTURE_SECONDS, PICTURE_BYTES = 5.0, GIB
N_LAYERS, LAYERS_SECONDS = 50, 10.0
SCORES = (
    *("silhouette_score", "silhouette_samples"),
    *("cluster_stability", "calinski_harabasz_score"),
)
SCORE_SECONDS = 5.0
PAGE_COLUMNS = ("rows", "seconds to write", "bytes", "first picture, s", "all points, s")
PAGE_BYTES, FIRST_SECONDS = 15_000_000, 3.0


def run(session: Session) -> None:
    plan = session.plan
    flower = DATA["fl"].sized(plan.pick(20_000_000, 100_000))
    parameters = {"n_clusters": flower.n_clusters, "random_state": 0, **plan.parameters("LSEC")}
    for repeat in plan.repeats(1):
        asked = {"folder": session.folder(flower), "parameters": parameters, "n_layers": N_LAYERS}
        session.cell(f"pictures/{repeat}", lambda asked=asked: drawn(asked))
    for repeat in plan.repeats(1):
        asked = {"folder": session.folder(flower), "parameters": parameters}
        session.cell(f"validity/{repeat}", lambda asked=asked: scored(asked))
    some = DATA["fl"].sized(plan.pick(1_000_000, 20_000))
    session.cell("page/0", lambda: opened(session, some, parameters))


def drawn(asked: dict) -> dict:
    done = measure(picture_tasks.draw, **asked)
    (fit,), (layers,) = done.seconds("fit"), done.seconds("layers")
    return {"fit_seconds": fit, "layers_seconds": layers, **done.result}


def scored(asked: dict) -> dict:
    done = measure(picture_tasks.score, **asked)
    return {"score_seconds": {name: done.seconds(name)[0] for name in SCORES}, **done.result}


def opened(session: Session, some: DataSet, parameters: dict) -> dict:
    page = str(session.scratch / "page.html")
    asked = {"folder": session.folder(some), "parameters": parameters, "page": page}
    written = measure(picture_tasks.explore, **asked).record()
    repeats = session.plan.repeats(3)
    seen = [measure(picture_tasks.open_page, page=page).result for _ in repeats]
    known = [one for one in seen if "not_run" not in one]
    return {
        **written,
        "first_pictures": [one["first_picture"] for one in known],
        "all_points": [one["all_points"] for one in known],
    }


def tables(cells: Cells) -> list[Table]:
    runs, pages = runs_of(cells, "pictures"), runs_of(cells, "page")
    scores = {
        name: median(run["score_seconds"][name] for run in runs_of(cells, "validity"))
        for name in SCORES
    }
    worst = {
        name: (
            median(run["pictures"][name]["seconds"] for run in runs),
            max(run["pictures"][name]["growth_bytes"] for run in runs),
        )
        for name in runs[0]["pictures"]
    }
    slowest, largest = (max(values) for values in zip(*worst.values(), strict=True))
    layers = max(column(runs, "layers_seconds"))
    written = pages[0]["page_bytes"]
    first, all_points = pages[0]["first_pictures"], pages[0]["all_points"]
    goals = [
        (
            "slowest picture",
            f"{number(slowest)} s",
            f"at most {PICTURE_SECONDS:g} s",
            at_most(slowest, PICTURE_SECONDS),
        ),
        (
            "memory of a picture",
            mebibytes(largest),
            "at most 1 GiB",
            at_most(largest, PICTURE_BYTES),
        ),
        (
            f"labels_at for {runs[0]['n_layers']} layers, together",
            f"{number(layers)} s",
            f"at most {LAYERS_SECONDS:g} s",
            at_most(layers, LAYERS_SECONDS),
        ),
        score_goal(scores),
        (
            f"explorer page of {pages[0]['n_rows']:,} rows",
            f"{written / 1e6:.1f} MB",
            f"at most {PAGE_BYTES / 1e6:g} MB",
            at_most(written, PAGE_BYTES),
        ),
    ]
    if first:
        goals.append(
            (
                "its first picture (median)",
                f"{number(median(first))} s (all: {numbers(first)})",
                f"at most {FIRST_SECONDS:g} s",
                at_most(median(first), FIRST_SECONDS),
            )
        )
    rows = [(name, number(seconds), mebibytes(memory)) for name, (seconds, memory) in worst.items()]
    page = [
        (
            f"{run['n_rows']:,}",
            number(run["seconds"]),
            f"{run['page_bytes']:,}",
            numbers(first),
            numbers(all_points),
        )
        for run in pages
    ]
    return [
        targets_table(goals),
        table("Pictures", ("picture", "seconds (median)", "memory beyond the model"), rows),
        table("Scores", ("score", "seconds (median)"), [(n, number(s)) for n, s in scores.items()]),
        table("Pages", PAGE_COLUMNS, page),
    ]


def score_goal(scores: dict[str, float]) -> tuple:
    slowest = max(scores.values())
    verdict = at_most(slowest, SCORE_SECONDS)
    return ("slowest score", f"{number(slowest)} s", f"at most {SCORE_SECONDS:g} s", verdict)
