"""A study of ours, and one run of it: the cells to measure, where the data lie, what is done."""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from benchmarks.harness import tasks
from benchmarks.harness.data import DataSet
from benchmarks.harness.machine import machine, stamp
from benchmarks.harness.process import measure
from benchmarks.harness.store import Record, Records
from benchmarks.pages.table import Table

Choice = TypeVar("Choice")
Cells = Mapping[str, Record]
SMALL_PARAMETERS = {"n_landmarks": 200}


class NotLoaded(RuntimeError):
    """A data set cannot be loaded."""


class OtherMachine(RuntimeError):
    """Results to continue were measured elsewhere."""


@dataclass(frozen=True)
class Plan:
    """The options of the command line.

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

    def parameters(self, estimator: str) -> dict[str, Any]:
        """Parameters of a fit: the defaults, or fewer landmarks in the small version."""
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
    cells : Records
        Where records are added; a cell that is there is not measured again.
    """

    def __init__(self, plan: Plan, cells: Records):
        self.plan = plan
        self.cells = cells
        self._about = machine()
        self._staged: dict[str, Path] = {}

    def __enter__(self) -> Session:
        self.scratch = Path(tempfile.mkdtemp(prefix="lsec-benchmark-data-"))
        return self

    def __exit__(self, *exception: object) -> None:
        shutil.rmtree(self.scratch, ignore_errors=True)

    def cell(self, key: str, run: Callable[[], Record]) -> None:
        """Measure a cell unless it is done."""
        if key in self.cells:
            return
        start = time.perf_counter()
        record = run()
        print(f"  {key}: {time.perf_counter() - start:.1f} s in all", file=sys.stderr)
        self.cells.add(key, {**record, **self._about, **stamp()})

    def fit(self, key: str, data: DataSet, estimator: str, seed: int, **parameters: Any) -> None:
        """Measure the fit of an estimator."""
        settings = {
            "n_clusters": data.n_clusters,
            "random_state": seed,
            **self.plan.parameters(estimator),
            **parameters,
        }

        def run() -> Record:
            asked = {"folder": self.folder(data), "estimator": estimator, "parameters": settings}
            return measure(tasks.fit, thorough=not self.plan.small, **asked).record()

        self.cell(key, run)

    def folder(self, data: DataSet) -> str:
        """The folder with the arrays of a data set, made when first asked for."""
        name = repr(data)
        if name not in self._staged:
            place = Path(tempfile.mkdtemp(dir=self.scratch))
            staged = measure(tasks.stage, folder=str(place), **data.request).result
            if "not_run" in staged:
                raise NotLoaded(staged["not_run"])
            self._staged[name] = place
        return str(self._staged[name])

    @contextmanager
    def attempt(self, key: str) -> Iterator[None]:
        """Note that a data set was not run, and why, when it cannot be loaded."""
        absent = f"{key}/not run"
        self.cells.remove([absent])
        try:
            yield
        except NotLoaded as error:
            print(f"  {key}: not run: {error}", file=sys.stderr)
            self.cells.add(absent, {"reason": str(error), **self._about, **stamp()})


@dataclass(frozen=True)
class Study:
    """A study: how to measure it and how to show the results.

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

    @classmethod
    def of_module(cls, module: ModuleType) -> Study:
        """The study that a module describes in its docstring, and runs."""
        title, _, text = (module.__doc__ or "").strip().partition("\n\n")
        title = title.removesuffix(".")
        return cls(
            name=module.__name__.rpartition(".")[2],
            title=title,
            text=" ".join(text.split()),
            run=module.run,
            tables=module.tables,
            resumable=getattr(module, "RESUMABLE", False),
        )

    def measure(self, plan: Plan, folder: Path | None = None, fresh: bool = False) -> Records:
        """Measure the cells that are not done, and return all.

        Parameters
        ----------
        plan : Plan
        folder : Path, optional
            Where the records are; by default they are kept in memory only. A study that can be
            resumed is stored cell by cell, any other when it is complete.
        fresh : bool
            Whether to drop the cells of the data sets asked for first.
        """
        stored = Records(self.name, folder)
        cells = stored if self.resumable else Records(self.name)
        if self.resumable:
            self._begin(stored, plan, fresh)
        try:
            with Session(plan, cells) as session:
                self.run(session)
            if not self.resumable:
                stored.replace(cells)
        finally:
            stored.compact()
        return cells

    def _begin(self, stored: Records, plan: Plan, fresh: bool) -> None:
        """Drop what is not to be kept; numbers of different machines are never mixed."""
        dropped = {
            key for key in stored if fresh and (not plan.only or key.split("/")[0] in plan.only)
        }
        here = described_machine(machine())
        for key in [key for key in stored if key not in dropped]:
            there = described_machine(stored[key])
            changed = [name for name in here if there.get(name) != here[name]]
            if changed:
                raise OtherMachine(
                    f"The stored results of {self.name} were measured on another machine or with "
                    f"other versions ({', '.join(changed)} differ). Pass --fresh to start over."
                )
        stored.remove(dropped)


def described_machine(record: Record) -> dict[str, str]:
    """Hardware and versions of a record, in one table."""
    return {**record["machine"], **record["versions"]}
