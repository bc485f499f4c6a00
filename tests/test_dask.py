"""Rows on Dask: the same labels, wherever the rows lie and whoever is lost."""

import os
import signal

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

pytest.importorskip("dask.array")
pytest.importorskip("distributed")

import dask.array as da
import dask.dataframe as dd
import pandas as pd
from distributed import Client, LocalCluster

import lsec
from conftest import SMALL, builder
from lsec.cli.main import main
from lsec.datasets import make_circles_gaussians
from lsec.execution.progress import Stages
from lsec.sources.dask import MOST_PART_BLOCKS, part_borders

UNEVEN = (1, 999, 2500, 1500)


@pytest.fixture(scope="module", params=[1, 2, 4])
def cluster(request):
    """Workers in this process, so that tests can choose the rows of a block."""
    with (
        LocalCluster(
            request.param, threads_per_worker=1, processes=False, dashboard_address=":0"
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def one():
    with (
        LocalCluster(1, threads_per_worker=2, processes=False, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        yield client


@given(
    chunks=st.lists(st.integers(0, 300), min_size=1, max_size=12).filter(sum),
    rows_per_block=st.sampled_from([1, 2, 8, 64]),
)
def test_parts_are_chunks_with_borders_of_blocks(chunks, rows_per_block):
    borders = np.array(part_borders(chunks, rows_per_block))
    assert borders[0] == 0
    assert borders[-1] == sum(chunks)
    assert (np.diff(borders) > 0).all()
    assert (borders[:-1] % rows_per_block == 0).all()
    assert np.diff(borders).max() <= MOST_PART_BLOCKS * rows_per_block
    for end in np.cumsum(chunks):  # what travels to the next part is less than a block
        assert np.abs(borders - end).min() < rows_per_block


@pytest.mark.parametrize("chunks", [1000, 1024, UNEVEN, 5000])
def test_equal_to_threads_for_any_workers_and_chunks(cluster, face, block_rows, chunks):
    block_rows(1024)
    expected = builder("LSEC")(4).fit(face)
    X = da.from_array(face, chunks=(chunks, 1))
    model = builder("LSEC")(4).fit(X)
    assert isinstance(model.labels_, da.Array)
    assert model.labels_.chunks == (X.chunks[0],)
    assert model.labels_.dtype == np.int32
    np.testing.assert_array_equal(model.labels_.compute(), expected.labels_)
    predicted = model.predict(X)
    assert predicted.chunks == (X.chunks[0],)
    np.testing.assert_array_equal(predicted.compute(), expected.labels_)
    np.testing.assert_array_equal(model.predict(face), expected.labels_)


def test_every_estimator(build, one, blobs40, block_rows):
    block_rows(1024)
    expected = build(5).fit(blobs40)
    model = build(5).fit(da.from_array(blobs40, chunks=(UNEVEN[2], 40)))
    np.testing.assert_array_equal(np.asarray(model.labels_), expected.labels_)


def test_without_a_client(face, block_rows):
    block_rows(1024)
    expected = builder("LSEC")(4).fit(face)
    model = builder("LSEC")(4).fit(da.from_array(face, chunks=(700, 2)))
    np.testing.assert_array_equal(model.labels_.compute(), expected.labels_)


def test_ablations(one, face, block_rows):
    block_rows(1024)
    for setting in ({"discretization": "kmeans"}, {"reuse_neighbors": False}):
        expected = builder("LSEC")(4, **setting).fit(face)
        model = builder("LSEC")(4, **setting).fit(da.from_array(face, chunks=(700, 2)))
        np.testing.assert_array_equal(model.labels_.compute(), expected.labels_)


def test_data_frames(one, face, block_rows):
    block_rows(1024)
    frame = pd.DataFrame(face, columns=["x", "y"])
    expected = builder("LSEC")(4).fit(frame)
    model = builder("LSEC")(4).fit(dd.from_pandas(frame, npartitions=3))
    np.testing.assert_array_equal(model.labels_.compute(), expected.labels_)
    assert model.feature_names_in_.tolist() == ["x", "y"]
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(dd.from_pandas(frame.rename(columns={"x": "z"}), npartitions=3))


def test_chunks_of_unknown_size_are_counted_and_left_alone(one, face, block_rows):
    block_rows(1024)
    X = da.from_array(face, chunks=(700, 2))
    some = X[X[:, 0] > -10]
    model = builder("LSEC")(4).fit(some)
    np.testing.assert_array_equal(model.labels_.compute(), builder("LSEC")(4).fit(face).labels_)
    assert np.isnan(some.shape[0])


def test_membership_stays_on_dask(one, face, block_rows):
    block_rows(1024)
    X = da.from_array(face, chunks=(700, 2))
    model = builder("LSEC")(4).fit(face)
    soft = model.predict_membership(X)
    assert isinstance(soft, da.Array)
    np.testing.assert_array_equal(soft.compute(), model.predict_membership(face))


def test_nothing_per_row_is_kept_here(one, face):
    model = builder("LSEC")(4).fit(da.from_array(face, chunks=(700, 2)))
    for name in ("base_labels_", "confidence_"):
        with pytest.raises(AttributeError, match="on Dask"):
            getattr(model, name)
    assert model.agreement_.shape == (7, 7)


@pytest.mark.parametrize("ending", ["npy", "csv", "parquet"])
def test_labels_straight_to_a_file(one, face, tmp_path, block_rows, ending):
    block_rows(1024)
    expected = builder("LSEC")(4).fit(face).labels_
    out = tmp_path / f"labels.{ending}"
    builder("LSEC")(4).fit(da.from_array(face, chunks=(700, 2)), labels_out=out)
    read = {"npy": np.load, "csv": np.loadtxt, "parquet": pd.read_parquet}[ending]
    np.testing.assert_array_equal(np.asarray(read(out)).ravel(), expected)


def test_files_are_read_by_the_workers(one, face, tmp_path, block_rows):
    block_rows(1024)
    np.save(tmp_path / "rows.npy", face)
    pd.DataFrame(face).to_parquet(tmp_path / "rows.parquet", row_group_size=900)
    expected = builder("LSEC")(4).fit(face).labels_
    for name in ("rows.npy", "rows.parquet"):
        model = builder("LSEC")(4).fit(tmp_path / name, client=one)
        np.testing.assert_array_equal(model.labels_, expected)


def test_rows_in_memory_are_not_sent_around(one, face):
    with pytest.raises(ValueError, match="from_array"):
        builder("LSEC")(4).fit(face, client=one)


@pytest.mark.parametrize("row", [0, 3000, 4999])
def test_nan_is_reported_with_its_row(one, face, block_rows, row):
    block_rows(1024)
    bad = face.copy()
    bad[row, 1] = np.nan
    with pytest.raises(ValueError, match=f"row {row}, column 1 is nan"):
        builder("LSEC")(4).fit(da.from_array(bad, chunks=(700, 2)))


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (da.zeros(100), "1 dimension"),
        (da.zeros((10, 2), dtype=complex), "complex"),
        (da.zeros((3, 2)), "n_samples=3 should be >= n_clusters=4"),
        (da.zeros((9, 2)).map_blocks(csr_matrix), "must be NumPy arrays; got csr_matrix"),
    ],
)
def test_bad_collections(one, rows, words):
    with pytest.raises(ValueError, match=words):
        builder("LSEC")(4).fit(rows)


def test_the_input_is_left_as_it_was(one, face):
    X = da.from_array(face, chunks=(700, 1))
    before = X.name, X.chunks
    builder("LSEC")(4).fit(X)
    assert (X.name, X.chunks) == before


# Processes, of which some are killed.


@pytest.fixture(scope="module")
def large():
    return make_circles_gaussians(500_000, random_state=0)[0]


@pytest.fixture(scope="module")
def expected(large):
    return lsec.LSEC(11, random_state=0, **SMALL["LSEC"]).fit(large).labels_


@pytest.mark.parametrize("stage", ["landmarks", "Gram", "labels", "consensus"])
def test_a_killed_worker_changes_nothing(large, expected, monkeypatch, stage):
    with (
        LocalCluster(2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        X = da.from_array(large, chunks=(70_000, 2)).persist()
        victims = list(client.run(os.getpid).values())
        advance = Stages.advance

        def kill_one(self, name):
            if name == stage and victims:
                os.kill(victims.pop(), signal.SIGKILL)
                victims.clear()
            advance(self, name)

        monkeypatch.setattr(Stages, "advance", kill_one)
        model = lsec.LSEC(11, random_state=0, **SMALL["LSEC"]).fit(X)
        assert not victims
        np.testing.assert_array_equal(model.labels_.compute(), expected)


def test_command_line_on_a_cluster(large, expected, tmp_path, monkeypatch):
    np.save(tmp_path / "rows.npy", large)
    for name, value in SMALL["LSEC"].items():
        monkeypatch.setitem(lsec.LSEC.__init__.__kwdefaults__, name, value)
    with LocalCluster(2, threads_per_worker=1, dashboard_address=":0") as cluster:
        arguments = [str(tmp_path / "rows.npy"), "-k", "11", "-o", str(tmp_path / "labels.npy")]
        asked = ["fit", *arguments, "--dask", cluster.scheduler_address, "-q"]
        result = CliRunner().invoke(main, asked)
    assert result.exit_code == 0, result.stderr
    np.testing.assert_array_equal(np.load(tmp_path / "labels.npy"), expected)


def test_command_line_without_a_cluster(tmp_path, face, monkeypatch):
    monkeypatch.setattr("lsec.cli.fit.CONNECT_SECONDS", 1)
    np.save(tmp_path / "rows.npy", face)
    arguments = [str(tmp_path / "rows.npy"), "-k", "4", "-o", str(tmp_path / "labels.npy")]
    result = CliRunner().invoke(main, ["fit", *arguments, "--dask", "tcp://127.0.0.1:1"])
    assert result.exit_code == 2
    assert "127.0.0.1:1" in result.stderr.splitlines()[-1]
    assert [p.name for p in tmp_path.iterdir()] == ["rows.npy"]
