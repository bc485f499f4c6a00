"""All seeds of one method on one data set."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from lsec.report.cells import Cell, Results, numbers
from lsec.report.printed import data_sets
from lsec.report.reasons import one_of, reasons_alike
from lsec.report.spread import Spread, spread

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
