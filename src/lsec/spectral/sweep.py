"""Sweeps over the row blocks: the only work that grows with the number of rows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np

from lsec.execution.budget import return_freed_memory
from lsec.execution.checkpoint import Checkpoint
from lsec.execution.distinct import DistinctLabels, LabelCounter, NumberedRows
from lsec.execution.progress import Stages
from lsec.execution.threads import Lent, Workers
from lsec.output.spool import FileSpool, Spool
from lsec.rows.frame import Frame
from lsec.rows.rows import LandmarkTree, Neighbors
from lsec.sources import Source
from lsec.spectral.gram_sums import GramSums
from lsec.spectral.gram_table import GramTable

Result = TypeVar("Result")
ADDED_AT_ONCE = 256  # blocks whose sums are held before they are added
Grams = dict[int, GramTable]  # by the number of the landmark set


@dataclass(frozen=True)
class GramTask:
    """What a landmark set needs to have its Gram matrices summed up.

    Attributes
    ----------
    tree : LandmarkTree
    first_member : int32 (K,)
        First member that uses the s-th nearest landmark.
    rates : float32 (q,)
        Affinity rate of each member.
    quartic : bool
    """

    tree: LandmarkTree
    first_member: np.ndarray
    rates: np.ndarray
    quartic: bool

    @property
    def n_neighbors(self) -> int:
        """Neighbors to search for each row."""
        return len(self.first_member)

    @property
    def n_cells(self) -> int:
        """Cells of one triangle of the Gram matrices."""
        p = self.tree.n_landmarks
        return p * (p + 1) // 2

    @property
    def gram_bytes(self) -> int:
        """Memory of the Gram matrices, at most."""
        return GramTable.most_bytes(self.n_cells, len(self.rates))

    def empty_gram(self) -> GramTable:
        """Gram matrices without any rows."""
        return GramTable(self.n_cells, self.first_member, self.rates, self.quartic)


def empty_grams(tasks: Mapping[int, GramTask]) -> Grams:
    """Gram matrices of landmark sets without any rows."""
    return {s: task.empty_gram() for s, task in tasks.items()}


class Sums:
    """Sums of lists of arrays, added in the order in which they come."""

    def __init__(self) -> None:
        self.arrays: list[np.ndarray] = []

    def add(self, parts: Iterable[list[np.ndarray]]) -> None:
        """Add some lists of the same shapes."""
        for part in parts:
            self.arrays = self.arrays or [np.zeros_like(array) for array in part]
            for total, array in zip(self.arrays, part, strict=True):
                total += array


class LabelsRows(Protocol):
    """A fitted ensemble of any kind."""

    @property
    def n_clusters(self) -> list[int]:
        """Number of base clusters of each member."""

    @property
    def n_labels(self) -> np.ndarray:
        """Number of labels in each column, int64 (m,)."""

    @property
    def dtype(self) -> np.dtype:
        """Smallest unsigned type that holds the labels."""

    def finer(self, sweeper: Sweeper) -> LabelsRows:
        """The ensemble with one more base clustering that tells most rows apart."""

    def labels(self, sweeper: Sweeper, block: int) -> np.ndarray:
        """Base labels of a block of rows, unsigned (n, m)."""


@dataclass
class Sweeper:
    """Runs block functions over a source and keeps neighbors within a memory budget.

    Half the budget is for neighbors, half for the Gram matrices of the threads.
    """

    source: Source
    workers: Workers
    stages: Stages
    budget: int
    checkpoint: Checkpoint = field(default_factory=Checkpoint)
    _kept: dict[tuple[LandmarkTree, int], Neighbors] = field(default_factory=dict)
    rows_are_here: ClassVar[bool] = True

    @property
    def n_steps(self) -> int:
        """Steps of a sweep, for the display."""
        return self.source.n_blocks

    def kept_at_once(self, tasks: list[GramTask]) -> int:
        """Landmark sets whose neighbors, of all rows, fit the budget."""
        largest = max(Neighbors.bytes_per_row(task.n_neighbors) for task in tasks)
        return (self.budget // 2) // (self.source.shape[0] * largest)

    def forget_neighbors(self) -> None:
        """Make room for the neighbors of other landmark sets."""
        self._kept.clear()

    def sets_at_once(self, tasks: list[GramTask]) -> int:
        """Landmark sets whose Gram matrices fit the budget, one copy per thread."""
        largest = max(task.gram_bytes for task in tasks)
        return max(1, (self.budget // 2) // (largest * self.workers.n_threads))

    def copies_at_once(self, tasks: Mapping[int, GramTask]) -> int:
        """Copies of the Gram matrices that fit the budget; threads may be more."""
        return max(1, (self.budget // 2) // sum(task.gram_bytes for task in tasks.values()))

    def tidy(self) -> None:
        """Give freed memory back where the whole process has to keep the limit."""
        if not self.source.in_memory:
            return_freed_memory()

    def announce(self, stage: str, n_sweeps: int = 1) -> None:
        """Show a stage that goes over all rows, if it is to run at all."""
        if n_sweeps:
            self.stages.announce(stage, n_sweeps * self.n_steps, n_sweeps * self.source.shape[0])

    def announce_grams(self, sets: Sequence[int]) -> None:
        """Show the stages of sweep A, which is to run for so many landmark sets at a time."""
        steps = self.n_steps * (sum(sets) if self._sets_apart else len(sets))
        for stage in ("neighbors", "Gram") if steps else ():
            self.stages.announce(stage, steps, len(sets) * self.source.shape[0])

    @property
    def _sets_apart(self) -> bool:
        """Whether threads share out landmark sets too, since there are too few blocks."""
        return self.source.n_blocks < self.workers.n_threads

    def run(self, stage: str, function: Callable[[Sweeper, int], Result]) -> list[Result]:
        """Results of a function (sweeper, block) for every block, in the order of the blocks."""
        self.announce(stage)
        return self._map(stage, function, range(self.source.n_blocks))

    def _map(
        self, stage: str, function: Callable[[Sweeper, int], Result], blocks: Iterable[int]
    ) -> list[Result]:
        def timed(block: int) -> Result:
            with self.stages.part(stage):
                return function(self, block)

        return self.workers.map(timed, blocks)

    def total(
        self, stage: str, function: Callable[[Sweeper, int], list[np.ndarray]]
    ) -> list[np.ndarray]:
        """Sums of the arrays that a function (sweeper, block) gives for every block.

        They are added in the order of the blocks, and only those of some blocks are held.
        """
        self.announce(stage)
        sums = Sums()
        for low in range(0, self.source.n_blocks, ADDED_AT_ONCE):
            blocks = range(low, min(low + ADDED_AT_ONCE, self.source.n_blocks))
            sums.add(self._map(stage, function, blocks))
        return sums.arrays

    def neighbors(
        self, frame: Frame, trees: list[tuple[LandmarkTree, int]], block: int
    ) -> Iterator[Neighbors]:
        """Neighbors of a block in one set after the other, kept or found again."""
        rows = None  # not read where all is kept
        for tree, k in trees:
            near = self._kept.get((tree, block))
            if near is None:
                rows = frame.rows(self.source.block(block)) if rows is None else rows
                near = rows.neighbors(tree, k)
            yield near

    def grams(
        self, frame: Frame, tasks: Mapping[int, GramTask], keep: Collection[int] = ()
    ) -> dict[int, GramSums]:
        """Sweep A: Gram matrices of some landmark sets over all rows.

        Threads add blocks to matrices of their own, which are added up. Neighbors in the sets
        to `keep` are found once and for all sweeps.
        """
        groups = [{s: task} for s, task in tasks.items()] if self._sets_apart else [tasks]
        most = self.copies_at_once(tasks)
        lent = [Lent(partial(empty_grams, group), most) for group in groups]

        def add_block(part: tuple[int, int]) -> None:
            group, block = part
            found = self._find(frame, groups[group], block)
            self._kept.update({(tasks[s].tree, block): found[s] for s in found if s in keep})
            with lent[group].one() as grams:
                self._add(found, grams)

        self.workers.map(add_block, product(range(len(groups)), range(self.source.n_blocks)))

        def total(s: int) -> GramSums:
            states = [grams for group in lent for grams in group.states if s in grams]
            sums, *others = (grams.pop(s).take() for grams in states)
            for other in others:
                sums += other
            return sums

        return dict(zip(tasks, self.workers.map(total, tasks), strict=True))

    def add_block(
        self, frame: Frame, tasks: Mapping[int, GramTask], block: int, grams: Grams
    ) -> None:
        """Find the neighbors of a block and add its rows to Gram matrices."""
        self._add(self._find(frame, tasks, block), grams)

    def _find(
        self, frame: Frame, tasks: Mapping[int, GramTask], block: int
    ) -> dict[int, Neighbors]:
        """Neighbors of a block in some landmark sets."""
        with self.stages.part("neighbors"):
            rows = frame.rows(self.source.block(block))
            return {s: rows.neighbors(t.tree, t.n_neighbors) for s, t in tasks.items()}

    def _add(self, found: Mapping[int, Neighbors], grams: Grams) -> None:
        """Add the rows of a block to Gram matrices."""
        with self.stages.part("Gram"):
            for s, near in found.items():
                grams[s].add(near)

    def label(
        self,
        ensemble: LabelsRows,
        make_spool: Callable[[int], Spool],
        base: np.ndarray | None = None,
    ) -> DistinctLabels:
        """Sweep B: base labels of all rows, as distinct label rows and a number per row.

        Parameters
        ----------
        make_spool : callable (n_rows) -> Spool
            Where numbers are kept.
        base : unsigned (n, m), optional
            Filled with the base labels of every row.
        """
        folder, m = self.checkpoint.folder, len(ensemble.n_labels)
        if folder is None or base is not None:
            return self._label(ensemble, make_spool(self.source.shape[0]), base)
        spool = FileSpool(folder, f"numbers-{m}")

        def compute() -> dict[str, np.ndarray]:
            arrays = self._label(ensemble, spool, None).arrays()
            spool.sync()  # the arrays, once they are kept, say that the numbers are there
            return arrays

        return NumberedRows.from_arrays(self.checkpoint.remember(f"labels-{m}", compute), spool)

    def _label(self, ensemble: LabelsRows, spool: Spool, base: np.ndarray | None) -> NumberedRows:
        counter = LabelCounter(
            len(ensemble.n_labels), ensemble.dtype, spool, first_row=self.source.first_row
        )

        def label_block(_: Any, block: int) -> None:
            rows, labels = self.source.span(block), ensemble.labels(self, block)
            counter.add(rows, labels)
            if base is not None:
                base[rows] = labels

        self.run("labels", label_block)
        return counter.finish()
