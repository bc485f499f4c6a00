"""Sweeps over the rows: the only work that grows with their number.

A sweep hands a block function to the executor of a run. Sweep A finds neighbors and sums Gram
matrices; sweep B computes base labels and counts the distinct ones; refinement sums embeddings
in between. Neighbors of as many landmark sets as memory allows are kept from sweep to sweep, and
found again for the others. Results of sweeps are remembered by the checkpoint.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from lsec.execution.checkpoint import Arrays
from lsec.execution.distinct import DistinctLabels, NumberedRows
from lsec.execution.executor import Block, Run
from lsec.execution.memory import NeighborCache
from lsec.output.labels import FileSpool, Spool
from lsec.rows.dense import ColumnRows, DenseRows
from lsec.rows.frame import Frame
from lsec.rows.rows import KnownNeighbors, Landmarks, Neighbors, PackedNeighbors, Rows
from lsec.sources import Source
from lsec.spectral.ensemble import (
    Ensemble,
    LandmarkSet,
    SetPlan,
    move_centers,
    settle,
    sums_of_block,
)
from lsec.spectral.gram import GramSums, GramTask, WeightedNeighbors
from lsec.spectral.kmeans_ensemble import KMeansEnsemble
from lsec.spectral.table_ensemble import TableEnsemble
from lsec.typing import AnyArray, Float64

if TYPE_CHECKING:
    from lsec.execution.cuda import DeviceCache
    from lsec.kernels.cuda.device import Device
    from lsec.sweeps_on_device import FindOnDevice, LabelByNearest, LabelOnDevice

MOST_PACKED_ROWS = 2**16  # of a block: their positions are 16-bit numbers

FittedEnsemble = Ensemble | KMeansEnsemble | TableEnsemble


# Memory: how many landmark sets at a time


@dataclass(frozen=True)
class Kept:
    """Landmark sets whose neighbors are kept for the following sweeps."""

    sets: range
    packed: bool = False  # without distances, for which the rows are needed again


@dataclass(frozen=True)
class Group:
    """Landmark sets that are learned and refined before the next ones are begun."""

    kept: Kept
    batches: list[range]  # runs of sets whose Gram matrices fit into memory together


def plan_groups(source: Source, sets: Sequence[SetPlan], n_passes: int, run: Run) -> list[Group]:
    """Groups of landmark sets that fit into the memory of a run.

    If neighbors can be kept for some sets only, groups of that many sets search once, for sweep
    A, and every pass over the rows uses the kept ones. The last group is a full one, whose
    neighbors serve sweep B too. Neighbors are packed if there is not enough memory for all, and
    the rows are in memory. Rows are read once more for every group, which must not be more
    often than the passes would read them, unless they are in memory.
    """
    n_rows, n_copies = source.shape[0], run.memory.n_copies
    n_neighbors = max(one.task.n_neighbors for one in sets)
    n_kept = run.memory.kept_at_once(n_rows * (4 + 6 * n_neighbors))  # of `Neighbors`
    packed = n_kept < len(sets) and source.in_memory and source.rows_per_block <= MOST_PACKED_ROWS
    if packed := packed and all(one.task.landmarks.packs_neighbors for one in sets):
        p = max(len(one.task.landmarks) for one in sets)
        n_bytes = PackedNeighbors.n_bytes(n_rows, source.n_blocks, n_neighbors, p)
        n_kept = run.memory.kept_at_once(n_bytes)
    sum_bytes = max(
        one.task.n_bytes * min(n_copies, one.task.useful_totals(n_rows)) for one in sets
    )
    at_once = run.memory.sums_at_once(sum_bytes)
    found = group_sets(len(sets), n_kept, n_passes, seldom=not source.in_memory)
    return [
        Group(
            Kept(group[:n_kept], packed),
            [group[low : low + at_once] for low in range(0, len(group), at_once)],
        )
        for group in found
    ]


def group_sets(n_sets: int, n_kept: int, n_passes: int, *, seldom: bool) -> list[range]:
    """Runs of at most `n_kept` sets; one run if that would read rows too often (`seldom`)."""
    whole = [range(n_sets)]
    if not n_passes or not n_kept:
        return whole
    borders = [0, *range(n_sets % n_kept or n_kept, n_sets + 1, n_kept)]
    groups = [range(low, high) for low, high in pairwise(borders)]
    return whole if seldom and len(groups) > 1 + n_passes else groups


# Sweep A


@dataclass(frozen=True)
class FindNeighbors:
    """Block function of sweep A: neighbors in several landmark sets (equation 2)."""

    frame: Frame
    tasks: Mapping[int, GramTask]
    kept: Kept
    cache: NeighborCache

    def __call__(
        self, block: Block, sets: Sequence[int]
    ) -> dict[int, Neighbors | WeightedNeighbors]:
        """Neighbors of a block in these sets."""
        rows, weights = self.frame.dense_rows(block.read()), block.weights
        found: dict[int, Neighbors | WeightedNeighbors] = {}
        for s in sets:
            task = self.tasks[s]
            search = task.landmarks, task.n_neighbors
            cache = self.cache if s in self.kept.sets else None
            near = _search(rows, search, block, cache, self.kept.packed, task.known)
            found[s] = near if weights is None else WeightedNeighbors(near, weights)
        return found

    def on_device(self, device: Device, cache: DeviceCache) -> FindOnDevice:
        """The same for pieces of the rows on a device."""
        from lsec.sweeps_on_device import FindOnDevice

        return FindOnDevice(self.frame, self.tasks, device, cache)


def sum_grams(
    source: Source, frame: Frame, tasks: Mapping[int, GramTask], kept: Kept, run: Run
) -> dict[int, GramSums]:
    """Gram matrices (equation 4) of some sets; neighbors in the `kept` ones stay in memory."""

    def sweep(wanted: list[int]) -> dict[int, dict[str, AnyArray]]:
        find = FindNeighbors(frame, tasks, kept, run.cache)
        chosen = {s: tasks[s] for s in wanted}
        sums = run.executor.reduce(source, find, chosen, ("neighbors", "Gram"))
        return {s: {"where": one.where, "values": one.values} for s, one in sums.items()}

    sums = _remembered(run, {s: f"gram-{s}" for s in tasks}, sweep)
    return {s: GramSums(tasks[s].n_cells, **arrays) for s, arrays in sums.items()}


# Refinement


@dataclass(frozen=True)
class SumEmbeddings:
    """Block function of refinement: sums of embeddings by label, set by set."""

    frame: Frame
    sets: list[LandmarkSet]
    cache: NeighborCache
    keep: Collection[Landmarks]  # sets whose neighbors are kept, if sweep A did not
    packed: bool

    def __call__(self, block: Block) -> list[Float64]:
        """Sums (k, c) and row counts (k,), member after member."""
        searches = [(group.landmarks, group.n_neighbors) for group in self.sets]
        near = _neighbors(block, self.frame, searches, self.cache, self.keep, packed=self.packed)
        return sums_of_block(self.sets, near)


def refine(
    source: Source,
    frame: Frame,
    sets: Mapping[int, LandmarkSet],
    kept: Kept,
    n_passes: int,
    run: Run,
) -> dict[int, LandmarkSet]:
    """Landmark sets after Lloyd steps of their members over all rows, on the host.

    Neighbors in the `kept` sets stay in memory, if they are not there from sweep A.

    A set whose centers have settled takes no further part. That depends on the set alone, so
    that sets may be refined in any groups.
    """
    refined, moving = dict(sets), list(sets)
    if not n_passes:
        return refined
    for number in range(n_passes):
        sums = _sum_embeddings(source, frame, {s: refined[s] for s in moving}, kept, number, run)
        for s in list(moving):
            refined[s], settled = move_centers(refined[s], sums[s])
            if settled:
                moving.remove(s)
        if not moving:
            break
    return {s: settle(group) for s, group in refined.items()}


def _sum_embeddings(
    source: Source,
    frame: Frame,
    sets: Mapping[int, LandmarkSet],
    kept: Kept,
    number: int,
    run: Run,
) -> dict[int, dict[str, Float64]]:
    """Sums of embeddings by label, and row counts, of each set in one pass."""

    def sweep(wanted: list[int]) -> dict[int, dict[str, Float64]]:
        keep = {sets[s].landmarks for s in wanted if s in kept.sets}
        some = [sets[s] for s in wanted]
        function = SumEmbeddings(frame, some, run.cache, keep, kept.packed)
        total = iter(add_in_order(run.executor.map(source, function, "centers")))
        return {
            s: {f"{kind}-{j}": next(total) for j in range(n) for kind in ("sums", "counts")}
            for s, n in ((s, len(sets[s].members)) for s in wanted)
        }

    return _remembered(run, {s: f"centers-{s}-{number}" for s in sets}, sweep)


def add_in_order(parts: Iterator[list[Float64]]) -> list[Float64]:
    """Sums of lists of arrays of the same shapes, added in the order in which they come."""
    sums: list[Float64] = []
    for part in parts:
        sums = sums or [np.zeros_like(array) for array in part]
        for total, array in zip(sums, part, strict=True):
            total += array
    return sums


# Sweep B


@dataclass(frozen=True)
class LabelBlock:
    """Block function of sweep B: base labels, unsigned (n, m) (equations 6 and 7)."""

    ensemble: FittedEnsemble
    cache: NeighborCache

    @property
    def n_columns(self) -> int:
        """Number of base labels of each row, m."""
        return len(self.ensemble.n_labels)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the labels."""
        return self.ensemble.dtype

    def __call__(self, block: Block) -> AnyArray:
        """Base labels of a block."""
        if isinstance(self.ensemble, TableEnsemble):
            numeric = self.ensemble.numeric
            members = None if numeric is None else LabelBlock(numeric, self.cache)(block)
            return self.ensemble.label(members, block.codes)
        if isinstance(self.ensemble, KMeansEnsemble):
            return self.ensemble.label(block.read())
        searches = self.ensemble.searches
        neighbors = _neighbors(block, self.ensemble.frame, searches, self.cache)
        return self.ensemble.label(neighbors, block.span.stop - block.span.start)

    def runs_on_device(self, source: Source) -> bool:
        """Whether there is a function for rows like those of a source on a device."""
        if isinstance(self.ensemble, KMeansEnsemble):
            return not (source.is_sparse or self.ensemble.frame.from_sparse)
        return isinstance(self.ensemble, Ensemble) or not source.is_sparse

    def on_device(self, device: Device, cache: DeviceCache) -> LabelOnDevice | LabelByNearest:
        """The same for pieces of the rows on a device."""
        from lsec.sweeps_on_device import LabelByNearest, LabelOnDevice

        if isinstance(self.ensemble, KMeansEnsemble):
            return LabelByNearest(self.ensemble, device, cache)
        assert isinstance(self.ensemble, Ensemble)  # tables stay on the CPU
        return LabelOnDevice(self.ensemble, device, cache)


