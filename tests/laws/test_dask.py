"""Rows on Dask get the labels of rows in memory, for any workers and chunks."""

import numpy as np
import pytest

pytest.importorskip("dask.array")
pytest.importorskip("distributed")

import dask.array as da
import dask.dataframe as dd
import distributed
import pandas as pd

from tests.conftest import builder

UNEVEN = (1, 999, 2500, 1500)


@pytest.fixture(scope="module", params=[1, 2, 4])
def cluster(request):
    """Workers in this process, so that tests can choose the rows of a block."""
    with (
        distributed.LocalCluster(
            request.param, threads_per_worker=1, processes=False, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


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


def test_every_estimator(build, client, blobs40, block_rows):
    block_rows(1024)
    expected = build(5).fit(blobs40)
    model = build(5).fit(da.from_array(blobs40, chunks=(UNEVEN[2], 40)))
    np.testing.assert_array_equal(np.asarray(model.labels_), expected.labels_)


def test_without_a_client(face, block_rows):
    block_rows(1024)
    expected = builder("LSEC")(4).fit(face)
    model = builder("LSEC")(4).fit(da.from_array(face, chunks=(700, 2)))
    np.testing.assert_array_equal(model.labels_.compute(), expected.labels_)


def test_ablations(client, face, block_rows):
    block_rows(1024)
    for setting in ({"discretization": "kmeans"}, {"reuse_neighbors": False}):
        expected = builder("LSEC")(4, **setting).fit(face)
        model = builder("LSEC")(4, **setting).fit(da.from_array(face, chunks=(700, 2)))
        np.testing.assert_array_equal(model.labels_.compute(), expected.labels_)


def test_data_frames(client, face, block_rows):
    block_rows(1024)
    frame = pd.DataFrame(face, columns=["x", "y"])
    expected = builder("LSEC")(4).fit(frame)
    model = builder("LSEC")(4).fit(dd.from_pandas(frame, npartitions=3))
    np.testing.assert_array_equal(model.labels_.compute(), expected.labels_)
    assert model.feature_names_in_.tolist() == ["x", "y"]
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(dd.from_pandas(frame.rename(columns={"x": "z"}), npartitions=3))


def test_chunks_of_unknown_size_are_counted_and_left_alone(client, face, block_rows):
    block_rows(1024)
    X = da.from_array(face, chunks=(700, 2))
    some = X[X[:, 0] > -10]
    model = builder("LSEC")(4).fit(some)
    np.testing.assert_array_equal(model.labels_.compute(), builder("LSEC")(4).fit(face).labels_)
    assert np.isnan(some.shape[0])


def test_membership_stays_on_dask(client, face, block_rows):
    block_rows(1024)
    X = da.from_array(face, chunks=(700, 2))
    model = builder("LSEC")(4).fit(face)
    soft = model.predict_membership(X)
    assert isinstance(soft, da.Array)
    np.testing.assert_array_equal(soft.compute(), model.predict_membership(face))


def test_files_are_read_by_the_workers(client, face, tmp_path, block_rows):
    block_rows(1024)
    np.save(tmp_path / "rows.npy", face)
    pd.DataFrame(face).to_parquet(tmp_path / "rows.parquet", row_group_size=900)
    expected = builder("LSEC")(4).fit(face).labels_
    for name in ("rows.npy", "rows.parquet"):
        model = builder("LSEC")(4).fit(tmp_path / name, client=client)
        np.testing.assert_array_equal(model.labels_, expected)


def test_the_input_is_left_as_it_was(client, face):
    X = da.from_array(face, chunks=(700, 1))
    before = X.name, X.chunks
    builder("LSEC")(4).fit(X)
    assert (X.name, X.chunks) == before
