"""Sections: neighbors reused or searched again, light-k-means or k-means."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.pages.charts import Bar, bar_chart
from benchmarks.pages.comparison import number_entry
from benchmarks.pages.names import METHODS, data_entry, data_name, in_order
from benchmarks.pages.numbers import NONE, ratio, score, seconds
from benchmarks.pages.outcome import Outcome
from benchmarks.pages.results import Results
from benchmarks.pages.table import Entry, Figure, Section, Table, Tone, missing
from benchmarks.paper.printed import data_sets


@dataclass(frozen=True)
class Ablation:
    """A study of two values of a parameter; `ours` is the one that the method has."""

    study: str
    title: str
    text: str
    ours: tuple[object, str]
    other: tuple[object, str]


REUSE = Ablation(
    "reuse",
    "Reuse of neighbors",
    "One search for the largest K serves all smaller ones, against a search for every K.",
    (True, "reused"),
    (False, "searched again"),
)
LIGHT = Ablation(
    "discretization",
    "Light-k-means",
    "Base clusterings by k-means on a sample whose centers label the rest, against k-means on all "
    "rows.",
    ("light", "light-k-means"),
    ("kmeans", "k-means"),
)
Group = tuple[str, str]  # data set and method


def ablation_section(results: Results, ablation: Ablation) -> Section:
    """Compare both values on every data set and method of the study."""
    groups = _groups(results, ablation)
    if not groups:
        return Section(ablation.study, ablation.title, ablation.text)
    parts: list[Table | Figure] = [
        _figure(results, ablation, groups),
        _table(results, ablation, groups),
    ]
    return Section(ablation.study, ablation.title, ablation.text, parts)


def _groups(results: Results, ablation: Ablation) -> dict[Group, tuple[Outcome, Outcome]]:
    cells = [cell for cell in results.runs(ablation.study) if cell.varied]
    found = {}
    for data in in_order((cell.data for cell in cells), data_sets()):
        methods = in_order((cell.method for cell in cells if cell.data == data), METHODS)
        for method in methods:
            chosen = [cell for cell in cells if (cell.data, cell.method) == (data, method)]
            found[data, method] = (
                Outcome([c for c in chosen if c.varied and c.varied[1] == ablation.ours[0]]),
                Outcome([c for c in chosen if c.varied and c.varied[1] == ablation.other[0]]),
            )
    return found


def _name(results: Results, ablation: Ablation, group: Group, groups: dict) -> str:
    """Name a group; the method is said only where there are several."""
    several = len({method for _, method in groups}) > 1
    title = data_name(results, group[0], ablation.study)
    return f"{title}, {group[1]}" if several else title


def _figure(results: Results, ablation: Ablation, groups: dict) -> Figure:
    names = [_name(results, ablation, group, groups) for group in groups]
    panels = []
    for measure, label in (("acc", "ACC, %"), ("nmi", "NMI, %")):
        bars = [[_bar(runs, measure) for runs in pair] for pair in groups.values()]
        panels.append(bar_chart(label, names, bars))
    bars = [[_time_bar(runs, pair[0]) for runs in pair] for pair in groups.values()]
    panels.append(bar_chart("time, ours = 1", names, bars))
    return Figure(
        ablation.title,
        panels,
        f"Means over the seeds. Time: relative to {ablation.ours[1]}, which is what the method "
        "has; the seconds are in the table.",
        [("b0", ablation.ours[1]), ("b1", ablation.other[1])],
    )


def _bar(runs: Outcome, measure: str) -> Bar | None:
    ours = runs.spread(measure)
    if ours is None:
        return None
    return Bar(ours.mean, ours.sentence(score), ours.sd)


def _time_bar(runs: Outcome, unit: Outcome) -> Bar | None:
    ours, one = runs.spread("seconds"), unit.spread("seconds")
    if ours is None or one is None:
        return None
    return Bar(ours.mean / one.mean, f"seconds: {ours.sentence(seconds)}", ours.sd / one.mean)


def _table(results: Results, ablation: Ablation, groups: dict) -> Table:
    rows = []
    for (data, method), pair in groups.items():
        row = [data_entry(results, data, ablation.study), Entry(method)]
        for measure, write in (("acc", score), ("nmi", score), ("seconds", seconds)):
            row += [number_entry(runs, measure, write) for runs in pair]
        rows.append((*row, _gain(*pair)))
    names = (ablation.ours[1], ablation.other[1])
    columns = [f"{label}, {name}" for label in ("ACC", "NMI", "seconds") for name in names]
    return Table(
        f"{ablation.title}: numbers",
        ("data", "method", *columns, "times faster"),
        rows,
        words=(0, 1),
    )


def _gain(ours: Outcome, other: Outcome) -> Entry:
    fast, slow = ours.spread("seconds"), other.spread("seconds")
    if fast is None or slow is None:
        return missing(NONE)
    times = slow.mean / fast.mean
    return Entry(ratio(times), times, tone=Tone.BETTER if times >= 1 else Tone.WORSE)
