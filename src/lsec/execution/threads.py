"""Threads of a run: the pool, states lent to its tasks, and the progress that they report."""

from __future__ import annotations

import os
import queue
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from typing import Any, Generic, TypeVar

from threadpoolctl import ThreadpoolController

from lsec.execution.thread_memory import ThreadMemory

Task = TypeVar("Task")
Result = TypeVar("Result")
State = TypeVar("State")


def usable_cores() -> int:
    """Cores this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def thread_count(n_jobs: int | None) -> int:
    """Threads for an `n_jobs` parameter: None and -1 mean all usable cores.

    They are fewer where a cap of memory has no room for so many.
    """
    if n_jobs is None or n_jobs < 0:
        n_jobs = max(1, usable_cores() + 1 + (-1 if n_jobs is None else n_jobs))
    return libraries.affordable(n_jobs)


class _Libraries:
    """BLAS with one thread for each of ours, and memory for all of them, while any run holds it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._memory = ThreadMemory()
        self._n_threads: list[int] = []  # of every run

    @contextmanager
    def held(self, n_threads: int) -> Iterator[None]:
        """Hold the libraries for so many threads."""
        with self._lock:
            self._memory.reserve(n_threads, sum(self._n_threads))
            if not self._n_threads:
                self._controller = ThreadpoolController()
                self._release_openblas()
                self._limits = self._controller.limit(limits=1, user_api="blas")
            self._n_threads.append(n_threads)
        try:
            yield
        finally:
            with self._lock:
                self._n_threads.remove(n_threads)
                if not self._n_threads:
                    self._release_openblas()
                    self._limits.restore_original_limits()
                    self._release_openblas()

    def _release_openblas(self) -> None:
        """Let this thread set the limit: threadpoolctl 3.8 leaves that to the first that did."""
        for library in self._controller.select(internal_api="openblas").lib_controllers:
            release = getattr(library, "clear_controlling_thread", None)
            if release is not None:
                release(force=True)

    def affordable(self, n_threads: int) -> int:
        """Threads, of at most so many and at least one, for which there is memory."""
        with self._lock:
            return self._memory.affordable(n_threads, sum(self._n_threads))


libraries = _Libraries()


class Workers(ExitStack):
    """Threads that do tasks; a context manager, since it also limits BLAS to one thread each.

    Results never depend on the number of threads: tasks are independent, and their sums are
    exact or reduced in the order of the tasks.
    """

    def __init__(self, n_threads: int):
        super().__init__()
        self.n_threads = n_threads

    def __enter__(self) -> Workers:
        self.enter_context(libraries.held(self.n_threads))
        n_helpers = self.n_threads - 1  # the caller of `map` works, too
        self._pool = ThreadPoolExecutor(n_helpers) if n_helpers > 0 else None
        if self._pool is not None:
            self.callback(self._pool.shutdown, cancel_futures=True)
        return self

    def map(
        self,
        function: Callable[[Task], Result],
        tasks: Iterable[Task],
        *,
        done: Callable[[], None] | None = None,
    ) -> list[Result]:
        """Results in the order of the tasks; `done` is called after each task.

        A task may call `map`, too: threads that are free help, and nothing waits for them.
        """
        batch = _Batch(function, tasks, done)
        helpers: list[Future[None]] = []
        n_helpers = 0 if self._pool is None else min(self.n_threads, len(batch)) - 1
        try:
            for _ in range(n_helpers):
                helpers.append(self._submit(batch.work))
            batch.work()
        finally:
            batch.stop()
            wait([helper for helper in helpers if not helper.cancel()])
        return batch.results()

    def _submit(self, work: Callable[[], None]) -> Future[None]:
        """Let a thread of the pool work; it starts if there are fewer than allowed."""
        assert self._pool is not None
        try:
            return self._pool.submit(work)
        except RuntimeError as error:
            raise MemoryError(
                f"The system does not start {self.n_threads} threads: {error}. Pass a smaller "
                f"n_jobs, or raise the limits of this process (ulimit -u, ulimit -v)."
            ) from error


class _Batch(Generic[Task, Result]):
    """Tasks of one `map`, which several threads take one after another."""

    def __init__(
        self,
        function: Callable[[Task], Result],
        tasks: Iterable[Task],
        done: Callable[[], None] | None,
    ):
        self._function = function
        self._tasks = list(tasks)
        self._done = done
        self._results: dict[int, Result] = {}
        self._errors: dict[int, Exception] = {}
        self._begun = 0
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._tasks)

    def work(self) -> None:
        """Do tasks until none is left, or one has failed."""
        while True:
            with self._lock:
                place = self._begun
                self._begun += 1
            if place >= len(self._tasks):
                return
            try:
                self._results[place] = self._function(self._tasks[place])
                if self._done is not None:
                    self._done()
            except Exception as error:
                self._errors[place] = error
                self.stop()

    def stop(self) -> None:
        """Leave the tasks that no thread has begun."""
        with self._lock:
            self._begun = len(self._tasks)

    def results(self) -> list[Result]:
        """Results in the order of the tasks; raises the error of the first that failed."""
        if self._errors:
            raise self._errors[min(self._errors)]
        return [self._results[place] for place in range(len(self))]


