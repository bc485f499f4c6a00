"""Section: scores and time against the number m of base clusterings."""

from __future__ import annotations

from benchmarks.pages.charts import Point, Series, line_chart
from benchmarks.pages.comparison import number_entry
from benchmarks.pages.names import METHODS, data_entry, data_name, in_order
from benchmarks.pages.numbers import Write, score, seconds
from benchmarks.pages.outcome import Outcome
from benchmarks.pages.results import Results
from benchmarks.pages.table import Entry, Figure, Section, Table, missing
from benchmarks.paper.printed import data_sets

MEASURES = {"acc": ("ACC, %", score), "nmi": ("NMI, %", score), "seconds": ("seconds", seconds)}
Groups = dict[tuple[str, str, float], Outcome]  # by data set, method and m


def members_section(results: Results) -> Section:
    """Draw all data sets of the study, and put the numbers below."""
    groups = _groups(results)
    data = in_order({key for key, _, _ in groups}, data_sets())
    figures = [_figure(results, key, groups) for key in data]
    tables = [_table(results, groups, name) for name in MEASURES] if groups else []
    return Section(
        "members",
        "Number of members",
        "ACC, NMI and time against the number m of base clusterings, for the ensemble methods. "
        "Time has a log scale.",
        [*figures, *tables],
    )


def _groups(results: Results) -> Groups:
    found: dict[tuple[str, str, float], list] = {}
    for cell in results.runs("members"):
        if cell.varied and cell.varied[0] == "m":
            found.setdefault((cell.data, cell.method, float(cell.varied[1])), []).append(cell)
    return {key: Outcome(cells) for key, cells in found.items()}


def _figure(results: Results, data: str, groups: Groups) -> Figure:
    methods = in_order({method for key, method, _ in groups if key == data}, METHODS)
    title = data_name(results, data, "members")
    panels = [
        line_chart(
            label,
            [_series(groups, data, method, name) for method in methods],
            "m",
            log_y=name == "seconds",
        )
        for name, (label, _) in MEASURES.items()
    ]
    return Figure(
        title,
        panels,
        f"{title}: mean over the seeds, with bars of one standard deviation.",
        [(style_of(method), method) for method in methods],
    )


def _series(groups: Groups, data: str, method: str, name: str) -> Series:
    points = []
    for (key, other, m), runs in sorted(groups.items(), key=lambda item: item[0][2]):
        if (key, other) == (data, method) and (ours := runs.spread(name)):
            write = MEASURES[name][1]
            hint = f"{method}, m = {m:g}: {ours.sentence(write)}"
            points.append(Point(m, ours.mean, ours.sd, hint))
    return Series(points, style_of(method))


def style_of(method: str) -> str:
    """Return the class that gives a method its color and mark."""
    return f"s{METHODS.index(method)}" if method in METHODS else "s0"


def _table(results: Results, groups: Groups, name: str) -> Table:
    label, write = MEASURES[name]
    sizes = sorted({m for _, _, m in groups})
    rows = [
        (
            data_entry(results, data, "members"),
            Entry(method),
            *(_entry(groups.get((data, method, m)), name, write) for m in sizes),
        )
        for data in in_order({data for data, _, _ in groups}, data_sets())
        for method in in_order({other for key, other, _ in groups if key == data}, METHODS)
    ]
    columns = ("data", "method", *(f"m = {m:g}" for m in sizes))
    return Table(f"{label} against m", columns, rows, folded=True, words=(0, 1))


def _entry(runs: Outcome | None, name: str, write: Write) -> Entry:
    return number_entry(runs, name, write) if runs else missing("not run")
