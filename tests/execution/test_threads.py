"""The pool of threads, and states that its tasks share."""

import threading
import time

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from lsec.execution.threads import Lent, Workers, thread_count, usable_cores


@pytest.mark.parametrize("n_threads", [1, 3])
def test_workers_return_results_in_task_order_and_raise_errors(n_threads):
    with Workers(n_threads) as workers:
        assert workers.map(lambda i: i * i, range(50)) == [i * i for i in range(50)]
        with pytest.raises(ZeroDivisionError):
            workers.map(lambda i: 1 // i, [1, 0, 2])


@pytest.mark.parametrize("n_threads", [1, 3])
def test_every_task_that_is_done_is_counted(n_threads):
    done = []
    with Workers(n_threads) as workers:
        workers.map(lambda i: i, range(20), done=lambda: done.append(1))
    assert len(done) == 20


def test_a_thread_that_cannot_start_is_one_clear_error(monkeypatch):
    start, started = threading.Thread.start, []

    def start_two(thread):
        if len(started) == 2:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", start_two)
    with Workers(8) as workers:
        with pytest.raises(
            MemoryError, match=r"not start 8 threads: can't start .* smaller n_jobs"
        ):
            workers.map(lambda i: time.sleep(1e-3), range(50))
        assert len(started) == 2
    assert not any(thread.is_alive() for thread in started)


@pytest.mark.parametrize("n_threads", [1, 2, 3])
def test_tasks_may_have_tasks_of_their_own(n_threads):
    names = set()

    def name(i):
        time.sleep(1e-4)
        names.add(threading.get_ident())
        return i

    with Workers(n_threads) as workers:
        found = workers.map(lambda i: sum(workers.map(name, range(i))), range(12))
    assert found == [sum(range(i)) for i in range(12)]
    assert len(names) <= n_threads


def test_threads_that_are_free_help_with_the_tasks_of_a_task():
    meeting = threading.Barrier(3)
    with Workers(3) as workers:
        workers.map(lambda _: workers.map(lambda _: meeting.wait(10), range(3)), range(1))


def test_the_error_of_the_first_task_that_failed_is_raised_and_no_further_one_begins():
    begun, meeting = [], threading.Barrier(3)

    def fail(i):
        begun.append(i)
        meeting.wait(10)
        time.sleep(0.01 * (3 - i))
        raise ValueError(str(i))

    with Workers(3) as workers, pytest.raises(ValueError, match="0"):
        workers.map(fail, range(50))
    assert sorted(begun) == [0, 1, 2]


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


def blas_threads():
    return [one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"]


def test_blas_has_one_thread_whichever_thread_begins_or_ends_a_run():
    with threadpool_limits(2, user_api="blas"):
        before, ended, found = blas_threads(), threading.Event(), []
        with Workers(1):  # this thread is the first to set the limit
            found.append(blas_threads())

        def run():
            with Workers(1):
                found.append(blas_threads())
                with Workers(1):
                    found.append(blas_threads())
                    begun.set()
                ended.wait(10)

        begun = threading.Event()
        other = threading.Thread(target=run)
        other.start()
        begun.wait(10)
        with Workers(1):
            found.append(blas_threads())
            ended.set()
            other.join()
            found.append(blas_threads())
        assert found == [[1] * len(before)] * 5
        assert blas_threads() == before
