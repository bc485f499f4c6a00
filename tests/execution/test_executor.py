"""Block functions on threads, and on Dask without a client, give the values of all rows."""

import time
from contextlib import contextmanager, nullcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lsec.execution import executor as executors
from lsec.execution.executor import ThreadExecutor
from lsec.execution.memory import MemoryPlan
from lsec.execution.threads import Progress, Workers
from tests.execution.block_functions import (
    BLOCK,
    Counts,
    CountValues,
    RunningCounts,
    assert_plain,
    random_rows,
    small_blocks,
)
from tests.inputs import array_source, seeds


@contextmanager
def on_threads(n_threads, budget=2**30):
    with Workers(n_threads) as workers:
        memory = MemoryPlan(budget, budget, n_copies=n_threads)
        yield ThreadExecutor(workers, Progress(n_threads=n_threads), memory)


def dask_parts():
    """Dask's arrays, and what runs on them; skips the test without Dask."""
    da = pytest.importorskip("dask.array")
    from lsec.execution.dask import DaskExecutor
    from lsec.sources.dask import DaskRows

    return da, DaskExecutor, DaskRows


@settings(max_examples=30)
@given(seed=seeds, n=st.integers(1, 400), n_threads=st.sampled_from([1, 2, 5]))
def test_threads_give_the_values_of_all_rows(seed, n, n_threads):
    rows = random_rows(np.random.default_rng(seed), n)
    with small_blocks(), on_threads(n_threads) as executor:
        assert_plain(executor, array_source(rows), rows, seed)


@settings(max_examples=15)
@given(seed=seeds, n=st.integers(1, 400), chunk=st.integers(1, 150))
def test_dask_without_a_client_gives_the_values_of_all_rows(seed, n, chunk):
    da, DaskExecutor, DaskRows = dask_parts()
    rows = random_rows(np.random.default_rng(seed), n)
    with small_blocks():
        executor = DaskExecutor(Progress(), 2)
        assert_plain(executor, DaskRows(da.from_array(rows, chunks=(chunk, 2))), rows, seed)


def test_map_holds_few_results_at_once(monkeypatch):
    monkeypatch.setattr(executors, "RESULTS_AT_ONCE", 3)
    made = []

    def count(block):
        made.append(block.number)
        return block.number

    with small_blocks(), on_threads(2) as executor:
        source = array_source(np.zeros((20 * BLOCK, 3)))
        for done, number in enumerate(executor.map(source, count, "labels")):
            assert number == done
            assert len(made) <= done + 3
    assert len(made) == 20


@pytest.mark.parametrize("n_blocks", [2, 40])
@pytest.mark.parametrize("copies", [1, 3])
def test_totals_never_exceed_the_budget(monkeypatch, copies, n_blocks):
    made = []
    zero = Counts.zero

    def counted(self):
        made.append(self.n_bytes)
        return zero(self)

    monkeypatch.setattr(Counts, "zero", counted)
    sums = {key: Counts(100) for key in range(3)}
    one_copy = sum(one.n_bytes for one in sums.values())
    # Half of a budget is for sums.
    with small_blocks(), on_threads(8, budget=2 * copies * one_copy) as executor:
        source = array_source(random_rows(np.random.default_rng(0), n_blocks * BLOCK))
        executor.reduce(source, CountValues(0, sums), sums, ("neighbors", "Gram"))
    assert one_copy <= sum(made) <= copies * one_copy


@pytest.mark.parametrize("n_blocks", [2, 40])
def test_threads_share_the_totals_of_a_sum_if_more_would_cost_time(monkeypatch, n_blocks):
    made = []
    zero = Counts.zero

    def counted(self):
        made.append(self.n_totals)
        return zero(self)

    monkeypatch.setattr(Counts, "zero", counted)
    monkeypatch.setattr(RunningCounts, "add", lambda *_: time.sleep(1e-3))  # others come meanwhile
    sums = {key: Counts(100, n_totals=1 + key) for key in range(3)}
    with small_blocks(), on_threads(8) as executor:
        source = array_source(random_rows(np.random.default_rng(0), n_blocks * BLOCK))
        executor.reduce(source, CountValues(0, sums), sums, ("neighbors", "Gram"))
    assert set(made) == {1, 2, 3}
    assert all(made.count(n) <= n for n in made)


@pytest.mark.parametrize("kind", ["threads", "dask"])
def test_errors_of_block_functions_are_raised(kind):
    da, DaskExecutor, DaskRows = dask_parts()
    rows = da.from_array(np.ones((100, 3)), chunks=(30, 3))
    run_on = on_threads(2) if kind == "threads" else nullcontext(DaskExecutor(Progress(), 2))
    with small_blocks(), run_on as executor:
        with pytest.raises(ZeroDivisionError):
            list(executor.map(DaskRows(rows), lambda block: 1 // 0, "labels"))
        with pytest.raises(ZeroDivisionError):
            sums = {0: Counts(3)}
            executor.reduce(DaskRows(rows), lambda block, keys: 1 // 0, sums, ("a", "b"))
