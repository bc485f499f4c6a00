"""Names of data sets, as entries that sort in the order of the paper."""

from __future__ import annotations

from lsec.report.cells import Results
from lsec.report.printed import data_sets
from lsec.report.table import Entry


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
