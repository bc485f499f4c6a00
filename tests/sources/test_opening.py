"""One opener for all that `fit` takes: each kind of rows gets its source, and the same labels."""

import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from lsec import LSEC, DnCSC, LightKMeans, open_rows
from lsec.sources import ArraySource, open_source
from tests.sources.stores import STORES, csv, hdf5, npy, numbers, parquet, zarr_array

# Which source reads what


KINDS = {
    "npy": "NpySource",
    "npy_fortran": "NpySource",
    "npy_shards": "ShardedSource",
    "npy_folder": "ShardedSource",
    "parquet": "ParquetSource",
    "parquet_folder": "ParquetSource",
    "zarr_array": "ZarrSource",
    "hdf5": "Hdf5Source",
    "hdf5_named": "Hdf5Source",
    "csv": "_ConvertedCsv",
    "csv_header": "_ConvertedCsv",
}


@pytest.mark.parametrize("store", STORES)
def test_files_are_opened_by_their_ending(store, tmp_path):
    stored = store(tmp_path, numbers(20))
    source = open_source(stored, validate=lambda _: pytest.fail("files are not validated"))
    assert type(source).__name__ == KINDS[store.__name__]
    assert open_source(source) is source


def test_arrays_are_validated_and_checked_for_nan(tmp_path):
    X = numbers(20)
    for rows in (X, sparse.csr_matrix(X)):
        source = open_source(rows, validate=lambda given: 2 * given)
        assert isinstance(source, ArraySource)
        assert (source.block(0) != 2 * X).sum() == 0
    X[13, 1] = np.nan
    with pytest.raises(ValueError, match="row 13, column 1 is nan"):
        open_source(X)
    mapped = np.load(npy(tmp_path, X), mmap_mode="r")
    with pytest.raises(ValueError, match="row 13, column 1 is nan"):
        open_source(mapped, np.asarray).block(0)  # when it is read, not before


def test_dask_collections_stay_where_they_are():
    da = pytest.importorskip("dask.array")
    source = open_source(da.from_array(numbers(20), chunks=(7, 2)))
    assert type(source).__name__ == "DaskRows"
    assert_array_equal(source.block(0), numbers(20))
    assert_array_equal(source.take(np.array([3, 8])), numbers(20)[[3, 8]])


# The same labels, wherever the rows are


@pytest.mark.parametrize("store", STORES)
def test_same_labels_from_any_store(store, face, tmp_path, block_rows):
    block_rows(1024)
    cheap = {"n_base": 7, "n_landmarks": 100, "base_clusters": (5, 15), "random_state": 0}
    array, stored = LSEC(4, **cheap).fit(face), store(tmp_path, face)
    model = LSEC(4, **cheap).fit(stored)
    assert_array_equal(model.labels_, array.labels_, strict=True)
    assert_array_equal(model.base_labels_, array.base_labels_, strict=True)
    assert model.n_features_in_ == 2
    assert_array_equal(model.predict(stored), model.labels_)
    assert_array_equal(model.predict_membership(stored), array.predict_membership(face))


@pytest.mark.parametrize("store", [npy, parquet])
def test_same_labels_of_every_estimator(build, store, face, tmp_path, block_rows):
    block_rows(1024)
    path = store(tmp_path, face)
    labels = build(4).fit(face).labels_
    for rows in (path, str(path), [path], open_rows(path)):
        model = build(4).fit(rows)
        assert_array_equal(model.labels_, labels, strict=True)
        assert_array_equal(model.predict(rows), labels)


def test_a_file_is_never_in_memory_whole(tmp_path, block_rows):
    block_rows(1024)
    X = np.random.default_rng(0).normal(size=(100_000, 30))
    path, model = npy(tmp_path, X), LightKMeans(3, sample_size=500, random_state=0, n_jobs=1)
    model.fit(X[:600])  # imports and compiles
    tracemalloc.start()
    try:
        labels = model.fit(path).labels_
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < X.nbytes / 8
    assert_array_equal(labels, model.fit(X).labels_)


# Errors


@pytest.mark.parametrize("store", [npy, parquet, csv])
def test_wrong_number_of_features_in_predict(build, store, tmp_path):
    model = build(2).fit(numbers(300))
    with pytest.raises(ValueError, match=r"2 features.*expecting 3 features"):
        model.predict(store(tmp_path, numbers(30, 2)))


@pytest.mark.parametrize(
    ("package", "store"), [("pyarrow", parquet), ("zarr", zarr_array), ("h5py", hdf5)]
)
def test_a_missing_package_is_named_with_the_remedy(package, store, tmp_path, monkeypatch):
    stored = store(tmp_path, numbers(9))
    for name in (package, f"{package}.parquet"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=rf"needs {package}.*pip install 'lsec\[io\]'"):
        DnCSC(2).fit(Path(stored))


def test_more_shards_than_files_may_be_open(tmp_path):
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    for i in range(120):
        np.save(tmp_path / f"{i:03}.npy", np.full((2, 2), i))
    resource.setrlimit(resource.RLIMIT_NOFILE, (100, hard))
    try:
        rows = open_rows(tmp_path).block(0)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    np.testing.assert_array_equal(rows[:, 0], np.repeat(np.arange(120), 2))
