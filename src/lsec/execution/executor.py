"""Runs of block functions over the blocks of a source: on threads of this process, or on Dask."""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import reduce
from itertools import product
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

import numpy as np

from lsec.execution.checkpoint import Checkpoint
from lsec.execution.distinct import DistinctLabels, LabelCounter
from lsec.execution.memory import (
    MemoryPlan,
    NeighborCache,
    device_budget,
    memory_budget,
    shares,
)
from lsec.execution.threads import Display, Lent, Progress, Workers, working
from lsec.output.labels import Spool
from lsec.sources import Source
from lsec.sources.dask import DaskRows
from lsec.typing import AnyArray, Int64, RawRows

if TYPE_CHECKING:
    from lsec.kernels.cuda.device import Device

Result = TypeVar("Result")
Key = TypeVar("Key", bound=Hashable)
RESULTS_AT_ONCE = 256  # results of `map` that are held before they are passed on


@dataclass(frozen=True)
class Block:
    """A canonical block of a source; its rows are read on demand."""

    source: Source
    number: int

    @property
    def span(self) -> slice:
        """Positions of the rows in the source."""
        return self.source.span(self.number)

    @property
    def weights(self) -> Int64 | None:
        """Weights of the rows (b,); None if every row counts once."""
        weights = self.source.weights
        return None if weights is None else weights[self.span]

    @property
    def codes(self) -> AnyArray:
        """Codes (b, c) of the categorical columns."""
        assert self.source.codes is not None
        return self.source.codes[self.span]

    def read(self) -> RawRows:
        """Raw rows, finite."""
        return self.source.block(self.number)


BlockFunction: TypeAlias = Callable[[Block], Result]
OpenDevice: TypeAlias = Callable[[], "Device | None"]


class Total(Protocol):
    """A running sum of values of blocks."""

    def add(self, value: Any) -> None:
        """Add the value of a block."""

    def take(self) -> Any:
        """Return the sum, which supports ``+`` in any order, and start again from zero."""


class Sum(Protocol):
    """A sum over all blocks that does not depend on their order."""

    @property
    def n_bytes(self) -> int:
        """Memory of a total, at most."""

    def useful_totals(self, n_rows: int) -> int:
        """Return how many totals, at least one, save time if several threads add so many rows."""

    def zero(self) -> Total:
        """Return a total of no blocks."""

    @property
    def n_bytes_on_device(self) -> int:
        """Memory of a total on a device."""

    def zero_on(self, device: Any) -> Total:
        """Return a total of no blocks on a device."""


Sums: TypeAlias = Mapping[Any, Sum]


class ValuesByKey(Protocol):
    """A block function that gives the value of a block for each of some keys."""

    def __call__(self, block: Block, keys: Sequence[Any], /) -> Mapping[Any, Any]:
        """Values of a block by key."""

    def on_device(self, device: Any, cache: Any) -> Any:
        """Return the function of pieces of the rows on a device that gives the same values."""


class Labeler(Protocol):
    """A block function whose values are labels, unsigned (n, m)."""

    def __call__(self, block: Block) -> AnyArray:
        """Labels of the rows of a block."""

    @property
    def n_columns(self) -> int:
        """Number of labels of each row, m."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the labels."""

    def runs_on_device(self, source: Source) -> bool:
        """Whether there is a function for rows like those of a source on a device."""

    def on_device(self, device: Any, cache: Any) -> Any:
        """Return the function of pieces of the rows on a device that gives the same labels."""


class Placed(Protocol):
    """A problem between the sweeps."""

    def on_device(self, device: Any) -> Any:
        """Return what solves the same problem with the help of a device."""


class Executor(Protocol):
    """Runs block functions over the blocks of a source."""

    holds_rows: bool  # whether values per row are in the memory of this process

    def map(self, source: Source, function: BlockFunction[Result], stage: str) -> Iterator[Result]:
        """Yield the value of every block, in the order of the blocks."""

    def reduce(
        self, source: Source, function: ValuesByKey, sums: Sums, stages: tuple[str, str]
    ) -> dict[Any, Any]:
        """Add up values over all blocks, several sums in one sweep.

        `function` takes a block and keys of `sums`, and returns the value of the block for each
        key. Computing and adding the values are timed as two stages.
        """

    def distinct(
        self, source: Source, labeler: Labeler, stage: str, spool: Spool | None = None
    ) -> DistinctLabels:
        """Count the distinct rows of labels; an executor that holds rows needs a spool."""

    def place(self, problem: Placed) -> Any:
        """Place a problem between the sweeps where it is solved: on a device if there is one."""


