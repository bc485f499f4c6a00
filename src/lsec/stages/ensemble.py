"""Ensemble generation: two sweeps over the row blocks, small problems in between.

Sweep A finds the nearest landmarks of every row and adds the row to the Gram
matrices. Eigenvectors and centres follow from these and a small sample. Sweep B
labels every row. Neighbours found in sweep A are kept for sweep B when they fit
the memory budget, and found again when they do not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from lsec.engine.progress import Stages
from lsec.engine.threads import Lent, Workers
from lsec.geometry.frame import Frame
from lsec.geometry.rows import LandmarkTree, Neighbours, Rows
from lsec.kernels.gram import add_to_gram
from lsec.sources import Source
from lsec.stages.landmarks import ROWS_PER_LANDMARK
from lsec.stages.member import Member, MemberPlan, bandwidth_rate, learn_member

SAMPLE_ROWS_PER_LANDMARK = 500
MOST_SAMPLE_VALUES = 2**28

CENTRE_TOLERANCE = 1e-4  # centres of unit vectors that move less have settled

SelectLandmarks = Callable[[Rows, int, np.random.Generator], LandmarkTree]


@dataclass(frozen=True)
class EnsemblePlan:
    """What an ensemble is made of.

    Attributes
    ----------
    sets : list of lists of MemberPlan
        Members that share landmarks, neighbours ascending; one list per landmark set.
    n_landmarks : int
    select : callable (sample, K, rng) -> LandmarkTree
        How landmarks are chosen and searched.
    quartic : bool
    refine_iterations : int
        Passes of k-means over all rows that follow the k-means on the sample.
    """

    sets: list[list[MemberPlan]]
    n_landmarks: int
    select: SelectLandmarks
    quartic: bool = False
    refine_iterations: int = 0


@dataclass(frozen=True)
class LandmarkSet:
    """Landmarks with the members that use them."""

    tree: LandmarkTree
    members: list[Member]

    @property
    def n_neighbors(self) -> int:
        """Neighbours to search: the most any member uses."""
        return max(member.n_neighbors for member in self.members)


@dataclass(frozen=True)
class Ensemble:
    """A fitted ensemble: gives any rows their base labels.

    With `finest`, the landmark of a row joins as one more base clustering.
    """

    frame: Frame
    sets: list[LandmarkSet]
    finest: bool = False

    @property
    def members(self) -> list[Member]:
        """All members, set by set."""
        return [member for group in self.sets for member in group.members]

    @property
    def n_labels(self) -> np.ndarray:
        """Number of labels in each column, int64 (m,)."""
        counts = [member.n_clusters for member in self.members]
        return np.array(counts + [self.sets[0].tree.n_landmarks] * self.finest)

    @property
    def dtype(self) -> type:
        """Smallest unsigned type that holds the labels."""
        return np.uint8 if self.n_labels.max() <= 256 else np.uint16

    def label_block(self, neighbours: list[Neighbours]) -> np.ndarray:
        """Base labels (n, m) of a block from its neighbours in every set."""
        n = len(neighbours[0].index)
        labels = np.empty((n, len(self.n_labels)), self.dtype)
        column = 0
        for group, near in zip(self.sets, neighbours, strict=True):
            for member in group.members:
                member.label(near, labels[:, column])
                column += 1
        if self.finest:
            labels[neighbours[0].order, column] = neighbours[0].index[:, 0]
        return labels


@dataclass
class Sweeper:
    """Runs block functions over a source and keeps neighbours within a budget."""

    source: Source
    workers: Workers
    stages: Stages
    budget: int
    kept: dict[tuple[int, int], Neighbours] = field(default_factory=dict)

    def fits(self, bytes_per_row: int) -> bool:
        """Whether a table over all rows may be kept: half the budget is for tables."""
        return self.source.shape[0] * bytes_per_row <= self.budget // 2

    def sets_at_once(self, bytes_per_set: int) -> int:
        """Landmark sets whose sums may be held at once, one copy per thread."""
        return max(1, (self.budget // 2) // (bytes_per_set * self.workers.n_threads))

    def rows(self, frame: Frame, block: int) -> Rows:
        """Rows of a block in the working frame, checked to be finite."""
        raw = self.source.block(block)
        require_finite(raw, self.source.span(block).start)
        return frame.rows(raw)

    def neighbours(self, ensemble: Ensemble, block: int) -> list[Neighbours]:
        """Neighbours of a block in every set, kept or found again."""
        found = [self.kept.get((s, block)) for s in range(len(ensemble.sets))]
        if None in found:
            rows = self.rows(ensemble.frame, block)
            return [rows.neighbours(g.tree, g.n_neighbors) for g in ensemble.sets]
        return found  # type: ignore[return-value]


def require_finite(raw, first_row: int) -> None:
    """Raise a ValueError that names the first row with NaN or infinity."""
    values = raw if isinstance(raw, np.ndarray) else raw.data
    if values.dtype.kind != "f" or np.isfinite(values.sum(dtype=np.float64)):
        return
    bad = ~np.isfinite(values)
    if not bad.any():
        return
    where = ""
    if values is raw:
        row, column = np.argwhere(bad)[0]
        where = f" (row {first_row + row}, column {column} is {raw[row, column]})"
    raise ValueError(
        f"Input X contains NaN or infinity{where}. Remove or impute such rows before fitting."
    )


def draw_sample(n_rows: int, n_features: int, n_landmarks: int, rng) -> np.ndarray:
    """Positions of the rows that landmarks are chosen from, ascending.

    Light-k-means never looks at more than 10p rows of a part and a split has few
    parts, so about 500 rows per landmark serve as well as all of them.
    """
    most = min(SAMPLE_ROWS_PER_LANDMARK * n_landmarks, MOST_SAMPLE_VALUES // n_features)
    most = max(most, ROWS_PER_LANDMARK * n_landmarks)
    if n_rows <= most:
        return np.arange(n_rows)
    return np.sort(rng.choice(n_rows, most, replace=False, shuffle=False))


def fit_ensemble(sweeper: Sweeper, plan: EnsemblePlan, seed: np.random.SeedSequence) -> Ensemble:
    """Fit all members of a plan to the rows of a source."""
    seeds = iter(seed.spawn(2 + len(plan.sets) + sum(map(len, plan.sets))))
    source, workers, stages = sweeper.source, sweeper.workers, sweeper.stages
    with stages.whole("landmarks", 1 + len(plan.sets)):
        rng = np.random.default_rng(next(seeds))
        raw = source.take(draw_sample(*source.shape, plan.n_landmarks, rng))
        require_finite(raw, 0)
        frame = Frame.of(raw)
        sample = frame.rows(raw)

        def select(task):
            members, task_seed = task
            k = max(member.n_neighbors for member in members)
            tree = plan.select(sample, k, np.random.default_rng(task_seed))
            stages.advance("landmarks")
            return tree

        trees = workers.map(select, [(members, next(seeds)) for members in plan.sets])
        rng = np.random.default_rng(next(seeds))
        n_probe = min(sample.shape[0], ROWS_PER_LANDMARK * plan.n_landmarks)
        probe = sample.take(np.sort(rng.choice(sample.shape[0], n_probe, replace=False)))
        del sample, raw
    ensemble = Ensemble(frame, _learn_sets(sweeper, plan, frame, trees, probe, list(seeds)))
    # k-means on the sample has already seen all rows where the sample holds them all.
    passes = plan.refine_iterations if n_probe < source.shape[0] else 0
    for _ in range(passes):
        refined = _refine(sweeper, ensemble)
        if refined is ensemble:
            break
        ensemble = refined
    return ensemble


@dataclass(frozen=True)
class _OpenSet:
    """A landmark set whose members are not learned yet."""

    tree: LandmarkTree
    plans: list[MemberPlan]
    probe: Neighbours
    rates: np.ndarray
    first_member: np.ndarray


def _open_set(plan: EnsemblePlan, tree: LandmarkTree, plans: list[MemberPlan], probe: Rows):
    """Clip the plans to the landmarks there are, and take bandwidths from the sample."""
    p = tree.n_landmarks
    plans = [
        MemberPlan(
            min(m.n_neighbors, p), min(m.n_clusters, p), m.init, m.max_iter, m.n_init
        )
        for m in plans
    ]
    k = max(m.n_neighbors for m in plans)
    near = probe.neighbours(tree, k)
    rates = [bandwidth_rate(near.squared[:, : m.n_neighbors], plan.quartic) for m in plans]
    first = [next(j for j, m in enumerate(plans) if m.n_neighbors > s) for s in range(k)]
    return _OpenSet(tree, plans, near, np.array(rates), np.array(first, np.int32))


def _learn_sets(sweeper, plan, frame, trees, probe, seeds) -> list[LandmarkSet]:
    """Sweep A, as many sets at once as the budget allows, then the members of these sets."""
    tasks = zip(trees, plan.sets, strict=True)
    opened = sweeper.workers.map(lambda task: _open_set(plan, *task, probe), tasks)
    largest = max(8 * s.tree.n_landmarks**2 * len(s.plans) for s in opened)
    at_once = sweeper.sets_at_once(largest)
    table_bytes = sum(Neighbours.bytes_per_row(len(s.first_member)) for s in opened)
    keep = sweeper.fits(table_bytes)
    n_passes = -(-len(opened) // at_once)
    sweeper.stages.announce("neighbours", sweeper.source.n_blocks * n_passes)
    sweeper.stages.announce("Gram", sweeper.source.n_blocks * n_passes)
    sweeper.stages.announce("eigenvectors", sum(map(len, plan.sets)))
    sets: list[LandmarkSet] = []
    remaining = iter(seeds)
    for low in range(0, len(opened), at_once):
        batch = {s: opened[s] for s in range(low, min(low + at_once, len(opened)))}
        grams = _sweep_grams(sweeper, frame, batch, plan.quartic, keep)
        sets += _learn_members(sweeper, batch, grams, plan.quartic, remaining)
    return sets


def _sweep_grams(sweeper, frame, batch, quartic, keep) -> dict[int, np.ndarray]:
    """Gram matrices int64 (p, p, q) of some landmark sets over all rows."""
    lent = Lent(
        lambda: {
            s: np.zeros((o.tree.n_landmarks, o.tree.n_landmarks, len(o.plans)), np.int64)
            for s, o in batch.items()
        }
    )

    def add_block(block: int) -> None:
        with sweeper.stages.part("neighbours"):
            rows = sweeper.rows(frame, block)
            found = {s: rows.neighbours(o.tree, len(o.first_member)) for s, o in batch.items()}
        if keep:
            sweeper.kept.update({(s, block): near for s, near in found.items()})
        grams = lent.borrow()
        with sweeper.stages.part("Gram"):
            for s, near in found.items():
                o = batch[s]
                add_to_gram(near.index, near.squared, o.first_member, o.rates, quartic, grams[s])
        lent.give_back(grams)

    sweeper.workers.map(add_block, range(sweeper.source.n_blocks))
    total = lent.states.pop()
    for other in lent.states:
        for s in total:
            total[s] += other[s]
    return total


def _learn_members(sweeper, batch, grams, quartic, seeds) -> list[LandmarkSet]:
    """Members of some landmark sets, side by side."""
    tasks = [(s, j, next(seeds)) for s, o in batch.items() for j in range(len(o.plans))]

    def learn(task) -> Member:
        s, j, task_seed = task
        o = batch[s]
        with sweeper.stages.part("eigenvectors"):
            rng = np.random.default_rng(task_seed)
            gram = np.ascontiguousarray(grams[s][:, :, j])
            return learn_member(o.plans[j], o.rates[j], quartic, gram, o.probe, rng)

    members = iter(sweeper.workers.map(learn, tasks))
    return [LandmarkSet(o.tree, [next(members) for _ in o.plans]) for o in batch.values()]


def _refine(sweeper: Sweeper, ensemble: Ensemble) -> Ensemble:
    """One pass of k-means over all rows for every member; the same object if none moved."""

    def sums_of_block(block: int):
        near = sweeper.neighbours(ensemble, block)
        return [
            member.sums(near[s])
            for s, group in enumerate(ensemble.sets)
            for member in group.members
        ]

    sweeper.stages.announce("centres", sweeper.source.n_blocks)

    def timed(block: int):
        with sweeper.stages.part("centres"):
            return sums_of_block(block)

    blocks = sweeper.workers.map(timed, range(sweeper.source.n_blocks))
    moved = False
    refined = []
    for j, member in enumerate(ensemble.members):
        sums = sum(block[j][0] for block in blocks)
        counts = sum(block[j][1] for block in blocks)
        centres = member.centres.copy()
        filled = counts > 0
        centres[filled] = (sums[filled] / counts[filled, None]).astype(np.float32)
        moved |= bool(np.abs(centres - member.centres).max() > CENTRE_TOLERANCE)
        refined.append(member.with_centres(centres))
    if not moved:
        return ensemble
    members = iter(refined)
    sets = [LandmarkSet(g.tree, [next(members) for _ in g.members]) for g in ensemble.sets]
    return Ensemble(ensemble.frame, sets, ensemble.finest)


def sweep_labels(
    sweeper: Sweeper, ensemble: Ensemble, consume: Callable[[int, np.ndarray], None]
) -> None:
    """Sweep B: base labels of every block, handed on as they are made.

    Parameters
    ----------
    consume : callable (block, labels)
        Called from the worker threads with base labels unsigned (n, m).
    """
    sweeper.stages.announce("labels", sweeper.source.n_blocks)

    def label_block(block: int) -> None:
        with sweeper.stages.part("labels"):
            consume(block, ensemble.label_block(sweeper.neighbours(ensemble, block)))

    sweeper.workers.map(label_block, range(sweeper.source.n_blocks))
