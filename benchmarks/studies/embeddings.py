"""Embeddings and documents.

Made-up rows (`benchmarks/harness/embeddings.py`). First, `LSEC(50)` and `KMeans(50, n_init=1)` fit
1,000,000 x 384 float32 unit vectors in turns: 50 Gaussian clusters, centers half as long as the
noise, which is the same in all directions; the ratio is the median of the pairs. Second, LSEC with
its default projection and with all columns, on 100,000 rows whose variances fall off by the root of
the column. Third, many clusters of unit vectors in 128 columns. Last, TF-IDF of 20,000 documents of
30,000 words on 20 topics: `predict` labels the rows that were fitted, and the file is that of
`save`, or of joblib.
"""

from __future__ import annotations

from statistics import mean, median

from benchmarks.harness import document_tasks
from benchmarks.harness.data import DataSet
from benchmarks.harness.process import measure
from benchmarks.harness.store import Record
from benchmarks.pages.numbers import mebibytes, number, percent
from benchmarks.pages.table import Table
from benchmarks.studies.figures import (
    above_input,
    at_least,
    at_most,
    column,
    median_of,
    pair_ratios,
    runs_of,
    table,
    targets_table,
)
from benchmarks.studies.study import Cells, Session

TIME_TARGET = 0.2
ARI_TARGET = 99.0
LARGE_ROWS, LARGE_COLUMNS, LARGE_CLUSTERS = 1_000_000, 384, 50
METHODS = ("LSEC", "KMeans")
WIDE_ROWS, WIDE_COLUMNS, WIDE_CLUSTERS = 100_000, (384, 768, 1536), 20
PROJECTIONS = {"auto": "auto", "all": None}
MANY_ROWS, MANY_COLUMNS, MANY_CLUSTERS = 30_000, 128, (60, 150)
TOPICS = 20
DOCUMENTS = {"n_samples": 20_000, "n_words": 30_000, "n_topics": TOPICS, "random_state": 0}
FEW_DOCUMENTS = {"n_samples": 3000, "n_words": 3000}
OF_DOCUMENTS = {
    "LSEC": ("LSEC", {}),
    'LSEC, metric="cosine"': ("LSEC", {"metric": "cosine"}),
    "TruncatedSVD + KMeans": ("TruncatedSVD + KMeans", {}),
}
SEEDS = 3


def run(session: Session) -> None:
    fit_large(session)
    fit_wide(session)
    fit_many(session)
    cluster_documents(session)


def unit_clusters(
    rows: int, columns: int, clusters: int, length: float = 0.5, decay: float = 0.0
) -> DataSet:
    """Unit vectors in Gaussian clusters."""
    options = {"n_samples": rows, "n_features": columns, "n_clusters": clusters}
    options |= {"length": length, "decay": decay, "random_state": 0}
    title = f"{rows:,} x {columns}"
    return DataSet("unit", title, rows, columns, clusters, "make_unit_clusters", options)


def fit_large(session: Session) -> None:
    rows, clusters = session.plan.pick((LARGE_ROWS, LARGE_CLUSTERS), (5000, 10))
    data = unit_clusters(rows, LARGE_COLUMNS, clusters)
    for repeat in session.plan.repeats():
        for name in METHODS:
            session.fit(f"large/{name}/{repeat}", data, name, seed=repeat)


def fit_wide(session: Session) -> None:
    plan = session.plan
    for columns in plan.pick(WIDE_COLUMNS, WIDE_COLUMNS[:1]):
        data = unit_clusters(plan.pick(WIDE_ROWS, 3000), columns, WIDE_CLUSTERS, decay=0.5)
        for seed in plan.seeds(SEEDS):
            for name, projection in PROJECTIONS.items():
                key = f"wide {columns}/{name}/{seed}"
                session.fit(key, data, "LSEC", seed, projection=projection)


