"""What a worker does with its part of the rows: what a whole fit does with all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from lsec.execution.distinct import Counted
from lsec.execution.progress import Stages
from lsec.execution.threads import Lent, Workers
from lsec.output.spool import MemorySpool
from lsec.rows.frame import Frame
from lsec.sources import Source
from lsec.spectral.gram_sums import GramSums
from lsec.spectral.sweep import Grams, GramTask, LabelsRows, Sweeper, empty_grams


@contextmanager
def sweeping(part: Source) -> Iterator[Sweeper]:
    """A sweeper over a part; Dask runs as many of them at once as a worker has threads."""
    with Workers(1) as workers:
        yield Sweeper(part, workers, Stages(), budget=0)


@dataclass
class GramWork:
    """What sweep A needs, and on a worker the tables it adds to, lent to one part at a time."""

    frame: Frame
    tasks: Mapping[int, GramTask]

    def __getstate__(self) -> dict[str, Any]:
        return {"frame": self.frame, "tasks": self.tasks}

    @cached_property
    def scratch(self) -> Lent[Grams]:
        """Gram matrices without any rows."""
        return Lent(lambda: empty_grams(self.tasks))


def gram_of_part(part: Source, work: GramWork) -> dict[int, GramSums]:
    """Sums of the Gram matrices over a part."""
    with work.scratch.one() as grams, sweeping(part) as sweeper:
        sweeper.announce_grams([len(work.tasks)])
        for block in range(part.n_blocks):
            sweeper.add_block(work.frame, work.tasks, block, grams)
        return {s: gram.take() for s, gram in grams.items()}


def add_grams(parts: list[dict[int, GramSums]]) -> dict[int, GramSums]:
    """Sums over several parts."""
    first, *others = parts
    for other in others:
        first = {s: sums + other[s] for s, sums in first.items()}
    return first


def run_on_part(part: Source, function: Callable[[Sweeper, int], Any]) -> list[Any]:
    """Results of a function (sweeper, block) for the blocks of a part."""
    with sweeping(part) as sweeper:
        return sweeper.run("blocks", function)


def label_part(part: Source, ensemble: LabelsRows) -> tuple[Counted, np.ndarray]:
    """Distinct base labels of a part, and the number int32 (n,) of every row among them."""
    with sweeping(part) as sweeper:
        rows = sweeper.label(ensemble, MemorySpool)
        return rows.counted, rows.of_row()


def look_up(labeled: tuple[Counted, np.ndarray], values: np.ndarray) -> np.ndarray:
    """Values (n, ...) of the rows of a part from those (n', ...) of its distinct base labels."""
    return values[labeled[1]]