def label_rows(
    source: Source,
    ensemble: FittedEnsemble,
    run: Run,
    make_spool: Callable[[int], Spool],
) -> DistinctLabels:
    """Base labels of all rows, as distinct label rows and a number per row.

    `make_spool` makes the place for the numbers of so many rows, if they are in this process.
    """
    labeler = LabelBlock(ensemble, run.cache)
    count = partial(run.executor.distinct, source, labeler, "labels")
    if not run.executor.holds_rows:
        return count()
    if run.checkpoint is None:
        return count(make_spool(source.shape[0]))
    spool = FileSpool(run.checkpoint.folder, f"numbers-{labeler.n_columns}")

    def compute() -> dict[str, AnyArray]:
        rows = count(spool)
        assert isinstance(rows, NumberedRows)
        spool.sync()  # the arrays, once they are kept, say that the numbers are there
        return rows.arrays()

    arrays = run.checkpoint.remember(f"labels-{labeler.n_columns}", compute)
    return NumberedRows.from_arrays(arrays, spool)


def _remembered(
    run: Run, names: Mapping[int, str], sweep: Callable[[list[int]], dict[int, Arrays]]
) -> dict[int, Arrays]:
    """Results of a sweep by number, from the checkpoint of an interrupted run as far as kept."""
    return sweep(list(names)) if run.checkpoint is None else run.checkpoint.recall(names, sweep)


