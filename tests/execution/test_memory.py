"""Memory of a run: its limit, the shares of it, and neighbors between sweeps."""

import os
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsec.checks import memory_size
from lsec.execution import memory
from lsec.execution.memory import (
    MemoryPlan,
    NeighborCache,
    free_memory,
    memory_budget,
    shares,
)

MiB = 2**20


# Limits


@pytest.mark.parametrize(
    ("text", "size"), [("512MiB", 2**29), ("2 GiB", 2**31), ("1.5kB", 1500), (1000, 1000)]
)
def test_memory_size(text, size):
    assert memory_size(text) == size


@pytest.mark.parametrize("text", ["", "much", "-1GiB", "3 apples", 0, -5, "1.2.3MB"])
def test_memory_size_refuses(text):
    with pytest.raises(ValueError, match="memory_limit must be a positive number of bytes"):
        memory_size(text)


@pytest.mark.parametrize(("free", "limit"), [(2**40, 2**36), (0, 2**28)])
def test_default_limit_is_a_share_of_free_memory(monkeypatch, free, limit):
    monkeypatch.setattr(memory, "free_memory", lambda: free)
    assert memory_budget(None) == limit


@pytest.mark.skipif(not hasattr(os, "sysconf"), reason="asks the system")
def test_free_memory_is_less_than_the_machine_has():
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    assert 0 < free_memory() < total


# Shares


@given(
    limit=st.integers(1, 2**36),
    resident=st.integers(0, 2**33),
    n_threads=st.integers(1, 256),
    block=st.integers(1, 2**28),
    result=st.integers(0, 2**32),
)
def test_shares_add_up_to_the_limit_wherever_that_can_be(limit, resident, n_threads, block, result):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(memory, "resident_memory", lambda: resident)
        threads, tables = shares(limit, n_threads, block, result)
    assert 1 <= threads <= n_threads
    assert 1 <= tables <= limit
    one_thread = resident + result + memory.ELSEWHERE + block + memory.BESIDE_BLOCK
    least = max(one_thread, resident + result + memory.ELSEWHERE + memory.LEAST_BLOCKS)
    if limit >= least + memory.LEAST_TABLES:
        blocks = threads * (block + memory.BESIDE_BLOCK)
        assert resident + result + memory.ELSEWHERE + blocks + tables <= limit


def test_wide_rows_run_on_fewer_threads_and_narrow_ones_on_all(monkeypatch):
    monkeypatch.setattr(memory, "resident_memory", lambda: 256 * MiB)
    narrow, wide = MiB, 200 * MiB
    assert shares(1024 * MiB, 16, narrow, 80 * MiB)[0] == 16
    assert shares(1024 * MiB, 16, wide, 80 * MiB)[0] == 2
    assert shares(8192 * MiB, 16, wide, 80 * MiB)[0] == 16


# The plan


@given(
    budget=st.integers(0, 2**40),
    neighbors=st.integers(1, 2**36),
    sums=st.integers(1, 2**36),
    keeps=st.booleans(),
)
def test_a_plan_never_exceeds_its_budget_but_for_one_sum(budget, neighbors, sums, keeps):
    plan = MemoryPlan(budget, budget, keeps_neighbors=keeps)
    kept, held = plan.kept_at_once(neighbors), plan.sums_at_once(sums)
    assert kept >= 0
    assert held >= 1
    assert kept == 0 or keeps
    assert kept * neighbors + (held * sums if held > 1 else 0) <= budget
    # Nor does it leave room for one more.
    assert (kept + 1) * neighbors > budget // 2 or not keeps
    assert (held + 1) * sums > budget // 2


def test_memory_is_returned_only_if_the_limit_is_that_of_the_process(monkeypatch):
    returned = []
    monkeypatch.setattr(memory, "return_freed_memory", lambda: returned.append(1))
    MemoryPlan(MiB, MiB).release()
    assert not returned
    MemoryPlan(MiB, MiB, whole_process=True).release()
    assert returned


# Neighbors that are kept


def test_a_cache_knows_a_search_in_a_block_until_it_is_cleared():
    cache, search = NeighborCache(), object()
    cache.keep(search, 3, "neighbors")
    assert cache.get(search, 3) == "neighbors"
    assert cache.get(search, 2) is None
    assert cache.get(object(), 3) is None
    cache.clear()
    assert cache.get(search, 3) is None


def test_a_cache_is_empty_on_another_machine():
    cache = NeighborCache()
    cache.keep("search", 0, "neighbors")
    assert pickle.loads(pickle.dumps(cache)).get("search", 0) is None
