"""A run of the pipeline: its executor, threads, memory, cache, checkpoint and progress."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

from lsec.execution.checkpoint import Checkpoint
from lsec.execution.executor import Executor, ThreadExecutor
from lsec.execution.memory import MemoryPlan, NeighborCache, memory_budget, shares
from lsec.execution.progress import Progress, reporting
from lsec.execution.threads import Workers
from lsec.sources import Source
from lsec.sources.dask import DaskRows


@dataclass(frozen=True)
class Run:
    """Means of a run; none of them changes a result.

    Attributes
    ----------
    executor : Executor
        Runs block functions over the rows.
    workers : Workers
        Threads of this process, for the small problems between the sweeps.
    memory : MemoryPlan
    cache : NeighborCache
    checkpoint : Checkpoint
    progress : Progress
    """

    executor: Executor
    workers: Workers
    memory: MemoryPlan
    cache: NeighborCache
    checkpoint: Checkpoint
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
) -> Iterator[Run]:
    """Start the threads of a run, or connect it to the workers of a Dask cluster.

    Parameters
    ----------
    client : distributed.Client, optional
        Cluster to run on. By default, Dask collections run on the active client and all other
        rows in this process.
    result_bytes : int
        Memory of the fitted members, which a limit on the whole process has to leave room for.
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
    with reporting(verbose, n_threads) as progress, Workers(n_threads) as workers:
        executor: AbstractContextManager[Executor]
        if on_dask:
            from lsec.execution.dask import DaskExecutor

            executor = DaskExecutor(client, progress, n_threads)
        else:
            executor = nullcontext(ThreadExecutor(workers, progress, memory))
        with executor as running:
            cache = NeighborCache()
            yield Run(running, workers, memory, cache, checkpoint or Checkpoint(), progress)