def _neighbors(
    block: Block,
    frame: Frame,
    searches: Sequence[tuple[Landmarks, int]],
    cache: NeighborCache,
    keep: Collection[Landmarks] = (),
    *,
    packed: bool = False,
) -> Iterator[Neighbors]:
    """Neighbors of a block in one landmark set after the other, kept or found again."""
    rows = None  # not read if all neighbors are kept as they are
    for landmarks, n_neighbors in searches:
        near = cache.get(landmarks, block.number)
        if not isinstance(near, Neighbors):
            rows = frame.dense_rows(block.read()) if rows is None else rows
            if near is not None:
                assert isinstance(rows, ColumnRows)
                near = rows.unpacked(near, landmarks)
            else:
                search = landmarks, n_neighbors
                near = _search(rows, search, block, cache if landmarks in keep else None, packed)
        yield near


def _search(
    rows: Rows,
    search: tuple[Landmarks, int],
    block: Block,
    cache: NeighborCache | None,
    packed: bool,
    known: KnownNeighbors | None = None,
) -> Neighbors:
    """Neighbors of a block, which a cache keeps from now on, packed or as they are."""
    kept: PackedNeighbors | None = None
    if cache is not None and packed:
        assert isinstance(rows, ColumnRows)
        near, kept = rows.packed_neighbors(*search)
    elif known is not None:
        assert isinstance(rows, DenseRows)
        near = rows.remaining_neighbors(known.within(block.span), *search)
    else:
        near = rows.neighbors(*search)
    if cache is not None:
        cache.keep(search[0], block.number, near if kept is None else kept)
    return near
