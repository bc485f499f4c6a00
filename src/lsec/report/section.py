"""A section of the pages as data: tables, figures and what they are about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from lsec.report.table import Table


@dataclass(frozen=True)
class Figure:
    """Charts or pictures side by side.

    Parameters
    ----------
    title : str
        What they show.
    panels : list of str
        SVG or HTML of each chart or picture.
    caption : str
        How to read them.
    legend : sequence of (str, str)
        Class and name of every kind of line or bar.
    """

    title: str
    panels: list[str]
    caption: str
    legend: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True)
class Section:
    """A section; without parts it says `empty` instead."""

    name: str
    title: str
    text: str
    parts: list[Table | Figure] = field(default_factory=list)
    empty: str = "No cells of this study yet."
