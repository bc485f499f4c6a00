"""Reasons why runs have no result: those that differ in their numbers only are one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from lsec.report.cells import Cell

Place = tuple[str, ...]


def without_numbers(reason: str) -> str:
    """Return a reason that is the same for all seeds.

    >>> without_numbers("36,089 micro-clusters take 4.85 GiB")
    '# micro-clusters take # GiB'
    """
    return re.sub(r"\d[\d.,]*", "#", reason)


def one_of(reasons: Sequence[str]) -> str:
    """Return one of some reasons that are alike, and say that there are others.

    >>> one_of(["2 is too large", "3 is too large"])
    '2 is too large (one of 2 such reasons)'
    """
    alike = len(set(reasons))
    return min(reasons) + (f" (one of {alike} such reasons)" if alike > 1 else "")


def reasons_alike(
    cells: Iterable[Cell], place: Callable[[Cell], Place]
) -> dict[tuple[Place, str], list[str]]:
    """Gather the reasons of all cells without a result, by place and by what they say."""
    groups: dict[tuple[Place, str], list[str]] = {}
    for cell in cells:
        if not cell.ok:
            alike = place(cell), without_numbers(cell.reason)
            groups.setdefault(alike, []).append(cell.reason)
    return groups
