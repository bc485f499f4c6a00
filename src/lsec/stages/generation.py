"""Ensemble generation: two sweeps over the row blocks, small problems in between.

Sweep A finds the nearest landmarks of every row and adds the row to the Gram
matrices. Eigenvectors and centres follow from these and a small sample. Sweep B
labels every row. Neighbours found in sweep A are kept for sweep B when they fit
the memory budget, and found again when they do not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from lsec.geometry.frame import Frame
from lsec.geometry.rows import LandmarkTree, Neighbours, Rows
from lsec.stages.ensemble import Ensemble, LandmarkSet
from lsec.stages.gram_sums import GramSums
from lsec.stages.landmarks import ROWS_PER_LANDMARK
from lsec.stages.member import Member, MemberPlan, bandwidth_rate, learn_member
from lsec.stages.sweep import GramTask, Sweeper

SAMPLE_ROWS_PER_LANDMARK = 500
MOST_SAMPLE_VALUES = 2**25  # 128 MiB of float32
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


def draw_sample(
    n_rows: int, n_features: int, n_landmarks: int, rng: np.random.Generator
) -> np.ndarray:
    """Positions of the rows that landmarks are chosen from, ascending.

    Light-k-means never looks at more than 10p rows of a part and a split has few
    parts, so about 500 rows per landmark serve as well as all of them; fewer do where
    rows are wide.
    """
    most = min(SAMPLE_ROWS_PER_LANDMARK * n_landmarks, MOST_SAMPLE_VALUES // n_features)
    most = max(most, ROWS_PER_LANDMARK * n_landmarks)
    if n_rows <= most:
        return np.arange(n_rows)
    return np.sort(rng.choice(n_rows, most, replace=False, shuffle=False))


def fit_ensemble(sweeper: Sweeper, plan: EnsemblePlan, seed: np.random.SeedSequence) -> Ensemble:
    """Fit all members of a plan to the rows of a source."""
    sample_seed, landmark_seed, member_seed = seed.spawn(3)
    rng = np.random.default_rng(sample_seed)
    with sweeper.stages.whole("landmarks", 1 + len(plan.sets)):
        raw = sweeper.source.take(draw_sample(*sweeper.source.shape, plan.n_landmarks, rng))
        frame = Frame.of(raw)
        sample = frame.rows(raw, sweeper.workers.map)
        trees = _select_landmarks(sweeper, plan, sample, landmark_seed)
        n_probe = min(sample.shape[0], ROWS_PER_LANDMARK * plan.n_landmarks)
        probe = sample.take(np.sort(rng.choice(sample.shape[0], n_probe, replace=False)))
        del sample, raw
        opened = sweeper.workers.map(
            lambda task: _open_set(task[0], task[1], probe, plan.quartic),
            zip(trees, plan.sets, strict=True),
        )
        sweeper.tidy()
    ensemble = Ensemble(frame, _learn_sets(sweeper, frame, opened, member_seed))
    # k-means on the sample has already seen all rows where the sample holds them all.
    passes = plan.refine_iterations if n_probe < sweeper.source.shape[0] else 0
    for number in range(passes):
        ensemble, moved = _refine(sweeper, ensemble, number)
        if not moved:
            break
    return ensemble


def _select_landmarks(
    sweeper: Sweeper, plan: EnsemblePlan, sample: Rows, seed: np.random.SeedSequence
) -> list[LandmarkTree]:
    """Landmarks of every set, side by side."""

    def select(task: tuple[list[MemberPlan], np.random.SeedSequence]) -> LandmarkTree:
        members, task_seed = task
        k = max(member.n_neighbors for member in members)
        tree = plan.select(sample, k, np.random.default_rng(task_seed))
        sweeper.stages.advance("landmarks")
        return tree

    return sweeper.workers.map(select, zip(plan.sets, seed.spawn(len(plan.sets)), strict=True))


@dataclass(frozen=True)
class _OpenSet:
    """A landmark set whose members are not learned yet."""

    task: GramTask
    plans: list[MemberPlan]
    probe: Neighbours


def _open_set(tree: LandmarkTree, plans: list[MemberPlan], probe: Rows, quartic: bool) -> _OpenSet:
    """Clip the plans to the landmarks there are, and take bandwidths from the sample."""
    p = tree.n_landmarks
    plans = [
        replace(m, n_neighbors=min(m.n_neighbors, p), n_clusters=min(m.n_clusters, p))
        for m in plans
    ]
    k = max(m.n_neighbors for m in plans)
    near = probe.neighbours(tree, k)
    rates = [bandwidth_rate(near.squared[:, : m.n_neighbors], quartic) for m in plans]
    first = [next(j for j, m in enumerate(plans) if m.n_neighbors > s) for s in range(k)]
    task = GramTask(tree, np.array(first, np.int32), np.array(rates, np.float32), quartic)
    return _OpenSet(task, plans, near)


def _learn_sets(
    sweeper: Sweeper, frame: Frame, opened: list[_OpenSet], seed: np.random.SeedSequence
) -> list[LandmarkSet]:
    """Sweep A, as many sets at once as the budget allows, then the members of these sets."""
    tasks = [o.task for o in opened]
    at_once = sweeper.sets_at_once(tasks)
    missing = {s for s in range(len(tasks)) if not sweeper.checkpoint.has(_name(s))}
    # Sweep B takes kept neighbours of all sets or none: those of a part would be in vain.
    keep = sweeper.keeps(tasks) and len(missing) == len(tasks)
    n_members = sum(len(o.plans) for o in opened)
    batches = [
        range(low, min(low + at_once, len(opened))) for low in range(0, len(opened), at_once)
    ]
    to_sweep = [missing.intersection(batch) for batch in batches]
    sweeper.announce_grams([len(sets) for sets in to_sweep if sets])
    sweeper.stages.announce("eigenvectors", n_members)
    seeds = iter(seed.spawn(n_members))
    sets: list[LandmarkSet] = []
    for batch in batches:
        grams = _gram_sums(sweeper, frame, {s: tasks[s] for s in batch}, missing, keep)
        sweeper.tidy()
        learned = _learn_members(sweeper, {s: opened[s] for s in batch}, grams, seeds)
        sweeper.tidy()
        sets += [
            LandmarkSet(tasks[s].tree, [next(learned) for _ in opened[s].plans]) for s in batch
        ]
    return sets


def _name(landmark_set: int) -> str:
    """What the sums of a landmark set are called where they are kept.

    Each set has its own: how many are swept at once depends on the memory that is free, which
    may be other when an interrupted fit goes on.
    """
    return f"gram-{landmark_set}"


def _gram_sums(
    sweeper: Sweeper, frame: Frame, tasks: dict[int, GramTask], missing: set[int], keep: bool
) -> dict[int, GramSums]:
    """Gram matrices of some sets: of a sweep, or of an earlier run that was interrupted."""
    wanted = {s: task for s, task in tasks.items() if s in missing}
    swept = sweeper.grams(frame, wanted, keep) if wanted else {}

    def sums_of(s: int) -> GramSums:
        kept = sweeper.checkpoint.remember(
            _name(s), lambda: {"where": swept[s].where, "values": swept[s].values}
        )
        return GramSums(tasks[s].shape[0], kept["where"], kept["values"])

    return {s: sums_of(s) for s in tasks}


def _learn_members(
    sweeper: Sweeper,
    opened: dict[int, _OpenSet],
    grams: dict[int, GramSums],
    seeds: Iterator[np.random.SeedSequence],
) -> Iterator[Member]:
    """Members of some landmark sets, side by side, in order."""

    def learn(task: tuple[int, int, np.random.SeedSequence]) -> Member:
        s, j, task_seed = task
        o = opened[s]
        with sweeper.stages.part("eigenvectors"):
            return learn_member(
                o.plans[j],
                o.task.rates[j],
                o.task.quartic,
                grams[s],
                j,
                o.probe,
                np.random.default_rng(task_seed),
            )

    tasks = [(s, j, next(seeds)) for s, o in opened.items() for j in range(len(o.plans))]
    return iter(sweeper.workers.map(learn, tasks))


def _sums_of_block(ensemble: Ensemble, sweeper: Sweeper, block: int) -> list[np.ndarray]:
    """Sums of the embeddings of a block by label, and row counts, member after member."""
    neighbours = ensemble.neighbours(sweeper, block)
    return [
        array
        for group, near in zip(ensemble.sets, neighbours, strict=True)
        for member in group.members
        for array in member.sums(near)
    ]


def _refine(sweeper: Sweeper, ensemble: Ensemble, number: int) -> tuple[Ensemble, bool]:
    """One pass of k-means over all rows for every member, and whether any centre moved."""

    def compute() -> dict[str, np.ndarray]:
        total = sweeper.total("centres", partial(_sums_of_block, ensemble))
        sums = {f"sums-{j}": array for j, array in enumerate(total[::2])}
        return sums | {f"counts-{j}": array for j, array in enumerate(total[1::2])}

    kept = sweeper.checkpoint.remember(f"centres-{number}", compute)
    moved = False
    refined = []
    for j, member in enumerate(ensemble.members):
        sums, counts = kept[f"sums-{j}"], kept[f"counts-{j}"]
        centres = member.centres.copy()
        filled = counts > 0
        centres[filled] = (sums[filled] / counts[filled, None]).astype(np.float32)
        moved |= bool(np.abs(centres - member.centres).max() > CENTRE_TOLERANCE)
        refined.append(member.with_centres(centres))
    return ensemble.with_members(iter(refined)), moved
