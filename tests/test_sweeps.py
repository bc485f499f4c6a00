"""Sweeps: the same sums for any memory, and no search that neighbors in memory make needless."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from lsec import LSEC, sweeps
from lsec.execution.executor import Block, open_run
from lsec.execution.memory import MemoryPlan, NeighborCache
from lsec.output.labels import MemorySpool
from lsec.rows.dense import ColumnRows, DenseRows
from lsec.rows.frame import Frame
from lsec.rows.rows import Landmarks, PackedNeighbors, Routes
from lsec.spectral import ensemble
from lsec.spectral.gram import Affinity, GramTask
from lsec.spectral.landmarks import divide_and_conquer
from lsec.sweeps import Kept, add_in_order, group_sets, plan_groups, sum_grams
from tests.conftest import builder
from tests.inputs import array_source

PASSES = 5
N_BLOCKS = 5


# Gram matrices

N_ROWS, N_SETS, N_LANDMARKS = 6000, 3, 40


@pytest.fixture(scope="module")
def rows():
    return np.random.default_rng(0).normal(size=(N_ROWS, 3)).astype(np.float32)


@pytest.fixture(scope="module")
def frame(rows):
    return Frame.of(rows)


@pytest.fixture(scope="module")
def tasks(rows, frame):
    """Landmark sets of two members: of two and of four neighbors."""
    affinities = [Affinity(2, np.float32(3), 1), Affinity(4, np.float32(2), 1)]
    found = {}
    for s in range(N_SETS):
        rng = np.random.default_rng(s)
        tree = divide_and_conquer(frame.rows(rows), 4, rng, n_landmarks=N_LANDMARKS, alpha=5)
        found[s] = GramTask(tree, affinities)
    return found


def grams(rows, frame, tasks, *, n_threads, n_blocks, budget):
    source = array_source(rows)
    source.rows_per_block = -(-N_ROWS // n_blocks)
    with open_run(source, n_threads=n_threads, memory_limit=budget, verbose=0) as run:
        return sum_grams(source, frame, tasks, Kept(range(0)), run)


@pytest.mark.parametrize("n_blocks", [1, 2, 12])
@pytest.mark.parametrize("n_threads", [1, 4, 16])
def test_gram_sums_are_the_same_bits_for_any_threads_blocks_and_budget(
    rows, frame, tasks, n_threads, n_blocks
):
    plain = grams(rows, frame, tasks, n_threads=1, n_blocks=1, budget=2**30)
    assert all((sums.values > 0).any(axis=0).all() for sums in plain.values())
    for budget in (1, 2 * sum(task.n_bytes for task in tasks.values()), 2**30):
        other = grams(rows, frame, tasks, n_threads=n_threads, n_blocks=n_blocks, budget=budget)
        assert list(other) == list(plain)
        for s, sums in plain.items():
            assert_array_equal(other[s].where, sums.where)
            assert_array_equal(other[s].values, sums.values)


# Sums in the order of the blocks


def test_sums_are_those_of_all_blocks_in_order():
    rng = np.random.default_rng(0)
    blocks = [[rng.normal(size=(3, 2)), rng.normal(size=4)] for _ in range(50)]
    for j, total in enumerate(add_in_order(iter(blocks))):
        expected = np.zeros_like(blocks[0][j])
        for block in blocks:
            expected = expected + block[j]
        assert_array_equal(total, expected)


# Groups of landmark sets


@pytest.mark.parametrize(
    ("n_kept", "sizes"), [(20, [20]), (99, [20]), (10, [10, 10]), (7, [6, 7, 7]), (0, [20])]
)
@pytest.mark.parametrize("seldom", [True, False])
def test_groups_are_as_large_as_can_be_kept_and_the_last_is_full(n_kept, sizes, seldom):
    groups = group_sets(20, n_kept, PASSES, seldom=seldom)
    assert [len(group) for group in groups] == sizes
    assert [s for group in groups for s in group] == list(range(20))


def test_rows_in_files_are_not_read_more_often_than_by_the_passes():
    assert len(group_sets(12, 2, PASSES, seldom=True)) == 6
    assert len(group_sets(14, 2, PASSES, seldom=True)) == 1
    assert len(group_sets(14, 2, PASSES, seldom=False)) == 7


def test_without_passes_there_is_one_group():
    assert group_sets(20, 3, 0, seldom=False) == [range(20)]


@given(
    n_sets=st.integers(1, 20),
    n_rows=st.integers(1, 10**6),
    budget=st.integers(1, 2**32),
    n_copies=st.integers(1, 16),
    n_passes=st.sampled_from([0, PASSES]),
    in_memory=st.booleans(),
    narrow=st.booleans(),
)
def test_neighbors_and_sums_of_a_group_never_exceed_the_budget(
    n_sets, n_rows, budget, n_copies, n_passes, in_memory, narrow
):
    candidates = np.zeros((100, 50), np.uint16)
    routes = Routes(*[None] * 4, candidates, candidates) if narrow else None
    task = GramTask(
        Landmarks(np.zeros((100, 2), np.float32), routes), [Affinity(5, np.float32(1), 1)]
    )
    source = SimpleNamespace(
        shape=(n_rows, 2), in_memory=in_memory, rows_per_block=1000, n_blocks=-(-n_rows // 1000)
    )
    run = SimpleNamespace(memory=MemoryPlan(budget, budget, n_copies=n_copies))
    groups = plan_groups(source, [SimpleNamespace(task=task)] * n_sets, n_passes, run)
    n_totals = min(n_copies, task.useful_totals(n_rows))
    assert [s for g in groups for b in g.batches for s in b] == list(range(n_sets))
    for group in groups:
        whole, packed = n_rows * (4 + 6 * 5), n_rows * (2 + 5) + source.n_blocks * 4 * 101
        assert len(group.kept.sets) * (packed if group.kept.packed else whole) <= budget / 2
        assert group.kept.packed == (narrow and in_memory and n_sets * whole > budget / 2)
        assert set(group.kept.sets) <= {s for batch in group.batches for s in batch}
        for batch in group.batches:
            assert len(batch) == 1 or len(batch) * n_totals * task.n_bytes <= budget / 2


# Neighbors that are kept change nothing but the searches

BUILDS = {
    "USENC": (builder("USENC"), {}),
    "LSEC": (builder("LSEC"), {"discretization": "kmeans"}),
    "light": (builder("LSEC"), {}),
    "DnCSC": (builder("DnCSC"), {}),
}


@pytest.fixture
def keep(monkeypatch, block_rows):
    """Sets the number of landmark sets whose neighbors fit; five blocks."""
    block_rows(1024)
    return lambda n_kept: monkeypatch.setattr(MemoryPlan, "kept_at_once", lambda *_: n_kept)


@pytest.fixture
def searches(monkeypatch):
    """Counts the searches of a block (or of the sample) in a landmark set."""
    made = []
    plain = ColumnRows._routed

    def counted(self, tree, k):
        made.append(tree)
        return plain(self, tree, k)

    monkeypatch.setattr(ColumnRows, "_routed", counted)
    return made


def assert_same_members(model, other):
    assert_array_equal(model.labels_, other.labels_)
    for a, b in zip(model._ensemble.members, other._ensemble.members, strict=True):
        assert_array_equal(a.centers, b.centers)
        assert_array_equal(a.vectors, b.vectors)


@pytest.mark.parametrize("name", BUILDS)
def test_members_do_not_depend_on_how_many_neighbors_are_kept(name, face, keep):
    build, settings = BUILDS[name]
    plain = build(4, **settings).fit(face)
    for n_kept in range(4):
        keep(n_kept)
        assert_same_members(plain, build(4, **settings).fit(face))


@pytest.mark.parametrize("name", ["USENC", "LSEC"])
def test_members_do_not_depend_on_rows_being_in_a_file(name, face, keep, tmp_path):
    build, settings = BUILDS[name]
    plain = build(4, **settings).fit(face)
    np.save(tmp_path / "rows.npy", face)
    for n_kept in (0, 2):
        keep(n_kept)
        assert_same_members(plain, build(4, **settings).fit(tmp_path / "rows.npy"))


@pytest.mark.parametrize(
    ("n_kept", "per_block"),
    [
        (5, 5),  # all are kept: only sweep A searches
        (2, 5 + 3),  # three groups; labels search in the sets of the first two
        (3, 5 + 2),
        (0, 5 * (1 + PASSES + 1)),  # sweep A, every pass, and labels
    ],
)
def test_kept_neighbors_are_not_searched_again(n_kept, per_block, face, keep, searches):
    keep(n_kept)
    model = builder("USENC")(4).fit(face)
    n_sets = len(model.landmarks_)
    assert len(searches) == n_sets + N_BLOCKS * per_block  # the sample once in every set


@pytest.mark.parametrize(("n_kept", "per_block"), [(2, 2), (1, 2 + 1), (0, 2 + 2)])
def test_without_passes_the_first_sets_are_kept(n_kept, per_block, face, keep, searches):
    keep(n_kept)
    model = builder("LSEC")(4).fit(face)
    assert len(model.landmarks_) == 2
    assert len(searches) == 2 + N_BLOCKS * per_block


@pytest.mark.parametrize(("weights", "n_scans"), [(None, 1), (np.ones(3000, int), 1 + 400 / 3000)])
def test_rows_of_the_sample_are_scanned_once(weights, n_scans, monkeypatch, block_rows):
    block_rows(1024)
    rows = np.random.default_rng(0).normal(size=(3000, 6))
    scanned, plain = [], DenseRows._scan

    def counted(self, *search):
        scanned.append(len(self.values))
        return plain(self, *search)

    monkeypatch.setattr(DenseRows, "_scan", counted)
    settings = {"n_landmarks": 40, "n_base": 10, "base_clusters": (5, 9), "random_state": 0}
    model = LSEC(4, **settings).fit(rows, sample_weight=weights)
    assert sum(scanned) == round(2 * 3000 * n_scans)  # two landmark sets
    search_all = lambda rows, _, *search: rows.neighbors(*search)  # noqa: E731
    monkeypatch.setattr(DenseRows, "remaining_neighbors", search_all)
    assert_same_members(model, LSEC(4, **settings).fit(rows, sample_weight=weights))
    assert model.n_micro_clusters_ > 10


@pytest.mark.parametrize(
    ("share", "packed", "n_kept"), [(5, False, 5), (2.5, True, 5), (1, True, 4), (0.1, True, 0)]
)
def test_neighbors_in_the_cache_never_exceed_the_budget(
    share, packed, n_kept, face, monkeypatch, block_rows
):
    block_rows(1024)
    sizes = [0]
    plain = NeighborCache.keep

    def watched(cache, *arguments):
        plain(cache, *arguments)
        kept = list(cache._kept.values())
        sizes.append(sum(array.nbytes for near in kept for array in near))

    monkeypatch.setattr(NeighborCache, "keep", watched)
    limit = int(2 * share * len(face) * (4 + 6 * 5))  # half of it is for neighbors of `share` sets
    builder("USENC")(4, memory_limit=limit, n_jobs=1).fit(face)
    whole = len(face) * (4 + 6 * 5)
    per_set = PackedNeighbors.n_bytes(len(face), N_BLOCKS, 5, 100) if packed else whole
    assert max(sizes) == n_kept * per_set
    assert max(sizes) <= limit / 2


def test_sets_that_have_settled_take_no_further_part(face, monkeypatch, searches, keep):
    keep(0)
    monkeypatch.setattr(ensemble, "CENTER_TOLERANCE", 2.0)  # unit vectors: any move
    model = builder("USENC")(4).fit(face)
    n_sets = len(model.landmarks_)
    assert len(searches) == n_sets + N_BLOCKS * n_sets * 3  # sweep A, one pass, labels


# Sweep B


def test_labels_are_counted_and_kept_in_a_spool(face, block_rows):
    block_rows(1024)
    model = builder("LSEC")(4).fit(face)
    source, ensemble = array_source(face), model._ensemble
    label = sweeps.LabelBlock(ensemble, NeighborCache())
    with open_run(source, n_threads=2, memory_limit=None, verbose=0) as run:
        rows = sweeps.label_rows(source, ensemble, run, MemorySpool)
    expected = np.concatenate([label(Block(source, number)) for number in range(source.n_blocks)])
    assert_array_equal(rows.look_up(rows.labels), expected, strict=True)
    assert_array_equal(model.base_labels_, expected, strict=True)
    assert rows.weights.sum() == len(face)
