"""The rows "average score" and "average rank" below a table."""

from __future__ import annotations

from lsec.report.cells import Results
from lsec.report.methods import RANKED, printed_name
from lsec.report.signs import NONE, signed
from lsec.report.spread import rounded
from lsec.report.summary import (
    Scores,
    average,
    average_rank,
    average_sd,
    lsec_paper_summary,
    our_scores,
    printed_scores,
)
from lsec.report.table import Entry, Tone, missing

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
