"""Block functions on the workers of a Dask cluster, whatever is lost on the way."""

import os
import signal

import numpy as np
import pytest

pytest.importorskip("dask.array")
pytest.importorskip("distributed")

import dask.array as da
import distributed
import pandas as pd

import lsec
from lsec import open_rows
from lsec.datasets import make_circles_gaussians
from lsec.execution.dask import DaskExecutor
from lsec.execution.threads import Progress
from lsec.output.labels import MemorySpool
from lsec.sources.dask import DaskRows
from tests.conftest import SMALL, builder
from tests.execution.block_functions import Labels, assert_plain, random_rows, small_blocks


@pytest.mark.parametrize("seed", range(3))
def test_block_functions_give_the_values_of_all_rows(client, seed, tmp_path):
    rows = random_rows(np.random.default_rng(seed), 500)
    np.save(tmp_path / "rows.npy", rows)
    with small_blocks(), client.as_current():
        executor = DaskExecutor(Progress(), 1)
        assert_plain(executor, DaskRows(da.from_array(rows, chunks=(70, 2))), rows, seed)
        assert_plain(executor, open_rows(tmp_path / "rows.npy"), rows, seed)


def test_labels_cannot_be_kept_in_this_process():
    source = DaskRows(da.zeros((100, 3), chunks=(30, 3)))
    executor = DaskExecutor(Progress(), 1)
    with pytest.raises(ValueError, match=r"stay on its workers.*Pass no spool"):
        executor.distinct(source, Labels(0, 2, 3), "labels", MemorySpool(100))


def test_rows_in_memory_are_not_sent_around(client, face):
    with pytest.raises(ValueError, match="from_array"):
        builder("LSEC")(4).fit(face, client=client)


def test_nothing_per_row_is_kept_here(client, face):
    model = builder("LSEC")(4).fit(da.from_array(face, chunks=(700, 2)))
    for name in ("base_labels_", "confidence_"):
        with pytest.raises(AttributeError, match="on Dask"):
            getattr(model, name)
    assert model.agreement_.shape == (7, 7)


@pytest.mark.parametrize("ending", ["npy", "csv", "parquet"])
def test_labels_straight_to_a_file(client, face, tmp_path, block_rows, ending):
    block_rows(1024)
    expected = builder("LSEC")(4).fit(face).labels_
    out = tmp_path / f"labels.{ending}"
    builder("LSEC")(4).fit(da.from_array(face, chunks=(700, 2)), labels_out=out)
    read = {"npy": np.load, "csv": pd.read_csv, "parquet": pd.read_parquet}[ending]
    np.testing.assert_array_equal(np.asarray(read(out)).ravel(), expected)


@pytest.mark.parametrize("row", [0, 3000, 4999])
def test_nan_is_reported_with_its_row(client, face, block_rows, row):
    block_rows(1024)
    bad = face.copy()
    bad[row, 1] = np.nan
    with pytest.raises(ValueError, match=f"row {row}, column 1 is nan"):
        builder("LSEC")(4).fit(da.from_array(bad, chunks=(700, 2)))


@pytest.fixture(scope="module")
def large():
    return make_circles_gaussians(500_000, random_state=0)[0]


@pytest.fixture(scope="module")
def expected(large):
    return lsec.LSEC(11, random_state=0, **SMALL["LSEC"]).fit(large).labels_


@pytest.mark.parametrize("stage", ["landmarks", "Gram", "labels", "consensus"])
def test_a_killed_worker_changes_nothing(large, expected, monkeypatch, stage):
    with (
        distributed.LocalCluster(
            2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        X = da.from_array(large, chunks=(70_000, 2)).persist()
        victims = list(client.run(os.getpid).values())
        advance = Progress.advance

        def kill_one(self, name):
            if name == stage and victims:
                os.kill(victims.pop(), signal.SIGKILL)
                victims.clear()
            advance(self, name)

        monkeypatch.setattr(Progress, "advance", kill_one)
        model = lsec.LSEC(11, random_state=0, **SMALL["LSEC"]).fit(X)
        assert not victims
        np.testing.assert_array_equal(model.labels_.compute(), expected)
