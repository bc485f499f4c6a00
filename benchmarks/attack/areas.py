"""What is attacked, how often, and what a process may take."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.attack.supervise import Limits

GIB = 2**30
SHORT, USUAL, LONG = "short", "usual", "long"


@dataclass(frozen=True)
class Area:
    """An area of the campaign.

    Attributes
    ----------
    title : str
        For the table.
    cases : dict of int
        Number of cases in the short, the usual and the long form.
    portion : int
        Cases of one process, which are kept together.
    limits : Limits
        What a process may take.
    in_order : bool
        Whether a case depends on those before it in its portion.
    """

    title: str
    cases: dict[str, int]
    portion: int
    limits: Limits
    in_order: bool = False


def cases(short: int, usual: int, long: int) -> dict[str, int]:
    """Numbers of cases by form."""
    return {SHORT: short, USUAL: usual, LONG: long}


AREAS = {
    "models": Area(
        "Model files, changed in values, arrays and bytes",
        cases(150, 2000, 20_000),
        1000,
        Limits(5.0, 3 * GIB),
    ),
    "rows": Area(
        "Rows and label matrices of every kind and size",
        cases(60, 1000, 10_000),
        500,
        Limits(30.0, 3 * GIB),
    ),
    "files": Area(
        "Files of rows and labels: damaged, lying, hostile, or changing",
        cases(40, 500, 4000),
        250,
        Limits(60.0, 3 * GIB),
    ),
    "faults": Area(
        "Signals, no room and lost folders during fit, predict, save and resume",
        cases(6, 48, 240),
        24,
        Limits(120.0, 4 * GIB),
    ),
    "load": Area(
        "Fits at once in threads and processes, with lost Dask workers, a hundred in a row",
        cases(2, 6, 60),
        6,
        Limits(300.0, 8 * GIB),
    ),
    "soak": Area("Fits under a cap of memory", cases(7, 56, 280), 28, Limits(60.0, 4 * GIB)),
    "numbers": Area(
        "Labels on processors without some instructions",
        cases(1, 7, 14),
        7,
        Limits(300.0, 4 * GIB),
    ),
    "fuzz": Area(
        "Files that grow from those that reached new lines of the readers, 200 in each case",
        cases(2, 60, 1000),
        50,
        Limits(60.0, 3 * GIB),
        in_order=True,
    ),
}
