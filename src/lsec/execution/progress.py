"""Progress of a run: the steps of each stage that are done, and the seconds it took."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol


class Display(Protocol):
    """Shows stages while they run."""

    def start(self, stage: str, n_steps: int, n_rows: int) -> None:
        """Announce a stage of `n_steps` steps over `n_rows` rows, or over none."""

    def advance(self, stage: str) -> None:
        """Count one more step of a stage as done."""

    def stop(self) -> None:
        """End the display."""


class Progress:
    """Times the stages of a run and passes their progress on to a display.

    Two stages may share a sweep over the blocks; each thread then reports its steps with
    `step`, and the time of a stage is its share of the time of the threads.
    """

    def __init__(self, display: Display | None = None, n_threads: int = 1):
        self.seconds: dict[str, float] = {}
        self._display = display
        self._n_threads = n_threads
        self._n_steps: dict[str, int] = {}
        self._lock = threading.Lock()

    def announce(self, stage: str, n_steps: int, n_rows: int = 0) -> None:
        """Show a stage with its number of steps; announced again, steps and rows add up."""
        self._n_steps[stage] = self._n_steps.get(stage, 0) + n_steps
        if self._display is not None:
            self._display.start(stage, n_steps, n_rows)

    @contextmanager
    def stage(self, name: str, n_steps: int = 1) -> Iterator[None]:
        """Announce and time a stage that shares no sweep; ends with its last step."""
        self.announce(name, n_steps)
        with self.timed(name):
            yield
        self.advance(name)

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        """Time a stage whose steps are all advanced inside."""
        start = time.perf_counter()
        yield
        self._add(stage, time.perf_counter() - start)

    @contextmanager
    def step(self, stage: str) -> Iterator[None]:
        """Time one step of a stage; steps may run on several threads at a time."""
        start = time.perf_counter()
        yield
        side_by_side = min(self._n_threads, self._n_steps[stage])
        self._add(stage, (time.perf_counter() - start) / side_by_side)
        self.advance(stage)

    def advance(self, stage: str) -> None:
        """Count one more step of a stage as done."""
        if self._display is not None:
            self._display.advance(stage)

    def _add(self, stage: str, seconds: float) -> None:
        with self._lock:
            self.seconds[stage] = self.seconds.get(stage, 0.0) + seconds


class PlainDisplay:
    """Writes a line to standard error when a stage begins; used without rich."""

    def __init__(self) -> None:
        self._begun: set[str] = set()

    def start(self, stage: str, n_steps: int, n_rows: int) -> None:
        """Announce nothing: a line appears with the first step."""

    def advance(self, stage: str) -> None:
        """Write the name of a stage whose first step is done."""
        if stage not in self._begun:
            self._begun.add(stage)
            print(f"lsec: {stage}", file=sys.stderr, flush=True)

    def stop(self) -> None:
        """End the display."""


@contextmanager
def reporting(verbose: int, n_threads: int) -> Iterator[Progress]:
    """Progress of one run, displayed on the terminal if `verbose`."""
    display: Display | None = None
    if verbose:
        try:
            from lsec.execution.display import TerminalDisplay

            display = TerminalDisplay()
        except ImportError:  # rich comes with the extra `cli`
            display = PlainDisplay()
    try:
        yield Progress(display, n_threads)
    finally:
        if display is not None:
            display.stop()
