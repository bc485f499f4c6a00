"""Average score and average rank, as in the paper.

The rule that gives the printed rows from the printed cells: of the methods that join an ensemble
(DnC-SC is left out), the *average score* is the mean over the data sets and is printed only for
methods that have all of them; the *average rank* counts 1 for the best, and a method without a
score on a data set takes the last place there.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from statistics import mean

from lsec.report.cells import Results
from lsec.report.methods import PRINTED, RANKED, printed_name
from lsec.report.outcome import outcome
from lsec.report.printed import data_sets, lsec_paper, lsec_paper_summary
from lsec.report.spread import rounded

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
