"""Sweeps on Dask's workers: rows stay there, sums and distinct labels come back.

All work is handed to Dask as delayed calls on parts of the rows: Dask decides who does what,
and does it again where a worker is lost. Results depend on neither: Gram sums are whole
numbers, and distinct labels are ordered by the row in which they first occur.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, ClassVar

import numpy as np

from lsec.distributed import tasks as on_worker
from lsec.distributed.calls import active_client, call, fetch, hold, share
from lsec.distributed.labeled import SpreadRows
from lsec.execution.distinct import merge
from lsec.output.spool import Spool
from lsec.rows.frame import Frame
from lsec.sources import ArraySource, Source
from lsec.sources.dask import MOST_PART_BLOCKS, DaskRows
from lsec.spectral.gram_sums import GramSums
from lsec.spectral.sweep import GramTask, LabelsRows, Sums, Sweeper

ADDED_AT_ONCE = 8
PARTS_PER_THREAD = 4


@dataclass
class DaskSweeper(Sweeper):
    """Runs sweeps on a Dask cluster, or on Dask's own threads where there is no client.

    Attributes
    ----------
    client : distributed.Client, optional
        By default the active one.
    """

    client: Any = None
    _parts: list[Any] = field(default_factory=list)
    rows_are_here: ClassVar[bool] = False

    def __post_init__(self):
        self.client = self.client or active_client()
        n_threads = self.workers.n_threads
        if self.client is not None:
            n_threads = sum(self.client.nthreads().values())
        self._parts = parts_of(self.source, n_threads)

    @property
    def n_steps(self) -> int:
        """Steps of a sweep: parts."""
        return len(self._parts)

    def kept_at_once(self, tasks: list[GramTask]) -> int:
        """None: neighbors are found again. What a worker keeps would be lost with it."""
        return 0

    def sets_at_once(self, tasks: list[GramTask]) -> int:
        """Landmark sets whose Gram matrices fit the budget, here one for each thread."""
        largest = max(task.gram_bytes for task in tasks)
        return max(1, (self.budget // 2) // largest)

    def announce_grams(self, sets: Sequence[int]) -> None:
        """Show sweep A, which is to run for so many landmark sets at a time."""
        self.announce("Gram", len(sets))

    def total(
        self, stage: str, function: Callable[[Sweeper, int], list[np.ndarray]]
    ) -> list[np.ndarray]:
        """Sums of the arrays that a function (sweeper, block) gives for every block."""
        self.announce(stage)
        shared = share(function)
        held = self._sweep(stage, [call(on_worker.run_on_part, p, shared) for p in self._parts])
        sums = Sums()
        for part in held:
            (blocks,) = fetch([part], self.client)
            sums.add(blocks)
        return sums.arrays

    def grams(
        self, frame: Frame, tasks: Mapping[int, GramTask], keep: Collection[int] = ()
    ) -> dict[int, GramSums]:
        """Sweep A: Gram matrices of some landmark sets over all rows."""
        shared = share(on_worker.GramWork(frame, dict(tasks)))
        held = self._sweep("Gram", [call(on_worker.gram_of_part, p, shared) for p in self._parts])
        sums = held  # which must live on until the sum is here: its results go with it
        while len(sums) > 1:
            lows = range(0, len(sums), ADDED_AT_ONCE)
            sums = [call(on_worker.add_grams, sums[low : low + ADDED_AT_ONCE]) for low in lows]
        return fetch(sums, self.client)[0]

    def label(
        self,
        ensemble: LabelsRows,
        make_spool: Callable[[int], Spool],
        base: np.ndarray | None = None,
    ) -> SpreadRows:
        """Sweep B: distinct base labels of all rows; what is per row stays on the workers."""
        self.announce("labels")
        shared = share(ensemble)
        held = self._sweep("labels", [call(on_worker.label_part, p, shared) for p in self._parts])
        counted = fetch([call(itemgetter(0), part) for part in held], self.client)
        merged, numbers = merge(counted)
        labels = merged.labels(len(ensemble.n_labels), ensemble.dtype)
        return SpreadRows(labels, merged, numbers, held, self.source, self.client)

    def _sweep(self, stage: str, calls: list[Any]) -> list[Any]:
        """Run calls; their results stay on the workers."""
        with self.stages.during(stage):
            return hold(calls, self.client, lambda: self.stages.advance(stage))


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
