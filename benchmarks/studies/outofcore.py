"""Rows in files that are larger than memory.

`LSEC(11)` fits CG from an array of 10 million rows and from a .npy and a Parquet file of 100
million, with a memory limit of 2 GiB, and from a .npy file of a billion with 4 GiB; labels go
straight to a file (`labels_out`). Peak memory is that of the whole process, the array included.
"""

from __future__ import annotations

import tempfile

from benchmarks.harness import study_tasks
from benchmarks.harness.data import DATA
from benchmarks.harness.process import measure
from benchmarks.pages.numbers import gibibytes, number, percent
from benchmarks.pages.table import Table
from benchmarks.studies.figures import at_most, holds, table, targets_table
from benchmarks.studies.study import Cells, Session

GIB = 2**30
SEED = 0
TEN, NPY, PARQUET = "array, 10M", "npy file, 100M", "parquet file, 100M"
BILLION = "npy file, 1000M"
MOST_MEMORY = {NPY: 2.5, PARQUET: 2.5, BILLION: 4.0}
MOST_TIMES = {NPY: 13.0, PARQUET: 20.0}
RESUMABLE = True


def run(session: Session) -> None:
    million = session.plan.pick(1_000_000, 10_000)
    fit_all(session, 10 * million, {TEN: ("array", "2GiB")})
    fit_all(session, 100 * million, {NPY: ("npy", "2GiB"), PARQUET: ("parquet", "2GiB")})
    fit_all(session, session.plan.pick(1000, 30) * million, {BILLION: ("npy", "4GiB")})


def fit_all(session: Session, rows: int, cells: dict[str, tuple[str, str]]) -> None:
    """Fit the files of one data set; they are made only if a cell is missing."""
    wanted = {name: how for name, how in cells.items() if name not in session.cells}
    if not wanted:
        return
    data = DATA["cg"]
    parquet = any(kind == "parquet" for kind, _ in wanted.values())
    with tempfile.TemporaryDirectory(dir=session.scratch) as folder:
        asked = {"folder": folder, "source": data.source, "rows": rows, "parquet": parquet}
        measure(study_tasks.make_files, **asked)
        for name, (kind, limit) in wanted.items():
            parameters = {"n_clusters": data.n_clusters, "random_state": SEED}
            parameters |= {"memory_limit": limit, **session.plan.parameters("LSEC")}

            def fit(kind=kind, parameters=parameters, folder=folder) -> dict:
                asked = {"folder": folder, "kind": kind, "parameters": parameters}
                return measure(study_tasks.fit_stored, **asked).record()

            session.cell(name, fit)


def tables(cells: Cells) -> list[Table]:
    return [targets_table(target_rows(cells)), runs_table(cells)]


def target_rows(cells: Cells) -> list[tuple]:
    rows: list[tuple] = []
    ten = cells.get(TEN)
    for name, most in MOST_TIMES.items():
        if ten is None or name not in cells:
            continue
        times = cells[name]["seconds"] / ten["seconds"]
        target = f"at most {most:g}"
        rows.append((f"{name}, time / {TEN}", number(times), target, at_most(times, most)))
    for name, most in MOST_MEMORY.items():
        if name not in cells:
            continue
        peak = cells[name]["peak_bytes"]
        verdict = at_most(peak, most * GIB)
        rows.append((f"{name}, peak memory", gibibytes(peak), f"under {most:g} GiB", verdict))
    if NPY in cells and PARQUET in cells:
        same = cells[NPY]["labels"] == cells[PARQUET]["labels"]
        rows.append(("labels of both files", "same" if same else "differ", "same", holds(same)))
    return rows


def runs_table(cells: Cells) -> Table:
    rows = []
    for name in (TEN, NPY, PARQUET, BILLION):
        if name in cells:
            run = cells[name]
            speed = run["n_rows"] / run["seconds"]
            scores = percent([run["acc"]]), percent([run["nmi"]])
            memory = gibibytes(run["peak_bytes"])
            rows.append((name, number(run["seconds"]), f"{speed:,.0f}", memory, *scores))
    columns = ("rows", "seconds", "rows per second", "peak memory", "ACC %", "NMI %")
    return table("Runs", columns, rows)
