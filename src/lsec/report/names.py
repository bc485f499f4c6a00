"""Names of data sets, as entries that sort in the order of the paper."""

from __future__ import annotations

from lsec.report.cells import Results
from lsec.report.printed import data_sets
from lsec.report.table import Entry


def data_entry(results: Results, key: str) -> Entry:
    """Name a data set; where fewer rows were run than the paper has, say how many."""
    cells = [cell for cell in results.cells if cell.data == key]
    order = list(data_sets())
    known = data_sets().get(key)
    title = known.title if known else next((cell.title for cell in cells if cell.title), key)
    rows = {cell.n_rows for cell in cells if cell.study == "table" and cell.n_rows}
    fewer = sorted(rows - {known.rows}) if known else []
    return Entry(
        title,
        float(order.index(key)) if key in order else float(len(order)),
        "of " + ", ".join(f"{n:,}" for n in fewer) + " rows" if fewer else "",
    )
