"""Means of a run: threads within the limit of the process for files, within that of sums else."""

import numpy as np
import pytest

from lsec import open_rows
from lsec.execution import executor as runs
from lsec.execution.executor import ThreadExecutor, open_run
from tests.inputs import array_source

ROWS = np.random.default_rng(0).normal(size=(3000, 2))


def opened(source, **settings):
    return open_run(source, **{"n_threads": 3, "memory_limit": 2**30, "verbose": 0, **settings})


def test_rows_in_memory_leave_the_limit_to_neighbors_and_sums():
    with opened(array_source(ROWS)) as run:
        assert isinstance(run.executor, ThreadExecutor)
        assert run.workers.n_threads == run.memory.n_copies == 3
        assert run.memory.limit == run.memory.budget == 2**30
        assert run.memory.keeps_neighbors
        assert not run.memory.whole_process


def test_rows_in_files_share_the_limit_of_the_process(tmp_path, monkeypatch):
    np.save(tmp_path / "rows.npy", ROWS)
    asked = []
    monkeypatch.setattr(runs, "shares", lambda *sizes: asked.append(sizes) or (2, 12345))
    source = open_rows(tmp_path / "rows.npy")
    with opened(source, result_bytes=777) as run:
        assert run.workers.n_threads == run.memory.n_copies == 2
        assert (run.memory.limit, run.memory.budget) == (2**30, 12345)
        assert run.memory.whole_process
    assert asked == [(2**30, 3, source.block_bytes, 777)]


def test_dask_keeps_no_neighbors_and_one_copy_of_sums():
    da = pytest.importorskip("dask.array")
    from lsec.execution.dask import DaskExecutor
    from lsec.sources.dask import DaskRows

    with opened(DaskRows(da.from_array(ROWS, chunks=(700, 2)))) as run:
        assert isinstance(run.executor, DaskExecutor)
        assert not run.executor.holds_rows
        assert run.memory.n_copies == 1
        assert run.memory.kept_at_once(1) == 0