class ThreadExecutor:
    """Runs block functions on the threads of this process."""

    holds_rows = True

    def __init__(self, workers: Workers, progress: Progress, memory: MemoryPlan):
        self._workers = workers
        self._progress = progress
        self._memory = memory

    def map(self, source: Source, function: BlockFunction[Result], stage: str) -> Iterator[Result]:
        """Yield the value of every block, in the order of the blocks."""

        def timed(block: Block) -> Result:
            with self._progress.step(stage):
                return function(block)

        self._progress.announce(stage, source.n_blocks, source.shape[0])
        blocks = blocks_of(source)
        for low in range(0, len(blocks), RESULTS_AT_ONCE):
            yield from self._workers.map(timed, blocks[low : low + RESULTS_AT_ONCE])

    def reduce(
        self, source: Source, function: ValuesByKey, sums: Sums, stages: tuple[str, str]
    ) -> dict[Any, Any]:
        """Add up values over all blocks; see `Executor.reduce`.

        With fewer blocks than threads, every key is a task of its own. Threads share the totals of
        a key if more of them would cost time or exceed the memory.
        """
        apart = source.n_blocks < self._workers.n_threads
        groups = [[key] for key in sums] if apart else [list(sums)]
        most = self._memory.sums_at_once(sum(one.n_bytes for one in sums.values()))
        lent = {
            key: Lent(one.zero, min(most, one.useful_totals(source.shape[0])))
            for key, one in sums.items()
        }
        for stage in stages:
            self._progress.announce(stage, len(groups) * source.n_blocks, source.shape[0])

        def add_block(task: tuple[list[Any], Block]) -> None:
            keys, block = task
            with self._progress.step(stages[0]):
                values = function(block, keys)
            with self._progress.step(stages[1]):
                first = block.number % len(keys)  # threads begin with different keys
                for key in [*keys[first:], *keys[:first]]:
                    with lent[key].one() as total:
                        total.add(values[key])

        self._workers.map(add_block, product(groups, blocks_of(source)))

        def add_totals(key: Any) -> Any:
            totals = lent.pop(key).states
            return reduce(operator.iadd, (totals.pop().take() for _ in range(len(totals))))

        return dict(zip(sums, self._workers.map(add_totals, sums), strict=True))

    def distinct(
        self, source: Source, labeler: Labeler, stage: str, spool: Spool | None = None
    ) -> DistinctLabels:
        """Count the distinct rows of labels, and keep a number for every row in the spool."""
        assert spool is not None
        counter = LabelCounter(labeler.n_columns, labeler.dtype, spool, first_row=source.first_row)

        def count(block: Block) -> None:
            with self._progress.step(stage):
                counter.add(block.span, labeler(block), block.weights)

        self._progress.announce(stage, source.n_blocks, source.shape[0])
        self._workers.map(count, blocks_of(source))
        return counter.finish()

    def place(self, problem: Placed) -> Any:
        """Solve a problem between the sweeps on the threads."""
        return problem


def zeros(sums: Mapping[Key, Sum]) -> dict[Key, Total]:
    """Totals of no blocks."""
    return {key: one.zero() for key, one in sums.items()}


def blocks_of(source: Source) -> list[Block]:
    """All blocks of a source."""
    return [Block(source, number) for number in range(source.n_blocks)]


@dataclass(frozen=True)
class Run:
    """Means of a run; none of them changes a result."""

    executor: Executor  # for the sweeps over the rows
    workers: Workers  # threads of this process, for the small problems between the sweeps
    memory: MemoryPlan
    cache: NeighborCache
    checkpoint: Checkpoint | None
    progress: Progress


@contextmanager
def open_run(
    source: Source,
    *,
    n_threads: int,
    memory_limit: int | float | str | None,
    verbose: int,
    client: Any = None,
    checkpoint: Checkpoint | None = None,
    result_bytes: int = 0,
    open_device: OpenDevice | None = None,
    watcher: Display | None = None,
) -> Iterator[Run]:
    """Start the threads of a run, or connect it to the workers of a Dask cluster.

    Without a client, Dask collections run on the active one and all other rows in this process.
    A limit on the whole process leaves room for `result_bytes` of fitted members. With
    `open_device`, sweeps run on the GPU that it opens, on Dask on that of every worker. A `watcher`
    is told of the progress.
    """
    limit = budget = memory_budget(memory_limit)
    on_dask = client is not None or isinstance(source, DaskRows)
    if not (on_dask or source.in_memory):
        n_threads, budget = shares(budget, n_threads, source.block_bytes, result_bytes)
    memory = MemoryPlan(
        limit,
        budget,
        n_copies=1 if on_dask else n_threads,
        keeps_neighbors=not on_dask,
        whole_process=not source.in_memory,
    )
    active = nullcontext() if client is None else client.as_current()
    with working(n_threads, verbose, watcher) as (workers, progress), active:
        executor: Executor = ThreadExecutor(workers, progress, memory)
        if on_dask:
            from lsec.execution.dask import DaskExecutor

            executor = DaskExecutor(progress, n_threads, open_device, memory_limit)
        elif open_device is not None and (device := open_device()) is not None:
            from lsec.execution.cuda import CudaExecutor

            memory = replace(memory, on_device=device_budget(memory_limit, device.free_bytes))
            executor = CudaExecutor(device, workers, progress, memory)
        yield Run(executor, workers, memory, NeighborCache(), checkpoint, progress)
