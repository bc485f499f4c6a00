"""Ensemble generation: two sweeps over the row blocks, small problems in between.

Sweep A finds the nearest landmarks of every row and adds the row to the Gram
matrices. Eigenvectors and centers follow from these and a small sample; some plans
refine the centers by passes over all rows. Sweep B labels every row. Neighbors found in
sweep A are kept in as many landmark sets as fit the memory budget, and found again in the
others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from lsec.rows.frame import Frame
from lsec.rows.rows import LandmarkTree, Neighbors, Rows
from lsec.spectral.ensemble import Ensemble, LandmarkSet
from lsec.spectral.gram_sums import GramSums
from lsec.spectral.landmarks import ROWS_PER_LANDMARK
from lsec.spectral.member import Member, MemberPlan, bandwidth_rate, learn_member
from lsec.spectral.refinement import refine
from lsec.spectral.sweep import GramTask, Sweeper

SAMPLE_ROWS_PER_LANDMARK = 500
MOST_SAMPLE_VALUES = 2**25  # 128 MiB of float32

SelectLandmarks = Callable[[Rows, int, np.random.Generator], LandmarkTree]


@dataclass(frozen=True)
class EnsemblePlan:
    """What an ensemble is made of.

    Attributes
    ----------
    sets : list of lists of MemberPlan
        Members that share landmarks, neighbors ascending; one list per landmark set.
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
    # k-means on the sample has already seen all rows where the sample holds them all.
    passes = plan.refine_iterations if n_probe < sweeper.source.shape[0] else 0
    return Ensemble(frame, _learn_sets(sweeper, frame, opened, passes, member_seed))


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
    probe: Neighbors


def _open_set(tree: LandmarkTree, plans: list[MemberPlan], probe: Rows, quartic: bool) -> _OpenSet:
    """Clip the plans to the landmarks there are, and take bandwidths from the sample."""
    p = tree.n_landmarks
    plans = [
        replace(m, n_neighbors=min(m.n_neighbors, p), n_clusters=min(m.n_clusters, p))
        for m in plans
    ]
    k = max(m.n_neighbors for m in plans)
    near = probe.neighbors(tree, k)
    rates = [bandwidth_rate(near.squared[:, : m.n_neighbors], quartic) for m in plans]
    first = [next(j for j, m in enumerate(plans) if m.n_neighbors > s) for s in range(k)]
    task = GramTask(tree, np.array(first, np.int32), np.array(rates, np.float32), quartic)
    return _OpenSet(task, plans, near)


def _learn_sets(
    sweeper: Sweeper,
    frame: Frame,
    opened: list[_OpenSet],
    passes: int,
    seed: np.random.SeedSequence,
) -> list[LandmarkSet]:
    """Sweep A and members of all landmark sets, with passes of k-means over all rows."""
    tasks = [o.task for o in opened]
    n_kept = sweeper.kept_at_once(tasks)
    groups = _groups(sweeper, len(tasks), n_kept, passes)
    batches = [list(_slices(group, sweeper.sets_at_once(tasks))) for group in groups]
    missing = {s for s in range(len(tasks)) if not sweeper.checkpoint.has(_name(s))}
    to_sweep = [missing.intersection(batch) for group in batches for batch in group]
    sweeper.announce_grams([len(sets) for sets in to_sweep if sets])
    n_members = sum(len(o.plans) for o in opened)
    sweeper.stages.announce("eigenvectors", n_members)
    seeds = iter(seed.spawn(n_members))
    sets: list[LandmarkSet] = []
    for group, parts in zip(groups, batches, strict=True):
        sweeper.forget_neighbors()
        learned: dict[int, LandmarkSet] = {}
        for batch in parts:
            grams = _gram_sums(sweeper, frame, {s: tasks[s] for s in batch}, group[:n_kept])
            sweeper.tidy()
            learned |= _learn_batch(sweeper, {s: opened[s] for s in batch}, grams, seeds)
            sweeper.tidy()
        sets += refine(sweeper, frame, learned, passes).values()
    return sets


def _groups(sweeper: Sweeper, n_sets: int, n_kept: int, passes: int) -> list[range]:
    """Landmark sets that are learned and refined before the next ones are begun.

    Where the neighbors in some sets only can be kept, groups of so many sets find theirs
    once, for sweep A, and every pass takes the kept ones. The last group is a full one: sweep B
    still has its neighbors. Rows are read once more for every group, which must not be more
    often than the passes would read them, unless they are in memory.
    """
    whole = [range(n_sets)]
    if not passes or not n_kept:
        return whole
    borders = [0, *range(n_sets % n_kept or n_kept, n_sets + 1, n_kept)]
    groups = [range(low, high) for low, high in pairwise(borders)]
    seldom = sweeper.source.in_memory or len(groups) <= 1 + passes
    return groups if seldom else whole


def _slices(sets: range, length: int) -> Iterator[range]:
    """Consecutive parts of at most a length."""
    return (sets[low : low + length] for low in range(0, len(sets), length))


def _name(landmark_set: int) -> str:
    """What the sums of a landmark set are called where they are kept."""
    return f"gram-{landmark_set}"


def _gram_sums(
    sweeper: Sweeper, frame: Frame, tasks: dict[int, GramTask], keep: range
) -> dict[int, GramSums]:
    """Gram matrices of some sets: of a sweep, or of an earlier run that was interrupted."""

    def sweep(wanted: list[int]) -> dict[int, dict[str, np.ndarray]]:
        swept = sweeper.grams(frame, {s: tasks[s] for s in wanted}, keep)
        return {s: {"where": sums.where, "values": sums.values} for s, sums in swept.items()}

    kept = sweeper.checkpoint.remember_each({s: _name(s) for s in tasks}, sweep)
    return {s: GramSums(tasks[s].n_cells, **arrays) for s, arrays in kept.items()}


def _learn_batch(
    sweeper: Sweeper,
    opened: dict[int, _OpenSet],
    grams: dict[int, GramSums],
    seeds: Iterator[np.random.SeedSequence],
) -> dict[int, LandmarkSet]:
    """Some landmark sets with their members, which are learned side by side."""

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
    learned = iter(sweeper.workers.map(learn, tasks))
    return {
        s: LandmarkSet(o.task.tree, [next(learned) for _ in o.plans]) for s, o in opened.items()
    }
