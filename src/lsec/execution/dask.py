"""Block functions on the workers of a Dask cluster: rows stay there, small results come back.

All work is handed to Dask as delayed calls on *parts* of the rows, runs of whole blocks. Results do
not depend on which worker does which part: sums are integers or are added in the order of the
blocks, and distinct labels are ordered by the row in which they first occur.
"""

from __future__ import annotations

import operator
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar
from uuid import uuid4

import dask
import numpy as np

from lsec.execution.distinct import Counted, DistinctLabels, LabelCounter, merge
from lsec.execution.executor import (
    BlockFunction,
    Labeler,
    OpenDevice,
    Placed,
    Sums,
    Total,
    ValuesByKey,
    blocks_of,
    zeros,
)
from lsec.execution.memory import MemoryPlan, device_budget
from lsec.execution.threads import Lent, Progress, libraries, working
from lsec.output.labels import MemorySpool, Spool
from lsec.sources import ArraySource, Source
from lsec.sources.dask import MOST_PART_BLOCKS, DaskRows
from lsec.typing import AnyArray, Int32

if TYPE_CHECKING:
    from lsec.execution.cuda import CudaExecutor

Result = TypeVar("Result")
OpenExecutor: TypeAlias = Callable[[], "AbstractContextManager[CudaExecutor | None]"]
TOTALS_ADDED_AT_ONCE = 8
PARTS_PER_THREAD = 4

_one_part = threading.Lock()  # on the GPU of this process


class DaskExecutor:
    """Runs block functions on the cluster of the active client.

    Without a client, Dask runs them on `n_threads` threads of this process.
    """

    holds_rows = False

    def __init__(
        self,
        progress: Progress,
        n_threads: int,
        open_device: OpenDevice | None = None,
        memory_limit: int | float | str | None = None,
    ):
        self._on_device = partial(on_device, open_device, memory_limit)
        self._client = active_client()
        self._progress = progress
        self._parts: dict[Source, list[Any]] = {}
        on_cluster = self._client is not None
        self._n_threads = sum(self._client.nthreads().values()) if on_cluster else n_threads

    def map(self, source: Source, function: BlockFunction[Result], stage: str) -> Iterator[Result]:
        """Yield the value of every block, in the order of the blocks."""
        for part in self._run(source, stage, partial(map_part, function)):
            yield from dask.compute(part)[0]

    def reduce(
        self, source: Source, function: ValuesByKey, sums: Sums, stages: tuple[str, str]
    ) -> dict[Any, Any]:
        """Add up values over all blocks; see `Executor.reduce`. Timed as the second stage."""
        given = dict(sums)
        work = partial(reduce_part, function, given, Lent(partial(zeros, given)), self._on_device)
        held = self._run(source, stages[1], work)
        totals = held  # which must stay referenced until the sum is here: its results go with it
        while len(totals) > 1:
            lows = range(0, len(totals), TOTALS_ADDED_AT_ONCE)
            totals = [call(add_totals, totals[low : low + TOTALS_ADDED_AT_ONCE]) for low in lows]
        result: dict[Any, Any] = dask.compute(*totals)[0]
        return result

    def distinct(
        self, source: Source, labeler: Labeler, stage: str, spool: Spool | None = None
    ) -> DistinctLabels:
        """Count the distinct rows of labels; rows, and a number for each, stay on the workers."""
        if spool is not None:
            raise ValueError(
                "Labels of rows on Dask stay on its workers; they cannot be kept in this process. "
                "Pass no spool."
            )
        held = self._run(source, stage, partial(count_part, labeler, self._on_device))
        merged, numbers = merge(dask.compute(*(part[0] for part in held)))
        labels = merged.labels(labeler.n_columns, labeler.dtype)
        return SpreadRows(labels, merged, numbers, held, source)

    def place(self, problem: Placed) -> Any:
        """Solve a problem between the sweeps on the threads of this process."""
        return problem

    def _run(self, source: Source, stage: str, work: Callable[[Source], Any]) -> list[Any]:
        """Call a function of a part for all parts; the results stay where they are made."""
        if source not in self._parts:
            self._parts[source] = parts_of(source, self._n_threads)
        parts = self._parts[source]
        shared = share(work)
        calls = [call(operator.call, shared, part) for part in parts]
        self._progress.announce(stage, len(parts), source.shape[0])
        with self._progress.timed(stage):
            return hold(calls, self._client, lambda: self._progress.advance(stage))


