"""A progress display: one bar per stage, with the time left; on a terminal or in a notebook."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from datetime import timedelta
from io import StringIO
from typing import Any

from rich import progress
from rich.console import Console
from rich.text import Text

from lsec.execution.threads import Display

NOTEBOOK_SECONDS = 0.3  # between two updates of a notebook
NOTEBOOK_WIDTH = 100


class StandardError(Console):
    """Standard error, whose end of a pipe may be closed: a fit goes on if nobody watches."""

    def __init__(self) -> None:
        super().__init__(stderr=True)

    def on_broken_pipe(self) -> None:
        """Fall silent."""
        self.quiet = True


class TerminalDisplay(Display):
    """Shows the stages of a run as bars; without a terminal, as one line at the end.

    The time of a stage is the one that the run reports, as in `timings_`. Stages that share a sweep
    share its time.
    """

    def __init__(self, console: Console | None = None):
        self._console = console or StandardError()
        self._bars = progress.Progress(
            progress.TextColumn("  {task.description:<13}"),
            progress.BarColumn(bar_width=30),
            progress.MofNCompleteColumn(),
            _StageTime(),
            console=self._console,
            disable=self._console.is_jupyter or not self._console.is_terminal,
        )
        self._tasks: dict[str, progress.TaskID] = {}
        self._lock = threading.Lock()
        self._bars.start()

    def start(self, stage: str, n_steps: int, n_rows: int) -> None:
        """Announce a stage; announced again, its steps and rows add up."""
        with self._lock:
            if stage not in self._tasks:
                fields: dict[str, Any] = {"rows": 0, "seconds": 0.0}
                self._tasks[stage] = self._bars.add_task(stage, total=0, **fields)
            task = self._bars.tasks[self._tasks[stage]]
            rows = task.fields["rows"] + n_rows
            self._bars.update(task.id, total=(task.total or 0) + n_steps, rows=rows)

    def advance(self, stage: str, seconds: float) -> None:
        """Count one more step of a stage as done, `seconds` after the stage began."""
        with self._lock:
            self._bars.update(self._tasks[stage], advance=1, seconds=seconds)
            self._show()

    def stop(self, seconds: Mapping[str, float]) -> None:
        """End the display with the seconds of all stages; the bars stay."""
        with self._lock:
            for stage in self._tasks.keys() & seconds.keys():
                self._bars.update(self._tasks[stage], seconds=seconds[stage])
        self._bars.stop()
        self._end()

    def _show(self) -> None:
        """Show a change where the bars are not refreshed by themselves."""

    def _end(self) -> None:
        """Show the end of a run where there are no bars."""
        done = [task for task in self._bars.tasks if task.finished]
        if done and not self._console.is_terminal:
            times = (f"{task.description} {duration(task.fields['seconds'])}" for task in done)
            self._console.print(", ".join(times), soft_wrap=True)


class NotebookDisplay(TerminalDisplay):
    """Shows the bars as text below a cell of a notebook, without widgets."""

    def __init__(self, console: Console | None = None):
        super().__init__(console)
        from IPython.display import display

        self._cell: Any = display({"text/plain": ""}, raw=True, display_id=True)
        self._shown = time.monotonic()

    def _show(self) -> None:
        if time.monotonic() - self._shown >= NOTEBOOK_SECONDS:
            self._end()

    def _end(self) -> None:
        text = StringIO()
        Console(file=text, width=NOTEBOOK_WIDTH, force_jupyter=False).print(self._bars)
        self._cell.update({"text/plain": text.getvalue()}, raw=True)
        self._shown = time.monotonic()


def open_display() -> Display:
    """The display of the place where this process runs."""
    console = StandardError()
    return NotebookDisplay(console) if console.is_jupyter else TerminalDisplay(console)


class _StageTime(progress.ProgressColumn):
    """Time of a stage; while it runs, the time so far and an estimate of the rest."""

    max_refresh = 0.5

    def render(self, task: progress.Task) -> Text:
        """Text for one stage; empty until its first step is done."""
        if not task.completed or not task.total:
            return Text("")
        seconds = task.fields["seconds"]
        text = duration(seconds)
        if task.fields["rows"] and seconds:  # a stage that goes over rows
            n_rows = task.fields["rows"] * task.completed / task.total
            text += f", {n_rows / seconds:,.0f} rows/s"
        if task.finished:
            return Text(text, style="progress.elapsed")
        left = seconds * (task.total - task.completed) / task.completed
        return Text(f"{text}, {duration(left)} left", style="progress.remaining")


def duration(seconds: float) -> str:
    """Write a time for human readers.

    >>> duration(3.14), duration(200)
    ('3.1 s', '0:03:20')
    """
    if seconds < 60:
        return f"{seconds:.1f} s"
    return str(timedelta(seconds=round(seconds)))
