"""Load: many fits at once, in threads and processes, with workers that are lost, and in a row.

Allowed: the labels of one fit alone, every time; and no growth of memory, threads or open files.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import threading
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

import lsec
from benchmarks.attack.case import WORKED, require

N_ROWS, N_DASK = 3000, 60_000
N_THREADS, N_IN_A_ROW, N_FIRST = 16, 100, 20
MOST_GROWTH = 24 * 2**20  # bytes over a hundred fits: the allocator keeps some
EXPECTED: dict[str, Any] = {}


def rows(n_rows: int = N_ROWS) -> Any:
    rng = np.random.default_rng(0)
    return rng.normal(size=(n_rows, 2)) + 5 * rng.integers(0, 4, (n_rows, 1))


def model(seed: int = 0, n_jobs: int = 2) -> Any:
    return lsec.LSEC(4, n_base=4, n_landmarks=100, random_state=seed, n_jobs=n_jobs)


def labels_of(seed: int) -> Any:
    """Labels of a fit; a function of the module, for other processes."""
    warnings.simplefilter("ignore")
    return model(seed).fit(rows()).labels_


def prepare(folder: Path) -> None:
    """The labels of every seed, one fit after the other."""
    warnings.simplefilter("ignore")
    EXPECTED.update({str(seed): labels_of(seed) for seed in range(N_THREADS)})
    EXPECTED["dask"] = model().fit(rows(N_DASK)).labels_


def attack(case: int, rng: np.random.Generator, folder: Path) -> str:
    """One kind of load."""
    LOADS[case % len(LOADS)](rng)
    return WORKED


def compare(found: Any, seed: int) -> None:
    require(np.array_equal(found, EXPECTED[str(seed)]), f"other labels of the seed {seed}")


def threads(rng: np.random.Generator) -> None:
    """Sixteen threads fit at once, each with two threads of its own."""
    with ThreadPoolExecutor(N_THREADS) as pool:
        for seed, found in enumerate(pool.map(labels_of, range(N_THREADS))):
            compare(found, seed)


def one_model(rng: np.random.Generator) -> None:
    """Threads predict and ask a model that they share."""
    X = rows()
    shared = model().fit(X)

    def ask(number: int) -> Any:
        shared.labels_at(2 + number % 5)
        return shared.predict(X)

    with ThreadPoolExecutor(N_THREADS) as pool:
        for found in pool.map(ask, range(2 * N_THREADS)):
            compare(found, 0)


def forked(rng: np.random.Generator) -> None:
    processes("fork")


def spawned(rng: np.random.Generator) -> None:
    processes("spawn")


def processes(way: str) -> None:
    """A pool of two processes that start in a way of `multiprocessing`."""
    context = multiprocessing.get_context(way)
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        for seed, found in enumerate(pool.map(labels_of, range(6))):
            compare(found, seed)


def in_a_row(rng: np.random.Generator) -> None:
    """A hundred fits and predictions: what they hold at the end is what they held before."""
    X = rows()
    for _ in range(N_FIRST):
        model().fit(X).predict(X)
    before = held()
    for _ in range(N_IN_A_ROW):
        compare(model().fit(X).predict(X), 0)
    after = held()
    growth = after[0] - before[0]
    require(growth <= MOST_GROWTH, f"memory grew by {growth} bytes in {N_IN_A_ROW} fits")
    require(after[1:] == before[1:], f"threads and open files were {before[1:]}, are {after[1:]}")


def held() -> tuple[int, int, int]:
    """Memory in bytes, threads, and open files of this process."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    memory = pages * os.sysconf("SC_PAGE_SIZE")
    return memory, threading.active_count(), len(os.listdir("/proc/self/fd"))


def lost_workers(rng: np.random.Generator) -> None:
    """Dask workers are killed at random moments of a fit; the labels are those of memory."""
    import dask
    import dask.array as da
    import distributed

    settings = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 20}),
        distributed.LocalCluster(processes=True, memory_limit="1GiB", **settings) as cluster,
        distributed.Client(cluster) as client,
    ):
        X = da.from_array(rows(N_DASK), chunks=(5000, 2))
        done = threading.Event()

        def kill() -> None:
            while not done.wait(float(rng.uniform(0.3, 3))):
                with suppress(ProcessLookupError, IndexError, TypeError):
                    workers = [one.pid for one in list(cluster.workers.values())]
                    os.kill(int(rng.choice([pid for pid in workers if pid])), signal.SIGKILL)
                time.sleep(3)  # until the nanny has started another

        killer = threading.Thread(target=kill)
        killer.start()
        try:
            found = model().fit(X, client=client).labels_.compute()
        finally:
            done.set()
            killer.join()
        require(np.array_equal(found, EXPECTED["dask"]), "other labels on Dask")


LOADS: tuple[Callable[[np.random.Generator], None], ...] = (
    *(threads, one_model, forked),
    *(spawned, in_a_row, lost_workers),
)
