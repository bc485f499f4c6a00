"""Average score and average rank, as in the paper."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from statistics import mean

from benchmarks.pages.names import PRINTED, RANKED, printed_name
from benchmarks.pages.numbers import NONE, rounded, signed
from benchmarks.pages.outcome import outcome
from benchmarks.pages.results import Results
from benchmarks.pages.table import Entry, Tone, missing
from benchmarks.paper.printed import data_sets, lsec_paper, lsec_paper_summary

Scores = dict[str, dict[str, float | None]]  # by data set, then by method


def average(scores: Scores, method: str) -> float | None:
    """Return the mean over all data sets, or None if the method lacks one."""
    found = [row.get(method) for row in scores.values()]
    full = [value for value in found if value is not None]
    return mean(full) if full and len(full) == len(found) else None


def average_rank(scores: Scores, method: str, methods: Sequence[str] = RANKED) -> float | None:
    """Return the mean place of a method among `methods`, or None without data sets."""
    return mean(place(row, method, methods) for row in scores.values()) if scores else None


def place(row: Mapping[str, float | None], method: str, methods: Sequence[str]) -> int:
    """Return the place of a method on one data set.

    >>> place({"A": 80.0, "B": 90.0, "C": None}, "A", "ABC")
    2
    >>> place({"A": 80.0, "B": 90.0, "C": None}, "C", "ABC")
    3
    """
    own = row.get(method)
    if own is None:
        return len(methods)
    others = [row.get(other) for other in methods if other != method]
    return 1 + sum(other is not None and other > own for other in others)


def average_sd(data: Iterable[str], method: str, name: str) -> float:
    """Return the standard deviation of a printed average, the data sets being independent."""
    printed = [lsec_paper()[key, method].score(name) for key in data]
    squares = [0.0 if one is None or one.doubtful else one.sd**2 for one in printed]
    return math.sqrt(sum(squares)) / len(squares)


def printed_scores(name: str) -> Scores:
    """Return the printed means of the paper; a misprint counts as none."""
    found: Scores = {data: {} for data in data_sets()}
    for (data, method), cell in lsec_paper().items():
        printed = cell.score(name)
        found[data][method] = printed.mean if printed and not printed.misprint else None
    return found


def our_scores(results: Results, name: str, methods: Sequence[str]) -> Scores:
    """Return our means on the data sets that were run as in the paper.

    A method that was tried in vain has None; one that was not tried is left out.
    """
    found: Scores = {}
    for data in data_sets():
        row: dict[str, float | None] = {}
        for method in methods:
            runs = outcome(results, data, method)
            ours = runs.spread(name)
            if runs.comparable:
                # Means are rounded as the paper rounds them, so that ties are ties.
                row[method] = rounded(ours.mean) if ours else None
        if any(value is not None for value in row.values()):
            found[data] = row
    return found


def with_ours(scores: Scores, ours: Scores, method: str) -> Scores:
    """Put a method of ours in the place that it has in the paper."""
    name = printed_name(method)
    return {
        data: {**scores[data], name: ours[data][method]} for data in ours if method in ours[data]
    }


def not_reproduced() -> list[tuple[str, str, str, float, float]]:
    """Return the printed summary values that do not follow from the printed cells.

    Returns
    -------
    values : list of tuple
        Score, row, method, the printed value and the one that follows.
    """
    found = []
    for (name, row, method), value in lsec_paper_summary().items():
        compute = average if row == "average" else average_rank
        follows = compute(printed_scores(name), method)
        if follows is None or rounded(follows) != value:
            found.append((name, row, method, value, rounded(follows or 0.0)))
    return found


def others_printed(name: str) -> dict[str, float]:
    """Return the average score of every printed method but LSEC that has all data sets."""
    scores = printed_scores(name)
    averages = {method: average(scores, method) for method in PRINTED if method != "LSEC"}
    return {method: value for method, value in averages.items() if value is not None}


NOTHING = Entry("")


def summary_rows(
    results: Results, name: str, methods: list[str], empty: int
) -> list[tuple[Entry, ...]]:
    """Make both rows over the data sets that were run as in the paper.

    Parameters
    ----------
    results : Results
        All cells.
    name : str
        ``"acc"`` or ``"nmi"``.
    methods : list of str
        The columns.
    empty : int
        How many columns follow that have no summary.
    """
    ours = our_scores(results, name, list(dict.fromkeys((*methods, *RANKED))))
    if not ours:
        return []
    printed = {data: printed_scores(name)[data] for data in ours}
    rows = [
        (
            Entry("average score", spread=_over(ours)),
            *(_average_entry(ours, printed, name, method) for method in methods),
            *[NOTHING] * empty,
        )
    ]
    complete = {data: row for data, row in ours.items() if all(m in row for m in RANKED)}
    if complete:
        printed = {data: printed[data] for data in complete}
        rows.append(
            (
                Entry("average rank", spread=_over(complete)),
                *(_rank_entry(complete, printed, name, method) for method in methods),
                *[NOTHING] * empty,
            )
        )
    return rows


def _average_entry(ours: Scores, printed: Scores, name: str, method: str) -> Entry:
    column = printed_name(method)
    theirs = average(printed, column)
    band = 0.0 if theirs is None else average_sd(printed, column, name)
    return _entry(average(ours, method), theirs, _row_in_print(name, "average", column), +1, band)


def _rank_entry(ours: Scores, printed: Scores, name: str, method: str) -> Entry:
    """Rank a method of ours among the paper's seven; LSEC+ and LSEC++ take the place of LSEC."""
    column = printed_name(method)
    if column not in RANKED:
        return NOTHING
    if any(method not in row for row in ours.values()):
        return missing(NONE, "not run on all sets")
    placed = {data: {**row, column: row.get(method)} for data, row in ours.items()}
    return _entry(
        average_rank(placed, column),
        average_rank(printed, column),
        _row_in_print(name, "rank", column),
        -1,
    )


def _entry(
    ours: float | None, printed: float | None, hint: str, better: int, band: float = 0.0
) -> Entry:
    reference = f"{rounded(printed):.2f}" if printed is not None else NONE
    if ours is None:
        return Entry(NONE, reference=reference, tone=Tone.MISSING, hint="not all sets have a score")
    change, tone = "", Tone.PLAIN
    if printed is not None:
        difference = rounded(rounded(ours) - rounded(printed))
        tone = Tone.LEVEL
        if abs(difference) > band:
            tone = Tone.BETTER if difference * better > 0 else Tone.WORSE
        change = signed(difference)
    return Entry(f"{rounded(ours):.2f}", reference=reference, change=change, tone=tone, hint=hint)


def _over(scores: Scores) -> str:
    return f"over {len(scores)} set{'s' * (len(scores) > 1)}"


def _row_in_print(name: str, row: str, method: str) -> str:
    value = lsec_paper_summary().get((name, row, method))
    return "" if value is None else f"summary row in print, all ten sets: {value:.2f}"
