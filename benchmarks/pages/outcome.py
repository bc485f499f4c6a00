"""All seeds of one method on one data set, and why runs have no result."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from benchmarks.pages.numbers import Spread, spread
from benchmarks.pages.results import Cell, Results, numbers
from benchmarks.paper.printed import data_sets

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


# A run with other values of these is not the experiment of the paper.
PAPER_PARAMETERS = {"n_base": 20, "n_landmarks": 1000}
OWN_PARAMETERS = {"LSEC++": {"n_landmarks": 2000}}


@dataclass(frozen=True)
class Outcome:
    """The runs of a method on a data set, of any status."""

    cells: list[Cell]

    @property
    def tried(self) -> bool:
        """Whether some run was begun; an absent data set or package is none."""
        return any(cell.status != "absent" for cell in self.cells)

    @property
    def as_printed(self) -> bool:
        """Whether the runs are of the paper's size and parameters, so that they compare."""
        return all(_as_printed(cell) for cell in self.cells)

    @property
    def comparable(self) -> bool:
        """Whether there is something to compare with print, be it a failure."""
        return self.tried and self.as_printed

    @property
    def complete(self) -> bool:
        """Whether every run that was begun has a result."""
        return all(cell.status in ("ok", "absent") for cell in self.cells)

    def spread(self, name: str) -> Spread | None:
        """Summarize a measured number, or return None if no run has it."""
        return spread(numbers(self.cells, name))

    def status(self) -> str:
        """Return what became of runs without a result."""
        counts = Counter(cell.status for cell in self.cells if not cell.ok)
        return counts.most_common(1)[0][0] if counts else "not run"

    def notes(self) -> list[str]:
        """Return what else is to be said: where it ran, and runs without a result."""
        said = [f"machine {n}" for n in sorted({cell.setting for cell in self.cells})]
        lost = reasons_alike(self.cells, lambda cell: (cell.status,))
        said += [f"{len(some)} {status}: {one_of(some)}" for ((status,), _), some in lost.items()]
        return said


def outcome(results: Results, data: str, method: str, study: str = "table") -> Outcome:
    """Return all runs of a method on a data set."""
    return Outcome(results.runs(study, data, method))


def _as_printed(cell: Cell) -> bool:
    printed = data_sets().get(cell.data)
    rows = printed is None or cell.n_rows == printed.rows
    expected = PAPER_PARAMETERS | OWN_PARAMETERS.get(cell.method, {})
    return rows and all(
        cell.parameters.get(name, value) == value for name, value in expected.items()
    )
