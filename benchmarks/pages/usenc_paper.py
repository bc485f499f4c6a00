"""Section: what the U-SENC paper prints for the same methods, beside ours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from benchmarks.pages.comparison import score_entry, time_entry
from benchmarks.pages.names import METHODS, data_entry, in_order
from benchmarks.pages.numbers import NONE
from benchmarks.pages.outcome import outcome
from benchmarks.pages.results import Results
from benchmarks.pages.table import Entry, Section, Table, Tone, missing
from benchmarks.paper.printed import data_sets, usenc_paper

TITLES = {
    "nmi_max": "NMI by the larger entropy, percent, beside the U-SENC paper",
    "purity": "CA (purity), percent, beside the U-SENC paper",
}
TEXT = (
    "D. Huang and others, “Ultra-scalable spectral clustering and ensemble clustering” (TKDE "
    "2020), ran most of these methods before the LSEC paper did, on the same data, with the same "
    "m = 20 members of 20 to 60 clusters and 20 runs each. The two papers do not always agree "
    "with each other. That paper divides mutual information by the larger entropy, and its CA "
    "lets several clusters stand for one class; the runs are those of the tables above, scored "
    "as it scores them. Its USPS has other rows and is left out."
)


def usenc_paper_section(results: Results) -> Section:
    """Set scores and times beside those of the paper that the LSEC paper follows."""
    run = {(cell.data, cell.method) for cell in results.runs("table")}
    found = [key for key in usenc_paper() if key in run]
    parts = [*(_scores(results, found, name) for name in TITLES), _times(results, found)]
    return Section("usenc-paper", "The U-SENC paper", TEXT, [*parts] if found else [])


def _scores(results: Results, found: list[tuple[str, str]], name: str) -> Table:
    entries = {
        (data, method): score_entry(
            outcome(results, data, method), name, getattr(usenc_paper()[data, method], name)
        )
        for data, method in found
    }
    table = _table(results, TITLES[name], entries, f"Read as above. {_verdict(entries.values())}")
    within = [
        Entry(_within([entry for (_, other), entry in entries.items() if other == method]))
        for method in table.columns[1:]
    ]
    return replace(table, foot=[(Entry("within the printed deviation"), *within)])


def _times(results: Results, found: list[tuple[str, str]]) -> Table:
    entries = {
        (data, method): time_entry(
            outcome(results, data, method), usenc_paper()[data, method].seconds
        )
        for data, method in found
    }
    caption = "Read as above. That paper used a PC with four cores and 64 GB."
    return _table(results, "Time, seconds, beside the U-SENC paper", entries, caption)


def _compared(entries: Iterable[Entry]) -> list[int]:
    """Count the scores that are level with print, above and below."""
    tones = Counter(entry.tone for entry in entries)
    return [tones[tone] for tone in (Tone.LEVEL, Tone.BETTER, Tone.WORSE)]


def _within(entries: Iterable[Entry]) -> str:
    """Say how many scores are level with print."""
    compared = _compared(entries)
    return f"{compared[0]} of {sum(compared)}" if any(compared) else NONE


def _verdict(entries: Iterable[Entry]) -> str:
    """Say how many scores compare how."""
    compared = _compared(entries)
    if not any(compared):
        return ""
    level, above, below = compared
    return (
        f"Of {sum(compared)} scores, {level} are within the printed standard deviation, {above} "
        f"above and {below} below it."
    )


def _table(
    results: Results, title: str, entries: dict[tuple[str, str], Entry], caption: str
) -> Table:
    """Arrange entries by data set and method; the paper does not print all of them."""
    data = in_order((key for key, _ in entries), data_sets())
    methods = in_order((method for _, method in entries), METHODS)
    rows = [
        (
            data_entry(results, key),
            *(entries.get((key, method), missing(NONE)) for method in methods),
        )
        for key in data
    ]
    return Table(title, ("data", *methods), rows, caption=caption)