class Lent(Generic[State]):
    """States lent to one task at a time, made as they are needed: sums, or scratch memory.

    At most one state exists per thread; the caller adds them up in the end. If there are as many
    as `most`, further threads wait for one. Pickled, there are none.
    """

    def __init__(self, make: Callable[[], State], most: int | None = None):
        self._make = make
        self._most = most
        self._turns = nullcontext() if most is None else threading.Semaphore(most)
        self._free: queue.SimpleQueue[State] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self.states: list[State] = []

    def __reduce__(self) -> tuple[Any, ...]:
        return Lent, (self._make, self._most)

    @contextmanager
    def one(self) -> Iterator[State]:
        """A state that no other task holds at the same time."""
        with self._turns:
            try:
                state = self._free.get_nowait()
            except queue.Empty:
                state = self._make()
                with self._lock:
                    self.states.append(state)
            try:
                yield state
            finally:
                self._free.put(state)


class Display:
    """Shows stages while they run: a line on standard error when one begins."""

    def __init__(self) -> None:
        self._begun: set[str] = set()

    def start(self, stage: str, n_steps: int, n_rows: int) -> None:
        """Announce a stage of `n_steps` steps over `n_rows` rows, or over none."""

    def advance(self, stage: str, seconds: float) -> None:
        """Count one more step of a stage as done, `seconds` after the stage began."""
        if stage not in self._begun:
            self._begun.add(stage)
            with suppress(OSError):  # nobody watches
                print(f"lsec: {stage}", file=sys.stderr, flush=True)

    def stop(self, seconds: Mapping[str, float]) -> None:
        """End the display with the seconds of all stages."""


class Displays(Display):
    """Several displays of the same stages."""

    def __init__(self, *displays: Display):
        self._displays = displays

    def start(self, stage: str, n_steps: int, n_rows: int) -> None:
        """Announce a stage."""
        for one in self._displays:
            one.start(stage, n_steps, n_rows)

    def advance(self, stage: str, seconds: float) -> None:
        """Count one more step of a stage as done."""
        for one in self._displays:
            one.advance(stage, seconds)

    def stop(self, seconds: Mapping[str, float]) -> None:
        """End the displays."""
        for one in self._displays:
            one.stop(seconds)


class Progress:
    """Times the stages of a run and passes their progress on to a display.

    Stages that share a sweep report each `step`, and get their share of the time of the threads.
    """

    def __init__(self, display: Display | None = None, n_threads: int = 1):
        self.seconds: dict[str, float] = {}
        self._display = display
        self._n_threads = n_threads
        self._n_steps: dict[str, int] = {}
        self._running: dict[str, float] = {}  # stages in `timed`, and when they began
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
        start = self._running[stage] = time.perf_counter()
        yield
        del self._running[stage]
        self._add(stage, time.perf_counter() - start)

    @contextmanager
    def step(self, stage: str, side_by_side: int | None = None) -> Iterator[None]:
        """Time one step of a stage, of which so many run at a time; on all threads by default."""
        start = time.perf_counter()
        yield
        side_by_side = side_by_side or min(self._n_threads, self._n_steps[stage])
        self._add(stage, (time.perf_counter() - start) / side_by_side)
        self.advance(stage)

    def advance(self, stage: str) -> None:
        """Count one more step of a stage as done."""
        if self._display is not None:
            now = time.perf_counter()
            running = now - self._running.get(stage, now)
            self._display.advance(stage, self.seconds.get(stage, 0.0) + running)

    def _add(self, stage: str, seconds: float) -> None:
        with self._lock:
            self.seconds[stage] = self.seconds.get(stage, 0.0) + seconds


@contextmanager
def working(
    n_threads: int, verbose: int, watcher: Display | None = None
) -> Iterator[tuple[Workers, Progress]]:
    """Threads of one run, and its progress, displayed on the terminal if `verbose`.

    A `watcher` is told of it, too.
    """
    display: Display | None = None
    if verbose:
        try:
            from lsec.execution.display import open_display

            display = open_display()
        except ImportError:  # rich comes with the extra `cli`
            display = Display()
    if watcher is not None:
        display = watcher if display is None else Displays(display, watcher)
    progress = Progress(display, n_threads)
    try:
        with Workers(n_threads) as workers:
            yield workers, progress
    finally:
        if display is not None:
            display.stop(progress.seconds)
