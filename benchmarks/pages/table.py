"""Sections, tables and figures as data: what each entry says, how it compares and how it sorts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum


class Tone(Enum):
    """How an entry compares with print; renderers choose a color and keep the sign."""

    PLAIN = "plain"
    BETTER = "better"
    LEVEL = "level"
    WORSE = "worse"
    MISSING = "missing"


class Verdict(Enum):
    """Whether a target is reached."""

    MET = "met"
    MISSED = "missed"
    OPEN = "not yet run"
    NOT_JUDGED = "not judged"


@dataclass(frozen=True)
class Entry:
    """One entry.

    Parameters
    ----------
    text : str
        What it says.
    sort : float or str, optional
        What it sorts by; by default its text.
    spread : str
        Spread and seed count, in small type beside the text.
    reference : str
        What it is compared with, in small type below.
    change : str
        The difference, beside the reference.
    tone : Tone
        How it compares.
    hint : str
        All else, shown when pointed at.
    best : bool
        Whether it is the best of its row.
    verdict : Verdict, optional
        The verdict that it says.
    """

    text: str
    sort: float | str | None = None
    spread: str = ""
    reference: str = ""
    change: str = ""
    tone: Tone = Tone.PLAIN
    hint: str = ""
    best: bool = False
    verdict: Verdict | None = None


@dataclass(frozen=True)
class Table:
    """A table; the first column names the row, `foot` are rows that stay last when sorted."""

    title: str
    columns: tuple[str, ...]
    rows: list[tuple[Entry, ...]]
    foot: list[tuple[Entry, ...]] = field(default_factory=list)
    caption: str = ""
    folded: bool = False
    words: tuple[int, ...] = (0,)  # columns of words, which are set flush left


def plain(*values: object) -> tuple[Entry, ...]:
    """Make a row of entries that only say something."""
    return tuple(
        Entry(value.value, verdict=value) if isinstance(value, Verdict) else Entry(str(value))
        for value in values
    )


def missing(text: str, hint: str = "") -> Entry:
    """Make an entry for a number that is not there."""
    return Entry(text, tone=Tone.MISSING, hint=hint)


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
