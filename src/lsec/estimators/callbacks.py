"""Stages of a fit for the callbacks of scikit-learn 1.9 and later, such as `ProgressBar`."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from lsec.execution.threads import Display

__all__ = ["CallbackDisplay", "CallbackSupportMixin", "with_callbacks"]

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # before scikit-learn 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands in for scikit-learn's: there are no callbacks."""

    def with_callbacks(fit: Any) -> Any:
        """Return the method as it is."""
        return fit


class CallbackDisplay(Display):
    """Stages of a run as subtasks of a fit, and their steps as subtasks of these.

    A stage that is announced again is another task of that name.
    """

    def __init__(self, model: Any, fit: Any):
        self._model, self._fit = model, fit
        self._open: dict[str, list[tuple[Any, int]]] = {}  # tasks of a stage, steps to come
        self._lock = threading.Lock()

    def start(self, stage: str, n_steps: int, n_rows: int) -> None:
        """Begin a task."""
        with self._lock:
            task = self._fit.subcontext(task_name=stage, max_subtasks=n_steps)
            task.call_on_fit_task_begin(estimator=self._model)
            self._open.setdefault(stage, []).append((task, n_steps))

    def advance(self, stage: str, seconds: float) -> None:
        """Count one more step of a stage as done; its task ends with the last one."""
        with self._lock:
            task, n_left = self._open[stage].pop(0)
            step = task.subcontext(task_name="step")
            step.call_on_fit_task_begin(estimator=self._model)
            step.call_on_fit_task_end(estimator=self._model)
            if n_left > 1:
                self._open[stage].insert(0, (task, n_left - 1))
            else:
                task.call_on_fit_task_end(estimator=self._model)

    def stop(self, seconds: Mapping[str, float]) -> None:
        """End the tasks of a run that failed, or whose steps were not all needed."""
        with self._lock:
            for tasks in self._open.values():
                for task, _ in tasks:
                    task.call_on_fit_task_end(estimator=self._model)
            self._open.clear()
