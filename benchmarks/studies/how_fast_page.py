"""docs/how_fast.md: time and memory of LSEC at a glance, from the stored records of the studies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import median

from benchmarks.harness.machine import ROOT
from benchmarks.pages.numbers import number
from benchmarks.pages.table import Table
from benchmarks.studies import (
    consensus,
    distributed,
    growth,
    memory,
    mnist,
    outofcore,
    predict,
    speed,
    startup,
)
from benchmarks.studies.figures import column, runs_of, table
from benchmarks.studies.how_good_page import Part, write_page
from benchmarks.studies.results_page import RESULTS_FOLDER
from benchmarks.studies.study import Cells

PAGE = ROOT / "docs" / "how_fast.md"
INTRODUCTION = """\
# How fast is it

Time and memory of fits on two cores, each in a process of its own that has loaded and compiled
everything before; medians where there are several runs. Memory "above input" is the peak of the
process less the rows: interpreter and libraries are counted. The page is written by
`python -m benchmarks run` from the stored records;
[the benchmark results](../benchmarks/RESULTS.md) have every run. GPUs have [a page](gpu.md) of
their own."""


def write_how_fast(folder: Path = RESULTS_FOLDER, page: Path = PAGE) -> None:
    """Write the page from the records in a folder."""
    write_page(page, INTRODUCTION, PARTS, folder, page.parent / "images")


def columns_of(
    tables: Callable[[Cells], list[Table]], title: str, columns: tuple[str, ...], cells: Cells
) -> Table:
    """The first column and some others of the table of a study whose title begins so."""
    shown = next(one for one in tables(cells) if one.title.startswith(title))
    places = [0, *map(shown.columns.index, columns)]
    names = tuple(shown.columns[i] for i in places)
    rows = [tuple(row[i] for i in places) for row in shown.rows]
    return replace(shown, columns=names, rows=rows, words=tuple(range(len(names))))


def of_consensus(cells: Cells) -> Table:
    """Seconds of every consensus function, beside those of the micro-clusters."""
    rows = []
    for method in consensus.METHODS:
        if runs := runs_of(cells, f"fl/{method}"):
            taken = (median(column(runs, name)) for name in ("micro_seconds", "seconds"))
            rows.append((method, *map(number, taken)))
    return table("", ("function", "micro-clusters: seconds", "function: seconds"), rows)


FIT = ("seconds", "CPU seconds", "peak above input", "ACC %")
PARTS = (
    Part(
        "speed",
        "Twenty million rows",
        "LSEC and scikit-learn's KMeans fit 20,000,000 x 2 rows in 13 clusters.",
        partial(columns_of, speed.tables, "Runs", FIT),
        {},
    ),
    Part(
        "mnist",
        "Wide rows",
        "LSEC and KMeans fit MNIST, 70,000 x 784 pixels.",
        partial(columns_of, mnist.tables, "Runs", FIT),
        {},
    ),
    Part(
        "growth",
        "Ten times the rows",
        "Time grows in proportion to the rows, or less.",
        partial(columns_of, growth.tables, "Runs", FIT[:3]),
        {},
    ),
    Part(
        "memory",
        "Memory limits",
        "A lower `memory_limit` takes less memory where there is any to save, never other labels.",
        partial(columns_of, memory.tables, "Runs", ("seconds", "peak above input")),
        {},
    ),
    Part(
        "outofcore",
        "Rows in files",
        "Two columns, labels written to a file; memory is that of the whole process.",
        partial(
            columns_of, outofcore.tables, "Runs", ("seconds", "rows per second", "peak memory")
        ),
        {},
    ),
    Part(
        "predict",
        "New rows",
        "A model of twenty million rows labels ten million new ones.",
        partial(columns_of, predict.tables, "Runs", ("fit s", "predict s", "predict ns/row")),
        {},
    ),
    Part(
        "distributed",
        "On Dask",
        "Ten million rows on two threads, and on two Dask workers of one thread each.",
        partial(columns_of, distributed.tables, "Runs", ("seconds",)),
        {},
    ),
    Part(
        "consensus",
        "Joining base clusterings",
        "Twenty base clusterings of twenty million rows: first the micro-clusters, in the same way "
        "for every function, then the function.",
        of_consensus,
        {},
    ),
    Part(
        "startup",
        "The first fit",
        "In a fresh process, with nothing compiled and with what an earlier process compiled.",
        partial(columns_of, startup.tables, "Fits", ("numba's cache", "first s", "second s")),
        {},
    ),
)
