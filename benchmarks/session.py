"""One run of one study: which cells to measure, where the data lie, what is already done."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import click

from benchmarks.machine import stamp
from benchmarks.measure import measure
from benchmarks.store import Results
from benchmarks.tables import Cells, Table
from lsec.bench.data import DataSet

Choice = TypeVar("Choice")
SMALL_PARAMETERS = {"n_landmarks": 200}


class NotLoaded(RuntimeError):
    """A data set cannot be loaded."""


@dataclass(frozen=True)
class Plan:
    """What the command line asks for.

    Attributes
    ----------
    small : bool
        Small sizes, few landmarks, one seed, one repeat.
    n_seeds, n_repeats : int or None
        Numbers of seeds and repeats; None leaves them to the study.
    only : tuple of str
        Keys of the data sets to take; empty for all.
    """

    small: bool = False
    n_seeds: int | None = None
    n_repeats: int | None = None
    only: tuple[str, ...] = ()

    def pick(self, full: Choice, small: Choice) -> Choice:
        """The value for the full or for the small version."""
        return small if self.small else full

    def parameters(self, estimator: str) -> dict:
        """Parameters of a fit: the defaults, or what makes it cheap in the small version."""
        return self.pick({}, {} if estimator == "KMeans" else SMALL_PARAMETERS)

    def seeds(self, default: int = 5) -> range:
        """Seeds to run."""
        return range(self.n_seeds or self.pick(default, 1))

    def repeats(self, default: int = 3) -> range:
        """Repeats to run."""
        return range(self.n_repeats or self.pick(default, 1))

    def chosen(self, keys: list[str]) -> list[str]:
        """Those of the data sets that the command line asks for."""
        return [key for key in keys if not self.only or key in self.only]


class Session(AbstractContextManager):
    """Measures the cells of a study that are not done; keeps data sets in a temporary folder.

    Parameters
    ----------
    plan : Plan
    results : Results
        Where cells are added; a cell that is there is not measured again.
    save : callable
        Called with the results after every cell.
    """

    def __init__(self, plan: Plan, results: Results, save: Callable[[Results], None]):
        self.plan = plan
        self.results = results
        self._save = save
        self._staged: dict[str, Path] = {}

    def __enter__(self) -> Session:
        self.scratch = Path(tempfile.mkdtemp(prefix="lsec-benchmark-data-"))
        return self

    def __exit__(self, *exception) -> None:
        shutil.rmtree(self.scratch, ignore_errors=True)

    def cell(self, key: str, run: Callable[[], dict]) -> None:
        """Measure a cell unless it is done."""
        if key in self.results.cells:
            return
        start = time.perf_counter()
        record = run()
        click.echo(f"  {key}: {time.perf_counter() - start:.1f} s in all", err=True)
        self.results.cells[key] = {**record, **stamp()}
        self._save(self.results)

    def fit(self, key: str, data: DataSet, estimator: str, seed: int, **parameters) -> None:
        """Measure the fit of an estimator."""
        settings = {
            "n_clusters": data.n_clusters,
            "random_state": seed,
            **self.plan.parameters(estimator),
            **parameters,
        }

        def run() -> dict:
            folder = self.folder(data)
            asked = {"estimator": estimator, "parameters": settings}
            done = measure("fit", folder=folder, thorough=not self.plan.small, **asked)
            return done.run("fit")

        self.cell(key, run)

    def folder(self, data: DataSet) -> str:
        """The folder with the arrays of a data set, made when first asked for."""
        name = repr(data)
        if name not in self._staged:
            place = Path(tempfile.mkdtemp(dir=self.scratch))
            outcome = measure("stage", folder=str(place), **data.request).result
            if "not_run" in outcome:
                raise NotLoaded(outcome["not_run"])
            self._staged[name] = place
        return str(self._staged[name])

    @contextmanager
    def attempt(self, key: str) -> Iterator[None]:
        """Note that a data set was not run, and why, when it cannot be loaded."""
        absent = f"{key}/not run"
        self.results.cells.pop(absent, None)
        try:
            yield
        except NotLoaded as error:
            click.echo(f"  {key}: not run: {error}", err=True)
            self.results.cells[absent] = {"reason": str(error), **stamp()}
            self._save(self.results)


@dataclass(frozen=True)
class Study:
    """A study: how to measure it and how to show what was measured.

    Attributes
    ----------
    name, title : str
        Its name on the command line, and in the report.
    text : str
        What is measured, for the report.
    run : callable
        Measures the cells, with a `Session`.
    tables : callable
        Makes the tables from the cells.
    resumable : bool
        Whether cells of an earlier run are kept. A study of ratios starts over, since its
        ratios are taken in one run.
    """

    name: str
    title: str
    text: str
    run: Callable[[Session], None]
    tables: Callable[[Cells], list[Table]]
    resumable: bool = False
