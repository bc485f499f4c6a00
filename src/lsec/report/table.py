"""A table as data: what each entry says, how it compares and how it sorts."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum


class Tone(Enum):
    """How an entry compares with print; renderers choose a color and keep the sign."""

    PLAIN = "plain"
    BETTER = "better"
    LEVEL = "level"
    WORSE = "worse"
    MISSING = "missing"


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
    """

    text: str
    sort: float | str | None = None
    spread: str = ""
    reference: str = ""
    change: str = ""
    tone: Tone = Tone.PLAIN
    hint: str = ""
    best: bool = False


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


def plain(*texts: object) -> tuple[Entry, ...]:
    """Make a row of entries that only say something."""
    return tuple(Entry(str(text)) for text in texts)


def missing(text: str, hint: str = "") -> Entry:
    """Make an entry for a number that is not there."""
    return Entry(text, tone=Tone.MISSING, hint=hint)
