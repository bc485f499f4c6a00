"""Laws of the sweeps: the same sums for any threads and budget, and no more copies than fit."""

import numpy as np
import pytest

from conftest import builder
from lsec.execution.progress import Stages
from lsec.execution.threads import Workers
from lsec.rows.frame import Frame
from lsec.sources import ArraySource
from lsec.spectral import sweep
from lsec.spectral.landmarks import divide_and_conquer
from lsec.spectral.sweep import GramTask, Sweeper

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
    found = {}
    for s in range(N_SETS):
        rng = np.random.default_rng(s)
        tree = divide_and_conquer(frame.rows(rows), 4, rng, n_landmarks=N_LANDMARKS, alpha=5)
        first = np.array([0, 0, 1, 1], np.int32)
        found[s] = GramTask(tree, first, np.array([3, 2], np.float32), False)
    return found


def grams(rows, frame, tasks, *, n_threads, n_blocks, budget):
    source = ArraySource(rows)
    source.rows_per_block = -(-N_ROWS // n_blocks)
    with Workers(n_threads) as workers:
        sweeper = Sweeper(source, workers, Stages(), budget)
        sweeper.announce_grams([len(tasks)])
        return sweeper.grams(frame, tasks)


@pytest.mark.parametrize("n_blocks", [1, 2, 12])
@pytest.mark.parametrize("n_threads", [1, 4, 16])
def test_gram_sums_are_the_same_bits_for_any_threads_blocks_and_budget(
    rows, frame, tasks, n_threads, n_blocks
):
    plain = grams(rows, frame, tasks, n_threads=1, n_blocks=1, budget=2**30)
    assert all((sums.values > 0).any(axis=0).all() for sums in plain.values())
    for budget in (0, 2 * sum(task.gram_bytes for task in tasks.values()), 2**30):
        other = grams(rows, frame, tasks, n_threads=n_threads, n_blocks=n_blocks, budget=budget)
        assert list(other) == list(plain)
        for s, sums in plain.items():
            np.testing.assert_array_equal(other[s].where, sums.where)
            np.testing.assert_array_equal(other[s].values, sums.values)


@pytest.mark.parametrize("n_blocks", [2, 40])
@pytest.mark.parametrize("copies", [1, 3])
def test_gram_matrices_never_exceed_the_budget(monkeypatch, rows, frame, tasks, copies, n_blocks):
    made = []
    plain = sweep.empty_grams

    def counted(some):
        made.append(sum(task.gram_bytes for task in some.values()))
        return plain(some)

    monkeypatch.setattr(sweep, "empty_grams", counted)
    one_copy = sum(task.gram_bytes for task in tasks.values())
    # Half of a budget is for Gram matrices.
    grams(rows, frame, tasks, n_threads=8, n_blocks=n_blocks, budget=2 * copies * one_copy)
    assert one_copy <= sum(made) <= copies * one_copy


def test_sums_over_blocks_do_not_depend_on_how_many_are_held(monkeypatch, face, block_rows):
    block_rows(256)
    model = builder("USENC")(4).fit(face)
    for held in (1, 3):
        monkeypatch.setattr(sweep, "ADDED_AT_ONCE", held)
        again = builder("USENC")(4).fit(face)
        np.testing.assert_array_equal(again.base_labels_, model.base_labels_)


def test_sums_are_those_of_all_blocks():
    rng = np.random.default_rng(0)
    blocks = [[rng.normal(size=(3, 2)), rng.normal(size=4)] for _ in range(50)]
    sums = sweep.Sums()
    sums.add(blocks[:20])
    sums.add(blocks[20:])
    for j, total in enumerate(sums.arrays):
        np.testing.assert_array_equal(total, np.sum([block[j] for block in blocks], axis=0))
