"""A progress display on standard error: one bar per stage, with the time left."""

from __future__ import annotations

import threading
from datetime import timedelta

from rich import progress
from rich.console import Console
from rich.text import Text

from lsec.execution.threads import Display


class StandardError(Console):
    """Standard error, whose end of a pipe may be closed: a fit goes on if nobody watches."""

    def __init__(self) -> None:
        super().__init__(stderr=True)

    def on_broken_pipe(self) -> None:
        """Fall silent."""
        self.quiet = True


class TerminalDisplay(Display):
    """Shows the stages of a run as bars; without a terminal, as one line at the end.

    The time of a stage starts with its first step: at the end of the step before it.
    """

    def __init__(self, console: Console | None = None):
        self._console = console or StandardError()
        self._watched = self._console.is_terminal or self._console.is_jupyter
        self._progress = progress.Progress(
            progress.TextColumn("  {task.description:<13}"),
            progress.BarColumn(bar_width=30),
            progress.MofNCompleteColumn(),
            _StageTime(),
            console=self._console,
            disable=not self._watched,
        )
        self._tasks: dict[str, progress.TaskID] = {}
        self._lock = threading.Lock()
        self._latest = self._progress.get_time()
        self._progress.start()

    def start(self, stage: str, n_steps: int, n_rows: int) -> None:
        """Announce a stage; announced again, its steps and rows add up."""
        with self._lock:
            if stage not in self._tasks:
                self._tasks[stage] = self._progress.add_task(stage, total=0, rows=0)
            task = self._progress.tasks[self._tasks[stage]]
            rows = task.fields["rows"] + n_rows
            self._progress.update(task.id, total=(task.total or 0) + n_steps, rows=rows)
            self._latest = self._progress.get_time()

    def advance(self, stage: str) -> None:
        """Count one more step of a stage as done."""
        with self._lock:
            task = self._progress.tasks[self._tasks[stage]]
            if not task.completed:
                task.start_time = self._latest
            self._progress.advance(task.id)
            self._latest = self._progress.get_time()

    def stop(self) -> None:
        """End the display; the bars stay."""
        self._progress.stop()
        done = [task for task in self._progress.tasks if task.finished_time is not None]
        if done and not self._watched:
            times = (f"{task.description} {duration(task.finished_time or 0)}" for task in done)
            self._console.print(", ".join(times), soft_wrap=True)


class _StageTime(progress.ProgressColumn):
    """Time of a stage; while it runs, the time so far and an estimate of the rest."""

    max_refresh = 0.5

    def render(self, task: progress.Task) -> Text:
        """Text for one stage; empty until its first step is done."""
        if not task.completed:
            return Text("")
        seconds = task.finished_time or task.elapsed or 0
        text = duration(seconds)
        if task.fields["rows"] and task.total and seconds:  # a stage that goes over rows
            n_rows = task.fields["rows"] * task.completed / task.total
            text += f", {n_rows / seconds:,.0f} rows/s"
        if task.finished_time is not None:
            return Text(text, style="progress.elapsed")
        left = task.time_remaining
        text += "" if left is None else f", {duration(left)} left"
        return Text(text, style="progress.remaining")


def duration(seconds: float) -> str:
    """Write a time for human readers.

    >>> duration(3.14), duration(200)
    ('3.1 s', '0:03:20')
    """
    if seconds < 60:
        return f"{seconds:.1f} s"
    return str(timedelta(seconds=round(seconds)))
