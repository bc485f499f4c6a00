"""Import and first fit in fresh processes.

`from lsec import LSEC` against `import sklearn.cluster`, a process each, in turns; the ratio is
that of the medians. Then `LSEC(13)` fits the same rows twice in a fresh process, with an empty
folder for what numba compiles, and once more with what that process left there. The import of numba
is part of the first fit.
"""

from __future__ import annotations

import tempfile
from statistics import median

from benchmarks.harness import study_tasks
from benchmarks.harness.import_task import import_time
from benchmarks.harness.process import measure
from benchmarks.pages.numbers import mebibytes, number, numbers
from benchmarks.pages.table import Table
from benchmarks.studies.figures import at_most, column, holds, runs_of, table, targets_table
from benchmarks.studies.study import Cells, Session

IMPORT_TARGET = 1.3
FIT_TARGETS = {"empty cache": 10.0, "warm cache": 1.0}
IMPORTS = {"lsec": ("lsec", "LSEC"), "sklearn": ("sklearn.cluster", None)}
SHAPES = [(20_000, 2), (5_000, 40)]


def run(session: Session) -> None:
    for module, name in IMPORTS.values():  # the first import of all writes bytecode
        measure(import_time, module=module, name=name)
    for repeat in session.plan.repeats(7):
        for key, (module, name) in IMPORTS.items():
            session.cell(
                f"import/{key}/{repeat}",
                lambda module=module, name=name: measure(
                    import_time, module=module, name=name
                ).record(),
            )
    for shape in session.plan.pick(SHAPES, SHAPES[:1]):
        with tempfile.TemporaryDirectory(prefix="lsec-benchmark-numba-") as folder:
            for cache in FIT_TARGETS:
                key = f"fit/{cache}/{shape[0]} x {shape[1]}"
                session.cell(
                    key, lambda shape=shape, folder=folder: first_fit(session, shape, folder)
                )


def first_fit(session: Session, shape: tuple[int, int], folder: str) -> dict:
    """Two fits in a fresh process; the folder holds what earlier processes compiled."""
    caching = {"NUMBA_CACHE_DIR": folder}
    asked = {"n_features": shape[1], "parameters": session.plan.parameters("LSEC")}
    done = measure(study_tasks.first_fit, environment=caching, n_rows=shape[0], **asked)
    (first,), (second,) = done.seconds("first"), done.seconds("second")
    return {"first": first, "second": second, "peak_bytes": done.peak_bytes}


def tables(cells: Cells) -> list[Table]:
    imports = {key: runs_of(cells, f"import/{key}") for key in IMPORTS}
    ours, theirs = (median(column(runs, "seconds")) for runs in imports.values())
    loads_numba = any(run["numba"] for run in imports["lsec"])
    loaded = "yes" if loads_numba else "no"
    ratio = ours / theirs
    goal = f"at most {IMPORT_TARGET}"
    goals = [
        ("import of LSEC / of sklearn.cluster", number(ratio), goal, at_most(ratio, IMPORT_TARGET)),
        ("import of LSEC loads numba", loaded, "no", holds(not loads_numba)),
    ]
    keys = [f"fit/{cache}/{rows} x {columns}" for rows, columns in SHAPES for cache in FIT_TARGETS]
    fits = {key: cells[key] for key in keys if key in cells}
    for key, cell in fits.items():
        _, cache, shape = key.split("/")
        extra, target = cell["first"] - cell["second"], FIT_TARGETS[cache]
        name = f"first fit less second, {shape}, {cache}"
        goals.append((name, f"{number(extra)} s", f"at most {target:g} s", at_most(extra, target)))
    return [targets_table(goals), import_table(imports), fit_table(fits)]


def import_table(imports: dict[str, list[dict]]) -> Table:
    rows = []
    for key, runs in imports.items():
        seconds = column(runs, "seconds")
        peak = mebibytes(median(column(runs, "peak_bytes")))
        rows.append((key, number(median(seconds)), numbers(seconds), peak))
    return table("Imports", ("module", "seconds (median)", "all", "peak memory"), rows)


def fit_table(fits: Cells) -> Table:
    rows = []
    for key, cell in fits.items():
        _, cache, shape = key.split("/")
        times = (number(cell["first"]), number(cell["second"]))
        rows.append((shape, cache, *times, mebibytes(cell["peak_bytes"])))
    return table("Fits", ("rows", "numba's cache", "first s", "second s", "peak memory"), rows)
