"""Section: other clustering libraries in the same harness."""

from __future__ import annotations

from benchmarks.pages.comparison import number_entry
from benchmarks.pages.names import METHODS, OURS, data_name, in_order
from benchmarks.pages.numbers import NONE, score, seconds, whole
from benchmarks.pages.outcome import Outcome, outcome
from benchmarks.pages.results import Results
from benchmarks.pages.table import Entry, Section, Table, missing
from benchmarks.paper.printed import data_sets

MEASURES = {
    "seconds": ("seconds", seconds),
    "cpu_seconds": ("CPU seconds", seconds),
    "peak_mib": ("peak MiB", whole),
    "acc": ("ACC, %", score),
    "nmi": ("NMI, %", score),
    "ari": ("ARI, %", score),
    "n_clusters_found": ("clusters", whole),
}


def peers_section(results: Results) -> Section:
    """Make a table per data set; LSEC is in it even if only the paper's tables ran it."""
    data = in_order((cell.data for cell in results.runs("peers")), data_sets())
    return Section(
        "peers",
        "Peers",
        "Other methods on the same rows, each run in a process of its own. Peak memory is that of "
        "the process, with interpreter, libraries and data: rows of 32-bit numbers, where LSEC "
        "takes them as they are stored. Rows that a method calls noise count as one more cluster. "
        "LSEC finds as many clusters as there are classes.",
        [_table(results, key) for key in data],
    )


def _table(results: Results, data: str) -> Table:
    peers = {cell.method for cell in results.runs("peers", data)}
    groups = {method: outcome(results, data, method) for method in OURS if method not in peers}
    groups |= {
        method: outcome(results, data, method, "peers") for method in in_order(peers, METHODS)
    }
    rows = [(Entry(method), *_entries(runs)) for method, runs in groups.items() if runs.cells]
    columns = ("method", *(label for label, _ in MEASURES.values()))
    return Table(f"Peers on {data_name(results, data, 'peers')}", columns, rows)


def _entries(runs: Outcome) -> list[Entry]:
    return [
        missing(NONE)
        if runs.spread("seconds") and not runs.spread(name)  # nobody counts what was asked for
        else number_entry(runs, name, write)
        for name, (_, write) in MEASURES.items()
    ]
