"""The method on one page: Algorithms 1 and 2 of the LSEC paper, stage by stage.

::

    step                  takes ─► gives                           file
    sample, frame         rows ─► a sample, centered, projected     spectral/landmarks, rows/frame
    landmarks (1)         sample ─► landmarks of every set          spectral/landmarks
    neighbors (2)         rows ─► their K nearest landmarks        rows/dense
    affinity (3)          distances ─► weights                     spectral/gram
    Gram matrix (4)       weights ─► W, a sum over the rows        spectral/gram
    eigenvectors (5)      W ─► V                                   spectral/transfer_cut
    centers (6)           V, sample ─► tables that label any row   spectral/base_clustering
    base labels (7)       rows ─► labels (n, m)                    spectral/ensemble
    micro-clusters        labels ─► distinct rows with weights     execution/distinct
    consensus (8)         micro-clusters ─► clusters               consensus/

Only two sweeps grow with the number of rows: sweep A (2 to 4) and sweep B (7). `lsec.sweeps` runs
them, on threads or Dask, within the memory of a run; everything else is a small problem.
Equations are numbered in `lsec.spectral`; the steps are those of Algorithm 1 in [1]_.

References
----------
.. [1] Li, H., Ye, X., Imakura, A., Sakurai, T. "LSEC: Large-scale spectral ensemble
   clustering", Intelligent Data Analysis 27(1), 2023, arXiv:2106.09852.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.exceptions import ConvergenceWarning

from lsec import sweeps
from lsec.consensus.consensus import Consensus, ConsensusPlan, join
from lsec.consensus.methods import Tasks
from lsec.consensus.micro_clusters import MicroClusters
from lsec.execution.distinct import DistinctLabels
from lsec.execution.executor import Run
from lsec.execution.threads import Lent
from lsec.output.labels import LabelOutput
from lsec.rows.frame import Frame, warn_of_islands
from lsec.rows.rows import KMeansRows, Landmarks, Rows
from lsec.sources import Source
from lsec.spectral.base_clustering import (
    Graph,
    GraphCut,
    Member,
    MemberPlan,
    cut_graphs,
    learn_member,
)
from lsec.spectral.ensemble import Ensemble, EnsemblePlan, LandmarkSet, SetPlan, plan_set
from lsec.spectral.filtered_subspace import BlockProducts, Products
from lsec.spectral.gram import GramSums
from lsec.spectral.kmeans import MakePoints, MappedRows
from lsec.spectral.kmeans_ensemble import KMeansPlan, fit_kmeans_ensemble
from lsec.spectral.landmarks import MOST_MEMBER_ROWS, ROWS_PER_LANDMARK, draw_sample
from lsec.spectral.table_ensemble import TableEnsemble, TablePlan
from lsec.sweeps import FittedEnsemble
from lsec.typing import Float32

Seed = np.random.SeedSequence
Plan = EnsemblePlan | KMeansPlan | TablePlan
ROWS_FOR_DISTINCT = 10_000  # sample in which distinct rows are counted


@dataclass(frozen=True)
class Clustering:
    """Result of a run: the ensemble, its consensus, and labels of the rows."""

    ensemble: FittedEnsemble
    consensus: Consensus
    labels: Any  # int32 (n,), a Dask array, or None if in a file that cannot be mapped into memory
    n_micro_clusters: int


def cluster(
    source: Source,
    plan: Plan,
    consensus_plan: ConsensusPlan,
    seeds: Sequence[Seed],
    run: Run,
    output: LabelOutput,
) -> Clustering:
    """LSEC: generate an ensemble (Algorithm 1), label all rows, and join it (Algorithm 2)."""
    ensemble_seed, consensus_seed = seeds
    ensemble = generate(source, plan, ensemble_seed, run)
    # Sweep B: base labels of all rows (6, 7), counted as micro-clusters.
    rows = sweeps.label_rows(source, ensemble, run, output.spool)
    n_micro_clusters = rows.n_counted
    if n_micro_clusters < (consensus_plan.n_clusters or 2):  # members agree on too much
        ensemble, rows = tell_more_apart(source, ensemble, rows, run, output)
        consensus_plan = lower_to_distinct_rows(consensus_plan, source, ensemble, rows)
    with run.progress.stage("consensus"):
        of_row = rows.of_row() if output.in_memory else np.empty(0, np.int32)
        counted, weightless = np.split(rows.labels, [rows.n_counted])
        weights = rows.weights[: rows.n_counted]
        micro = MicroClusters(counted, weights, of_row, ensemble.n_labels)
        _require_labels(micro)
        # Algorithm 2: cut the graph of micro-clusters and base clusters (8).
        workers, rng = run.workers, np.random.default_rng(consensus_seed)
        tasks = Tasks(rng, workers.map, Lent, workers.n_threads, points_of(run))
        consensus = join(micro, consensus_plan, tasks)
        if isinstance(ensemble, TableEnsemble):
            consensus = replace(consensus, votes_for_unseen=True)
        clusters = consensus.labels_of_micro
        if len(weightless):
            clusters = np.append(clusters, consensus.predict_labels(weightless))
            consensus = consensus.with_weightless(weightless)

        def confidence() -> Float32:
            return consensus.votes.confidence(rows.labels, consensus.predict_numbers(rows.labels))

        labels = output.labels(rows, clusters, confidence)
    return Clustering(ensemble, consensus, labels, n_micro_clusters)


def _require_labels(micro: MicroClusters) -> None:
    """Refuse rows of a table without any value."""
    unlabeled = ~micro.takes_part.any(axis=1)
    if unlabeled.any():
        n_rows = int(micro.weights[unlabeled].sum())
        raise ValueError(f"{n_rows} rows have no value in any column. Remove such rows.")


def tell_more_apart(
    source: Source, ensemble: FittedEnsemble, rows: DistinctLabels, run: Run, output: LabelOutput
) -> tuple[FittedEnsemble, DistinctLabels]:
    """The ensemble with one more way to tell rows apart, and its labels, if that is of use."""
    finer = ensemble.finer(source.n_counted, source.take_counted)
    more = sweeps.label_rows(source, finer, run, output.spool)
    return (finer, more) if more.n_counted > rows.n_counted else (ensemble, rows)


def lower_to_distinct_rows(
    plan: ConsensusPlan, source: Source, ensemble: FittedEnsemble, rows: DistinctLabels
) -> ConsensusPlan:
    """The plan with as many clusters as there are distinct rows, if these are fewer; warns.

    Tables with categories are not told from rows that their members could tell apart.
    """
    k, n = plan.n_clusters, source.n_counted
    if k is None or rows.n_counted >= k or isinstance(ensemble, TableEnsemble):
        return plan
    some = np.linspace(0, n - 1, min(n, ROWS_FOR_DISTINCT)).astype(np.int64)
    points = ensemble.frame.rows(source.take_counted(some)).points(np.arange(len(some)))
    if rows.n_counted != len(np.unique(points, axis=0)):  # the members could tell more apart
        return plan
    warnings.warn(
        f"X has only {rows.n_counted} distinct rows, so that there are as many clusters and not "
        f"n_clusters={k}. Lower n_clusters.",
        ConvergenceWarning,
        stacklevel=2,
    )
    return replace(plan, n_clusters=rows.n_counted)


def generate(source: Source, plan: Plan, seed: Seed, run: Run) -> FittedEnsemble:
    """The ensemble of a plan, fitted to the rows of a source."""
    if isinstance(plan, TablePlan):
        numeric = plan.numeric
        members = None if numeric is None else generate_ensemble(source, numeric, seed, run)
        return TableEnsemble(members, plan.categories, plan.weight)
    if isinstance(plan, EnsemblePlan):
        return generate_ensemble(source, plan, seed, run)
    with run.progress.stage("centers", 1 + len(plan.n_clusters)):
        map_tasks = partial(run.workers.map, done=partial(run.progress.advance, "centers"))
        return fit_kmeans_ensemble(source.n_counted, source.take_counted, plan, seed, map_tasks)


def generate_ensemble(source: Source, plan: EnsemblePlan, seed: Seed, run: Run) -> Ensemble:
    """Algorithm 1: an ensemble of spectral base clusterings, fitted to the rows of a source."""
    sample_seed, landmark_seed, member_seed = seed.spawn(3)
    rng = np.random.default_rng(sample_seed)
    with run.progress.stage("landmarks", 1 + len(plan.sets)):
        drawn = draw_sample(source.n_counted, source.shape[1], plan.n_landmarks, rng)
        raw = source.take_counted(drawn)
        frame = Frame.of(raw, plan.projection, run.workers.map, unit_rows=plan.unit_rows)
        warn_of_islands(raw)
        rows = frame.dense_rows(raw, run.workers.map)
        # Step 1: landmarks of every set, by divide and conquer (1).
        landmarks = select_landmarks(rows, plan, landmark_seed, run)
        # Steps 2 and 4 on a smaller sample: neighbors (2), and bandwidths of the affinities (3).
        n_sample = min(rows.shape[0], ROWS_PER_LANDMARK * plan.n_landmarks, MOST_MEMBER_ROWS)
        some = np.sort(rng.choice(rows.shape[0], n_sample, replace=False))
        sample = run.executor.place(rows.take(some))
        del rows, raw
        pairs = zip(landmarks, plan.sets, strict=True)
        here = run.executor.holds_rows and source.weights is None
        positions = drawn[some] if here else None
        sets = run.workers.map(
            lambda pair: plan_set(*pair, sample, plan.kernel, run.workers.map, positions), pairs
        )
        run.memory.release()
    # Lloyd steps over all rows have nothing to add if the sample holds them all.
    n_passes = plan.n_passes if n_sample < source.n_counted else 0
    return Ensemble(frame, learn_sets(source, frame, sets, n_passes, member_seed, run))


def select_landmarks(rows: Rows, plan: EnsemblePlan, seed: Seed, run: Run) -> list[Landmarks]:
    """Step 1 of Algorithm 1: landmarks of every set, side by side."""

    def select(members: list[MemberPlan], seed: Seed) -> Landmarks:
        rng = np.random.default_rng(seed)
        return plan.select(rows, members[-1].n_neighbors, rng, run.workers.map)

    tasks = zip(plan.sets, seed.spawn(len(plan.sets)), strict=True)
    done = partial(run.progress.advance, "landmarks")
    return run.workers.map(lambda task: select(*task), tasks, done=done)


def learn_sets(
    source: Source, frame: Frame, sets: list[SetPlan], n_passes: int, seed: Seed, run: Run
) -> list[LandmarkSet]:
    """Steps 2 to 5 of Algorithm 1 for all landmark sets, as many at a time as memory allows."""
    n_members = sum(len(one.members) for one in sets)
    run.progress.announce("eigenvectors", 2 * n_members)  # cuts, and centers
    seeds = iter(seed.spawn(n_members))
    learned: list[LandmarkSet] = []
    for group in sweeps.plan_groups(source, sets, n_passes, run):
        run.cache.clear()
        members: dict[int, LandmarkSet] = {}
        grams: dict[int, GramSums] = {}
        for batch in group.batches:
            tasks = {s: sets[s].task for s in batch}
            # Sweep A, steps 2 to 4: neighbors (2), affinities (3) and Gram matrices (4).
            grams |= sweeps.sum_grams(source, frame, tasks, group.kept, run)
            run.memory.release()
            if len(grams) < run.workers.n_threads and batch != group.batches[-1]:
                continue  # until there is a set for every thread
            # Step 5: eigenvectors (5), embedding of the sample (6), light-k-means centers.
            members |= learn_members({s: sets[s] for s in grams}, grams, seeds, run)
            grams = {}
            run.memory.release()
        learned += sweeps.refine(source, frame, members, group.kept, n_passes, run).values()
    return learned


def learn_members(
    plans: dict[int, SetPlan], grams: dict[int, GramSums], seeds: Iterator[Seed], run: Run
) -> dict[int, LandmarkSet]:
    """Step 5 of Algorithm 1: the members of some landmark sets.

    Graphs are cut side by side, then all members are learned side by side.
    """
    spread, done = run.workers.map, partial(run.progress.advance, "eigenvectors")

    def products_of(matrix: csr_array) -> BlockProducts:
        products: BlockProducts = run.executor.place(Products.of(matrix, spread))
        return products

    def cut(s: int) -> list[GraphCut]:
        plan = plans[s]

        def graph_of(j: int) -> Graph:
            return Graph.of(plan.members[j], grams[s].of_member(j), plan.task.landmarks)

        graphs = spread(graph_of, range(len(plan.members)))
        return cut_graphs(graphs, products_of, partial(spread, done=done))

    def learn(s: int, j: int, graph: GraphCut, member_seed: Seed) -> Member:
        given = plans[s].members[j], plans[s].task.affinities[j], graph, plans[s].sample
        return learn_member(*given, np.random.default_rng(member_seed), points_of(run))

    with run.progress.timed("eigenvectors"):
        cuts = zip(plans, spread(cut, plans), strict=True)
        tasks = [(s, j, graph, next(seeds)) for s, some in cuts for j, graph in enumerate(some)]
        members = iter(spread(lambda task: learn(*task), tasks, done=done))
    return {
        s: LandmarkSet(plan.task.landmarks, [next(members) for _ in plan.members])
        for s, plan in plans.items()
    }


def points_of(run: Run) -> MakePoints:
    """Points that k-means clusters with the means of a run."""

    def make(values: Float32) -> KMeansRows:
        points: KMeansRows = run.executor.place(MappedRows(values, run.workers.map))
        return points

    return make