@dataclass(frozen=True)
class SpreadRows(DistinctLabels):
    """Distinct labels of rows that stay on the workers."""

    numbers: list[Int32]  # distinct row of each distinct row of a part
    held: list[Any]  # delayed result of `count_part` for each part
    source: Source

    def parts(self, values: AnyArray) -> Iterator[AnyArray]:
        """Values of all rows, part by part, from those (n', ...) of the distinct rows."""
        for one in self._calls(values):
            yield dask.compute(one)[0]

    def look_up(self, values: AnyArray) -> Any:
        """Values (n, ...) of all rows: a Dask array with the rows' chunks if they are one."""
        if not isinstance(self.source, DaskRows):
            return np.concatenate(list(self.parts(values)))
        from dask import array

        shapes = [(size, *values.shape[1:]) for size in np.diff(self.source.borders).tolist()]
        pairs = zip(self._calls(values), shapes, strict=True)
        whole = array.concatenate([array.from_delayed(*pair, values.dtype) for pair in pairs])
        return whole.rechunk({0: self.source.array.chunks[0]}).persist()

    def _calls(self, values: AnyArray) -> list[Any]:
        """Calls for the values of the rows of each part from those of the distinct rows."""
        return [
            call(operator.getitem, values[numbers], part[1])
            for part, numbers in zip(self.held, self.numbers, strict=True)
        ]


# Work on one part, done by a worker


def map_part(function: BlockFunction[Result], part: Source) -> list[Result]:
    """Values of the blocks of a part."""
    with libraries.held(1):
        return list(map(function, blocks_of(part)))


def reduce_part(
    function: ValuesByKey,
    sums: Sums,
    lent: Lent[dict[Any, Total]],
    open_executor: OpenExecutor,
    part: Source,
) -> dict[Any, Any]:
    """Sums over the blocks of a part, in totals that a worker lends to one part at a time."""
    with open_executor() as executor:
        if executor is not None:
            return executor.reduce(part, function, sums, ("neighbors", "Gram"))
    with lent.one() as totals, libraries.held(1):
        for block in blocks_of(part):
            for key, value in function(block, list(totals)).items():
                totals[key].add(value)
        return {key: total.take() for key, total in totals.items()}


def add_totals(parts: list[dict[Any, Any]]) -> dict[Any, Any]:
    """Sums over several parts."""
    first, *others = parts
    return {key: sum((other[key] for other in others), total) for key, total in first.items()}


def count_part(
    labeler: Labeler, open_executor: OpenExecutor, part: Source
) -> tuple[Counted, Int32]:
    """Distinct labels of a part, and the number int32 (n,) of every row among them."""
    spool = MemorySpool(part.shape[0])
    with open_executor() as executor:
        if executor is not None:
            rows = executor.distinct(part, labeler, "labels", spool)
            return rows.counted, rows.of_row()
    counter = LabelCounter(labeler.n_columns, labeler.dtype, spool, first_row=part.first_row)
    with libraries.held(1):
        for block in blocks_of(part):
            counter.add(block.span, labeler(block))
    rows = counter.finish()
    return rows.counted, rows.of_row()


@contextmanager
def on_device(
    open_device: OpenDevice | None, memory_limit: int | float | str | None
) -> Iterator[CudaExecutor | None]:
    """Executor on the GPU of this worker, for one part at a time; None without a GPU."""
    device = None if open_device is None else open_device()
    if device is None:
        yield None
        return
    from lsec.execution.cuda import CudaExecutor

    with _one_part, working(1, verbose=0) as (workers, progress):
        budget = device_budget(memory_limit, device.free_bytes)
        yield CudaExecutor(device, workers, progress, MemoryPlan(0, 0, on_device=budget))


# Delayed calls, run on the workers of a client or on Dask's threads in this process


def parts_of(source: Source, n_threads: int) -> list[Any]:
    """Delayed sources of the parts of all rows, several for each thread."""
    if isinstance(source, DaskRows):
        return source.parts()
    if isinstance(source, ArraySource):
        raise ValueError(
            "client runs on rows that workers can reach: pass X as a path or as a Dask array, "
            "such as dask.array.from_array(X)."
        )
    n = source.n_blocks
    step = max(1, min(MOST_PART_BLOCKS, n // (PARTS_PER_THREAD * n_threads)))
    return [share(source.part(range(low, min(low + step, n)))) for low in range(0, n, step)]


def active_client() -> Any:
    """The active client, or None."""
    try:
        from distributed import default_client

        return default_client()
    except (ImportError, ValueError):
        return None


def share(value: Any) -> Any:
    """A value that many calls take: part of the graph, it cannot be lost with a worker."""
    return dask.delayed(value, name=f"lsec-{type(value).__name__}-{uuid4()}", traverse=False)


def call(function: Callable[..., Any], *arguments: Any) -> Any:
    """A call for Dask to make."""
    return dask.delayed(function, pure=False)(*arguments)


def hold(calls: list[Any], client: Any, step: Callable[[], None]) -> list[Any]:
    """Make calls and leave their results on the workers; `step` is called after each."""
    held = list(dask.persist(*calls))
    if client is None:
        for _ in held:
            step()
        return held
    from distributed import as_completed, futures_of

    for future in as_completed(futures_of(held)):
        if future.status == "error":
            future.result()
        step()
    return held
