"""Centers are refined in groups of landmark sets whose neighbors are kept: the same members."""

from types import SimpleNamespace

import numpy as np
import pytest

from conftest import builder
from lsec.rows.dense import ColumnRows
from lsec.spectral import refinement
from lsec.spectral.generation import _groups
from lsec.spectral.sweep import Sweeper

BUILDS = {
    "USENC": (builder("USENC"), {}),
    "LSEC": (builder("LSEC"), {"discretization": "kmeans"}),
    "light": (builder("LSEC"), {}),
    "DnCSC": (builder("DnCSC"), {}),
}
PASSES = 5
N_BLOCKS = 5


@pytest.fixture
def keep(monkeypatch):
    """Sets the number of landmark sets whose neighbors fit."""
    return lambda n_kept: monkeypatch.setattr(Sweeper, "kept_at_once", lambda *_: n_kept)


@pytest.fixture
def searches(monkeypatch):
    """Counts the searches of a block (or of the sample) in a landmark set."""
    made = []
    plain = ColumnRows.neighbors

    def counted(self, tree, k):
        made.append(tree)
        return plain(self, tree, k)

    monkeypatch.setattr(ColumnRows, "neighbors", counted)
    return made


@pytest.fixture(autouse=True)
def some_blocks(block_rows):
    block_rows(1024)


def same_members(one, other):
    np.testing.assert_array_equal(one.labels_, other.labels_)
    for a, b in zip(one._ensemble.members, other._ensemble.members, strict=True):
        np.testing.assert_array_equal(a.centers, b.centers)
        np.testing.assert_array_equal(a.vectors, b.vectors)


@pytest.mark.parametrize("name", BUILDS)
@pytest.mark.parametrize("n_kept", [0, 1, 2, 3])
def test_members_do_not_depend_on_how_many_neighbors_are_kept(name, n_kept, face, keep):
    build, settings = BUILDS[name]
    plain = build(4, **settings).fit(face)
    keep(n_kept)
    same_members(plain, build(4, **settings).fit(face))


@pytest.mark.parametrize("name", ["USENC", "LSEC"])
@pytest.mark.parametrize("n_kept", [0, 2])
def test_members_do_not_depend_on_where_rows_are(name, n_kept, face, keep, tmp_path):
    build, settings = BUILDS[name]
    plain = build(4, **settings).fit(face)
    np.save(tmp_path / "rows.npy", face)
    keep(n_kept)
    same_members(plain, build(4, **settings).fit(tmp_path / "rows.npy"))


@pytest.mark.parametrize(
    ("n_kept", "per_block"),
    [
        (5, 5),  # all is kept: only sweep A searches
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


def test_neighbors_never_exceed_the_budget(face, monkeypatch):
    most = []
    plain = Sweeper.total

    def watched(sweeper, *arguments):
        kept = sweeper._kept.values()
        most.append(sum(a.nbytes for near in kept for a in vars(near).values()))
        return plain(sweeper, *arguments)

    monkeypatch.setattr(Sweeper, "total", watched)
    per_set = len(face) * (4 + 6 * 5)
    limit = 2 * 2 * per_set + 8  # half of it is for neighbors, of two sets of five
    builder("USENC")(4, memory_limit=limit).fit(face)
    assert max(most) == 2 * per_set


def sweeper(in_memory):
    return SimpleNamespace(source=SimpleNamespace(in_memory=in_memory))


@pytest.mark.parametrize(
    ("n_kept", "sizes"), [(20, [20]), (99, [20]), (10, [10, 10]), (7, [6, 7, 7]), (0, [20])]
)
@pytest.mark.parametrize("in_memory", [True, False])
def test_groups_are_as_large_as_can_be_kept_and_the_last_is_full(n_kept, sizes, in_memory):
    groups = _groups(sweeper(in_memory), 20, n_kept, PASSES)
    assert [len(group) for group in groups] == sizes
    assert [s for group in groups for s in group] == list(range(20))


def test_rows_in_files_are_not_read_more_often_than_by_the_passes():
    assert len(_groups(sweeper(False), 12, 2, PASSES)) == 6
    assert len(_groups(sweeper(False), 14, 2, PASSES)) == 1
    assert len(_groups(sweeper(True), 14, 2, PASSES)) == 7


def test_without_passes_there_is_one_group():
    assert _groups(sweeper(True), 20, 3, 0) == [range(20)]


def test_sets_that_have_settled_take_no_further_part(face, monkeypatch, searches, keep):
    keep(0)
    monkeypatch.setattr(refinement, "CENTER_TOLERANCE", 2.0)  # unit vectors: any move
    model = builder("USENC")(4).fit(face)
    n_sets = len(model.landmarks_)
    assert len(searches) == n_sets + N_BLOCKS * n_sets * 3  # sweep A, one pass, labels


@pytest.mark.parametrize(("before", "after"), [(5, 2), (2, 5), (0, 3)])
def test_passes_are_found_again_where_memory_keeps_other_neighbors(
    before, after, face, tmp_path, keep, monkeypatch
):
    build, stages = builder("USENC"), tmp_path / "stages"
    keep(before)
    plain = build(4).fit(face, checkpoint=stages)
    keep(after)
    monkeypatch.setattr(Sweeper, "total", lambda *_: pytest.fail("swept again"))
    same_members(plain, build(4).fit(face, checkpoint=stages))


def test_only_passes_that_are_lost_are_repeated(face, tmp_path, monkeypatch):
    build, stages, swept = builder("USENC"), tmp_path / "stages", []
    plain = build(4).fit(face, checkpoint=stages)
    for lost in ("centers-1-0.npz", "centers-3-0.npz", "centers-3-4.npz"):
        (stages / lost).unlink()
    total = Sweeper.total

    def watched(sweeper, stage, function):
        swept.append(len(function.args[0].sets))
        return total(sweeper, stage, function)

    monkeypatch.setattr(Sweeper, "total", watched)
    same_members(plain, build(4).fit(face, checkpoint=stages))
    assert swept == [2, 1]
