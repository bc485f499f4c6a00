"""The plan of a group: its study file, as a list of cells."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.harness.data import DATA, DataSet
from benchmarks.paper import STUDIES
from benchmarks.paper.cell import SIZES, VARIED, Cell
from benchmarks.paper.methods import METHODS


class BadStudy(ValueError):
    """A study file says something that cannot be run."""


@dataclass(frozen=True)
class Study:
    """One part of a study file.

    Attributes
    ----------
    name : str
        One of `benchmarks.paper.STUDIES`.
    data, methods : list of str
    seeds : int
        Seeds 0, 1, ... are run.
    limit_seconds : float
        Wall time that each process may take.
    rows : dict
        Rows of data sets that are not run at full size.
    vary : str or None
        What is varied, one of `benchmarks.paper.cell.VARIED`.
    values : list
        Its values.
    """

    name: str
    data: list[str]
    methods: list[str]
    seeds: int
    limit_seconds: float
    rows: dict[str, int] = field(default_factory=dict)
    vary: str | None = None
    values: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        wrong = [
            *(name for name in [self.name] if name not in STUDIES),
            *(key for key in (*self.data, *self.rows) if key not in DATA),
            *(name for name in self.methods if name not in METHODS),
            *(name for name in [self.vary] if name is not None and name not in VARIED),
        ]
        if wrong:
            raise BadStudy(f"The study {self.name!r} names {wrong[0]!r}, which does not exist.")
        if (self.vary is None) != (not self.values):
            raise BadStudy(f"The study {self.name!r} must give both vary and values, or neither.")
        for key in self.data if self.vary in SIZES else ():
            self._check_sizes(DATA[key])

    def _check_sizes(self, data: DataSet) -> None:
        """Refuse sizes that a data set does not have."""
        most = data.n_features if self.vary == "d" else math.inf if data.made else data.n_rows
        if (self.vary == "d" and data.made) or max(self.values) > most:
            raise BadStudy(
                f"The study {self.name!r} varies {self.vary} up to {max(self.values)}, which "
                f"{data.title} does not have."
            )

    def cells(self, group: str, seed: int) -> Iterator[Cell]:
        """The cells with one seed, those of a data set together."""
        if seed >= self.seeds:
            return
        for key in self.data:
            data = DATA[key].sized(self.rows[key]) if key in self.rows else DATA[key]
            for value in self.values or [None]:
                for name in self.methods:
                    cell = Cell(group, self.name, data, METHODS[name], seed, self.limit_seconds)
                    yield cell if self.vary is None else cell.with_varied(self.vary, value)


def study_file(group: str) -> Path:
    """The study file of a group."""
    return Path(__file__).with_name("groups") / f"{group}.toml"


def read_studies(path: Path) -> list[Study]:
    """The studies of a file.

    What stands before the first ``[[study]]`` (``seeds``, ``limit_seconds``, ``rows``) holds for
    the studies that do not say otherwise.
    """
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    blocks = content.pop("study", [])
    if not blocks:
        raise BadStudy(f"{path.name} has no [[study]].")
    try:
        return [Study(**{**content, **block}) for block in blocks]
    except TypeError as error:
        raise BadStudy(f"{path.name}: {error}") from error


def plan_cells(studies: list[Study], group: str) -> list[Cell]:
    """All cells of a group: all studies with the first seed, then with the second, and so on.

    So a run that is stopped has something of everything.
    """
    most = max(study.seeds for study in studies)
    return [cell for seed in range(most) for study in studies for cell in study.cells(group, seed)]
