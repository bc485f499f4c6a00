"""Names of data sets, as entries that sort in the order of the paper."""

from __future__ import annotations

from lsec.report.cells import Results
from lsec.report.printed import data_sets
from lsec.report.table import Entry


def data_entry(results: Results, key: str, study: str = "table") -> Entry:
    """Name a data set as it was run in a study.

    Where another size was run than the paper has, the paper's is named in small type; where
    several sizes were run, the name has no size.
    """
    known, order = data_sets().get(key), list(data_sets())
    printed = known.title if known else key
    titles = {cell.title for cell in results.runs(study, key) if cell.title}
    if len(titles) > 1:
        title, note = printed.split("-")[0], ""
    else:
        title = next(iter(titles), printed)
        note = f"(paper: {printed})" if known and title != printed else ""
    return Entry(title, float(order.index(key) if key in order else len(order)), note)


def data_name(results: Results, key: str, study: str) -> str:
    """Return the name of a data set as it was run in a study."""
    return data_entry(results, key, study).text