def fit_many(session: Session) -> None:
    plan = session.plan
    for clusters in plan.pick(MANY_CLUSTERS, MANY_CLUSTERS[:1]):
        data = unit_clusters(plan.pick(MANY_ROWS, 6000), MANY_COLUMNS, clusters, length=1.0)
        for seed in plan.seeds(SEEDS):
            session.fit(f"many {clusters}/{seed}", data, "LSEC", seed)


def cluster_documents(session: Session) -> None:
    documents = session.plan.pick(DOCUMENTS, {**DOCUMENTS, **FEW_DOCUMENTS})
    for repeat in session.plan.repeats():
        for name, (estimator, parameters) in OF_DOCUMENTS.items():
            settings = {"n_clusters": TOPICS, "random_state": repeat, **parameters}
            if estimator == "LSEC":
                settings |= session.plan.parameters(estimator)
            asked = {"documents": documents, "estimator": estimator, "parameters": settings}
            session.cell(f"documents/{name}/{repeat}", lambda asked=asked: of_documents(asked))


def of_documents(asked: dict) -> Record:
    done = measure(document_tasks.cluster_documents, **asked)
    (predicted,) = done.seconds("predict")
    return {"predict_seconds": predicted, **done.record("fit")}


def tables(cells: Cells) -> list[Table]:
    return [
        targets_table([*time_goal(cells), *many_goals(cells)]),
        large_table(cells),
        wide_table(cells),
        documents_table(cells),
    ]


def time_goal(cells: Cells) -> list[tuple]:
    ratios = pair_ratios(*(runs_of(cells, f"large/{name}") for name in METHODS))
    if not ratios:
        return []
    verdict = at_most(median(ratios), TIME_TARGET)
    name = "1,000,000 x 384: LSEC / KMeans, time of fit"
    return [(name, median_of(ratios), f"at most {TIME_TARGET}", verdict)]


def many_goals(cells: Cells) -> list[tuple]:
    """Adjusted Rand index with many clusters."""
    rows = []
    for clusters in MANY_CLUSTERS:
        runs = runs_of(cells, f"many {clusters}")
        if runs:
            scores = column(runs, "ari")
            name = f"{clusters} clusters in {MANY_COLUMNS} columns: ARI, %"
            verdict = at_least(mean(scores), ARI_TARGET)
            rows.append((name, percent(scores), f"at least {ARI_TARGET:g}", verdict))
    return rows


def large_table(cells: Cells) -> Table:
    groups = {name: runs_of(cells, f"large/{name}") for name in METHODS}
    rows = [(name, *costs(runs)) for name, runs in groups.items() if runs]
    return table("1,000,000 x 384", ("method", *COSTS), rows)


def wide_table(cells: Cells) -> Table:
    rows = []
    for columns in WIDE_COLUMNS:
        for name in PROJECTIONS:
            runs = runs_of(cells, f"wide {columns}/{name}")
            if runs:
                rows.append((columns, name, *costs(runs)))
    title = f"{WIDE_ROWS:,} rows, {WIDE_CLUSTERS} clusters"
    return table(title, ("columns", "projection", *COSTS), rows)


COSTS = ("seconds", "CPU seconds", "peak above input", "ARI %")


def costs(runs: list[Record]) -> tuple[str, ...]:
    """Time, memory and quality of the runs of one method, under `COSTS`."""
    seconds, spent = (number(median(column(runs, of))) for of in ("seconds", "cpu_seconds"))
    peak = mebibytes(max(map(above_input, runs)))
    return seconds, spent, peak, percent(column(runs, "ari"))


def documents_table(cells: Cells) -> Table:
    rows = []
    for name in OF_DOCUMENTS:
        runs = runs_of(cells, f"documents/{name}")
        if runs:
            predicted = number(median(column(runs, "predict_seconds")))
            size = mebibytes(max(column(runs, "file_bytes")))
            rows.append((name, *costs(runs), predicted, size))
    columns = ("method", *COSTS, "predict seconds", "model file")
    return table("TF-IDF of documents, 20,000 x 30,000", columns, rows)
