"""Callbacks of scikit-learn 1.9 and later, such as `ProgressBar`, told of the stages of a fit."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeVar

from lsec.execution.threads import Display

__all__ = ["CallbackDisplay", "CallbackSupportMixin", "stages_of", "tells_callbacks"]

Fit = TypeVar("Fit", bound=Callable[..., Any])

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # an earlier scikit-learn

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands in for scikit-learn's: there are no callbacks."""

    with_callbacks = None


def tells_callbacks(fit: Fit) -> Fit:
    """Decorator of methods that fit: callbacks hear of the fit; of its stages, see `stages_of`."""
    if with_callbacks is None:
        return fit

    @with_callbacks  # type: ignore[untyped-decorator,unused-ignore]
    @wraps(fit)
    def told(model: Any, *args: Any, **kwargs: Any) -> Any:
        if not getattr(model, "_skl_callbacks", None):
            return fit(model, *args, **kwargs)
        context = model._init_callback_context(max_subtasks=None)
        context.call_on_fit_task_begin(estimator=model)
        fitted = fit(model, *args, **kwargs)
        context.call_on_fit_task_end(estimator=model)
        return fitted

    return told  # type: ignore[no-any-return,unused-ignore]


def stages_of(model: Any) -> Display | None:
    """Display that tells the callbacks of a model of the stages of the fit that runs, if any."""
    context = getattr(model, "_callback_fit_ctx", None)
    return None if context is None else CallbackDisplay(model, context)


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
