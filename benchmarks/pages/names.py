"""Names of methods and data sets, in the order of the pages."""

from __future__ import annotations

from collections.abc import Iterable

from benchmarks.pages.results import Results
from benchmarks.pages.table import Entry
from benchmarks.paper.printed import data_sets

# LSEC+ is LSEC with the library's own consensus, LSEC++ the same with twice the landmarks; both
# are compared with the printed LSEC. ECC is KCC with the utility of entropies, which only the
# U-SENC paper prints.
METHODS = (
    "LSEC",
    "LSEC+",
    "LSEC++",
    "U-SENC",
    "LWGP",
    "LWEA",
    "SEC",
    "PTGP",
    "KCC",
    "ECC",
    "EAC",
    "DnC-SC",
)
OURS = ("LSEC", "LSEC+", "LSEC++")
# The seven methods of the printed summary rows: those that join an ensemble.
RANKED = ("EAC", "KCC", "PTGP", "SEC", "LWGP", "U-SENC", "LSEC")
PRINTED = ("DnC-SC", *RANKED)


def printed_name(method: str) -> str:
    """Return the method of the paper that a method is compared with."""
    return "LSEC" if method in OURS else method


def in_order(names: Iterable[str], order: Iterable[str]) -> list[str]:
    """Return distinct names, the known ones first and in their order.

    >>> in_order({"b", "x", "a"}, ("a", "b", "c"))
    ['a', 'b', 'x']
    """
    found = set(names)
    known = [name for name in order if name in found]
    return known + sorted(found - set(known))


def data_entry(
    results: Results, key: str, study: str = "table", varied: str | None = None
) -> Entry:
    """Name a data set as it was run in a study, or as it is planned.

    Where another size was run than the paper has, the paper's is named in small type; where
    several sizes were run, the name has no size. `varied` takes the runs that vary a parameter.
    """
    known, order = data_sets().get(key), list(data_sets())
    printed = known.title if known else key
    runs = results.runs(study, key)
    if varied is not None:
        runs = [cell for cell in runs if cell.varied and cell.varied[0] == varied]
    run = {cell.title for cell in runs if cell.title}
    titles = run or results.planned_titles.get((study, key), set())
    if len(titles) > 1:
        title, note = printed.split("-")[0], ""
    else:
        title = next(iter(titles), printed)
        note = f"(paper: {printed})" if known and title != printed else ""
    return Entry(title, float(order.index(key) if key in order else len(order)), note)


def data_name(results: Results, key: str, study: str, varied: str | None = None) -> str:
    """Return the name of a data set as it was run in a study."""
    return data_entry(results, key, study, varied).text
