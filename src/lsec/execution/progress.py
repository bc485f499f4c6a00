"""Stages of a run: how far each is, and how long each took."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol


class Display(Protocol):
    """Shows stages while they run."""

    def start(self, stage: str, total: int, rows: int) -> None:
        """Announce a stage of `total` steps, which go over a number of rows, or none."""

    def advance(self, stage: str) -> None:
        """One more step of a stage is done."""

    def stop(self) -> None:
        """Nothing follows."""


class Stages:
    """Times the stages of a run and passes their progress on to a display.

    Two stages may run in one sweep over the blocks; each thread then reports its
    share with `part`, and the time of a stage is its share of the threads' time.
    """

    def __init__(self, display: Display | None = None, n_threads: int = 1):
        self.seconds: dict[str, float] = {}
        self._display = display
        self._n_threads = n_threads
        self._steps: dict[str, int] = {}
        self._lock = threading.Lock()

    def announce(self, stage: str, total: int, rows: int = 0) -> None:
        """Start showing a stage of `total` steps over some rows; announced again, they add up."""
        self._steps[stage] = self._steps.get(stage, 0) + total
        if self._display is not None:
            self._display.start(stage, total, rows)

    @contextmanager
    def whole(self, stage: str, total: int = 1) -> Iterator[None]:
        """Time a stage that runs by itself; its steps are advanced inside, the last at the end."""
        self.announce(stage, total)
        with self.during(stage):
            yield
        self.advance(stage)

    @contextmanager
    def during(self, stage: str) -> Iterator[None]:
        """Time a stage that runs by itself; all its steps are advanced inside."""
        start = time.perf_counter()
        yield
        self._add(stage, time.perf_counter() - start)

    @contextmanager
    def part(self, stage: str) -> Iterator[None]:
        """Time one step of a stage that shares its sweep with others."""
        start = time.perf_counter()
        yield
        side_by_side = min(self._n_threads, self._steps[stage])
        self._add(stage, (time.perf_counter() - start) / side_by_side)
        self.advance(stage)

    def advance(self, stage: str) -> None:
        """One more step of a stage is done."""
        if self._display is not None:
            self._display.advance(stage)

    def _add(self, stage: str, seconds: float) -> None:
        with self._lock:
            self.seconds[stage] = self.seconds.get(stage, 0.0) + seconds


@contextmanager
def showing(verbose: int, n_threads: int) -> Iterator[Stages]:
    """Stages of one run, shown on the terminal if `verbose`."""
    display: Display | None = None
    if verbose:
        from lsec.execution.display import TerminalDisplay

        display = TerminalDisplay()
    try:
        yield Stages(display, n_threads)
    finally:
        if display is not None:
            display.stop()
