"""Section: the synthetic sets, colored by the result."""

from __future__ import annotations

from html import escape
from pathlib import Path

from lsec.metrics import clustering_accuracy
from lsec.report.cells import Results
from lsec.report.methods import in_order
from lsec.report.names import data_name
from lsec.report.picture import draw_points, png_address, read_picture
from lsec.report.printed import data_sets
from lsec.report.section import Figure, Section
from lsec.report.spread import score


def pictures_section(results: Results) -> Section:
    """Draw every picture of the folder."""
    names = in_order(results.pictures, data_sets())
    panels = [_panel(data_name(results, name, "table"), results.pictures[name]) for name in names]
    figure = Figure(
        "Synthetic sets",
        panels,
        "A point has the color of its cluster, a cluster the color of the class it matches best; "
        "ACC is that of the points shown.",
    )
    return Section(
        "pictures",
        "Pictures",
        "The synthetic sets as LSEC+ divided them with the first seed.",
        [figure] if panels else [],
        empty="No pictures yet.",
    )


def _panel(title: str, path: Path) -> str:
    try:
        X, labels, y = read_picture(path)
    except ValueError as error:  # the rest of the page does not need it
        return f'<p class="empty">{escape(str(error))}</p>'
    text = f"{title}, ACC {score(100 * clustering_accuracy(y, labels))}, {len(X):,} points"
    address = png_address(draw_points(X, y, labels))
    return (
        f'<figure class="picture"><img src="{address}" alt="{escape(text)}">'
        f"<figcaption>{escape(text)}</figcaption></figure>"
    )
