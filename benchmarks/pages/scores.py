"""Section: ACC, NMI and time of all methods on all data sets, beside print."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from benchmarks.pages.comparison import score_entry, time_entry
from benchmarks.pages.names import METHODS, data_entry, in_order, printed_name
from benchmarks.pages.numbers import TIMES, score
from benchmarks.pages.octave import OCTAVE_METHODS, octave_score, octave_time
from benchmarks.pages.outcome import outcome
from benchmarks.pages.results import Results
from benchmarks.pages.summary import not_reproduced, summary_rows
from benchmarks.pages.table import Entry, Section, Table
from benchmarks.paper.printed import PaperCell, data_sets, lsec_paper

TITLES = {"acc": "ACC, percent", "nmi": "NMI, percent"}
NOTHING_PRINTED = PaperCell(None, None, None, "")
READING = (
    f"Our mean, ± standard deviation, {TIMES} number of seeds, the best of a row in bold; with it "
    "what the paper prints"
)


def scores_section(results: Results) -> Section:
    """Set all three tables of the paper beside ours."""
    found = results.runs("table")
    parts = [score_table(results, "acc"), score_table(results, "nmi"), time_table(results)]
    return Section(
        "scores",
        "Scores and times",
        "ACC is the share of rows under the best one-to-one matching of clusters and classes, NMI "
        "has the geometric mean of the entropies as divisor, times include the generation of the "
        "ensemble. LSEC+ is LSEC with the library's own consensus, LSEC++ the same with 2000 "
        "landmarks instead of 1000; both are compared with the printed LSEC. The paper announces "
        "LWEA and prints no numbers of it. ECC, KCC with the utility of entropies, is in the "
        "U-SENC paper only.",
        [*parts] if found else [],
    )


def score_table(results: Results, name: str) -> Table:
    """Make the table of ``"acc"`` or ``"nmi"``."""
    data, methods = _rows_and_columns(results)

    def entry(key: str, method: str) -> Entry:
        paper = lsec_paper().get((key, printed_name(method)), NOTHING_PRINTED)
        return score_entry(outcome(results, key, method), name, paper.score(name), paper.note)

    rows = [_row(results, key, methods, entry, max) for key in data]
    for number, key in enumerate(data):
        rows[number] += tuple(octave_score(key, method, name) for method in OCTAVE_METHODS)
    caption = (
        f"{READING}, ± standard deviation, and the difference. {_left_out(data)}"
        f"{_irreproducible(name)}"
    )
    foot = summary_rows(results, name, methods, len(OCTAVE_METHODS))
    return Table(TITLES[name], _columns(methods), rows, foot, caption)


def time_table(results: Results) -> Table:
    """Make the table of times."""
    data, methods = _rows_and_columns(results)

    def entry(key: str, method: str) -> Entry:
        paper = lsec_paper().get((key, printed_name(method)), NOTHING_PRINTED)
        return time_entry(outcome(results, key, method), paper.seconds)

    rows = [_row(results, key, methods, entry, min) for key in data]
    for number, key in enumerate(data):
        rows[number] += tuple(octave_time(key, method) for method in OCTAVE_METHODS)
    caption = (
        f"{READING}, and how many times faster ours is. The paper used 8 cores. Octave: as "
        f"released, and with it in the favorable environment. {_left_out(data)}"
    )
    return Table("Time, seconds", _columns(methods), rows, caption=caption)


def _rows_and_columns(results: Results) -> tuple[list[str], list[str]]:
    found = results.runs("table")
    data = in_order((cell.data for cell in found), data_sets())
    return data, in_order((cell.method for cell in found), METHODS)


def _columns(methods: list[str]) -> tuple[str, ...]:
    return ("data", *methods, *(f"{method}, Octave" for method in OCTAVE_METHODS))


def _row(
    results: Results,
    key: str,
    methods: list[str],
    entry: Callable[[str, str], Entry],
    best: Callable,
) -> tuple[Entry, ...]:
    """Make the entries of a data set and mark the best of ours."""
    entries = [entry(key, method) for method in methods]
    found = [made.sort for made in entries if isinstance(made.sort, float)]
    marked = [
        replace(made, best=True) if found and made.sort == best(found) else made for made in entries
    ]
    return (data_entry(results, key), *marked)


def _left_out(data: list[str]) -> str:
    rest = [facts.title for key, facts in data_sets().items() if key not in data]
    return f"Without cells, hence left out: {', '.join(rest)}. " if rest else ""


def _irreproducible(name: str) -> str:
    """Say which printed summary values do not follow from the printed cells."""
    wrong = [
        f"{row} of {method} (printed {score(value)}, follows {score(follows)})"
        for score_name, row, method, value, follows in not_reproduced()
        if score_name == name
    ]
    return (
        "Averages and ranks follow the rule that gives the paper's own rows: ensemble methods "
        "only, an average needs all sets, a method without a score takes the last place. From the "
        f"printed cells, all printed values follow but {'; '.join(wrong)}. Print stands "
        "here with what follows."
        if wrong
        else ""
    )
