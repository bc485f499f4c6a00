"""A progress display in the terminal: one bar per stage, with the time left."""

from __future__ import annotations

import threading

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)


class TerminalDisplay:
    """Shows the stages of a run as bars on standard error."""

    def __init__(self, console: Console | None = None):
        self._progress = Progress(
            TextColumn("{task.description:<13}"),
            BarColumn(bar_width=30),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=console or Console(stderr=True),
        )
        self._tasks: dict[str, TaskID] = {}
        self._lock = threading.Lock()
        self._progress.start()

    def start(self, stage: str, total: int) -> None:
        """Announce a stage; announced again, its steps add up."""
        with self._lock:
            if stage in self._tasks:
                task = self._progress.tasks[self._tasks[stage]]
                self._progress.update(task.id, total=(task.total or 0) + total)
            else:
                self._tasks[stage] = self._progress.add_task(stage, total=total)

    def advance(self, stage: str) -> None:
        """One more step of a stage is done."""
        self._progress.advance(self._tasks[stage])

    def stop(self) -> None:
        """Leave the bars as they are."""
        self._progress.stop()
