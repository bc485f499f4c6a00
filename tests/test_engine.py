"""Laws of the engine: threads, what they share, and how a memory limit is shared out."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsec.checks import memory_size
from lsec.execution import budget
from lsec.execution.budget import shares
from lsec.execution.threads import Lent, Workers, thread_count, usable_cores

MiB = 2**20


@pytest.mark.parametrize(
    ("text", "size"), [("512MiB", 2**29), ("2 GiB", 2**31), ("1.5kB", 1500), (1000, 1000)]
)
def test_memory_size(text, size):
    assert memory_size(text) == size


@pytest.mark.parametrize("text", ["", "much", "-1GiB", "3 apples", 0, -5, "1.2.3MB"])
def test_memory_size_refuses(text):
    with pytest.raises(ValueError, match="memory_limit must be a positive number of bytes"):
        memory_size(text)


@pytest.mark.parametrize("n_threads", [1, 3])
def test_workers_return_results_in_task_order_and_raise_errors(n_threads):
    with Workers(n_threads) as workers:
        assert workers.map(lambda i: i * i, range(50)) == [i * i for i in range(50)]
        with pytest.raises(ZeroDivisionError):
            workers.map(lambda i: 1 // i, [1, 0, 2])


@pytest.mark.parametrize("most", [None, 1, 2])
def test_lent_states_are_never_shared(most):
    lent = Lent(lambda: [0], most)

    def add(_):
        with lent.one() as state:
            before = state[0]
            time.sleep(1e-5)  # another task with the same state would count from here, too
            state[0] = before + 1

    with Workers(4) as workers:
        workers.map(add, range(500))
    assert sum(state[0] for state in lent.states) == 500
    assert len(lent.states) <= (most or 4)


def test_a_task_that_fails_gives_its_state_back():
    lent = Lent(list, 1)

    def use(i):
        with lent.one() as state:
            state.append(1 // i)

    with Workers(4) as workers, pytest.raises(ZeroDivisionError):
        workers.map(use, [1, 1, 0, 1, 1, 1, 1, 1])
    with lent.one() as state:
        assert state is lent.states[0]


def test_thread_count_follows_n_jobs():
    assert thread_count(None) == thread_count(-1) == usable_cores()
    assert thread_count(3) == 3
    assert thread_count(-(10**6)) == 1


@given(
    limit=st.integers(1, 2**36),
    resident=st.integers(0, 2**33),
    n_threads=st.integers(1, 256),
    block=st.integers(1, 2**28),
    result=st.integers(0, 2**32),
)
def test_shares_add_up_to_the_limit_wherever_that_can_be(limit, resident, n_threads, block, result):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(budget, "resident_memory", lambda: resident)
        threads, tables = shares(limit, n_threads, block, result)
    assert 1 <= threads <= n_threads
    assert 1 <= tables <= limit
    one_thread = resident + result + budget.ELSEWHERE + block + budget.BESIDE_BLOCK
    least = max(one_thread, resident + result + budget.ELSEWHERE + budget.LEAST_BLOCKS)
    if limit >= least + budget.LEAST_TABLES:
        blocks = threads * (block + budget.BESIDE_BLOCK)
        assert resident + result + budget.ELSEWHERE + blocks + tables <= limit


def test_wide_rows_run_on_fewer_threads_and_narrow_ones_on_all(monkeypatch):
    monkeypatch.setattr(budget, "resident_memory", lambda: 256 * MiB)
    narrow, wide = MiB, 200 * MiB
    assert shares(1024 * MiB, 16, narrow, 80 * MiB)[0] == 16
    assert shares(1024 * MiB, 16, wide, 80 * MiB)[0] == 2
    assert shares(8192 * MiB, 16, wide, 80 * MiB)[0] == 16
