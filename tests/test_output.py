"""Labels in files are the labels of a plain fit, and a fit that fails leaves nothing behind."""

import os
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_array_equal

import lsec
from lsec.output.label_files import LABEL_FORMATS, open_labels
from lsec.output.labels import LabelOutput, scratch_array
from lsec.output.spool import FileSpool, MemorySpool
from tests.conftest import SMALL

CHEAP = SMALL | {"EnsembleClustering": {"n_base": 5, "base_clusters": (5, 15)}}
NO_WORK = "work began before the check"


@pytest.fixture(params=["LSEC", "USENC", "EnsembleClustering", "DnCSC", "USPEC", "LightKMeans"])
def make(request):
    """Makes each of the six estimators, with four clusters: make(**other parameters)."""

    def make(**parameters):
        settings = {"random_state": 0, **CHEAP[request.param], **parameters}
        return getattr(lsec, request.param)(4, **settings)

    return make


@pytest.fixture(params=LABEL_FORMATS)
def ending(request):
    return request.param


@pytest.fixture(autouse=True)
def several_blocks(block_rows):
    block_rows(1024)


def read(path):
    """Labels that a file holds."""
    if path.suffix == ".npy":
        return np.load(path)
    if path.suffix == ".csv":
        return np.loadtxt(path, np.int32, ndmin=1)
    assert pq.read_schema(path).names == ["label"]
    return pq.read_table(path)["label"].to_numpy()


def assert_labels(path, returned, labels):
    """The file holds the labels; what came back is a map of a .npy file, or nothing."""
    assert_array_equal(read(path), labels, strict=True)
    if path.suffix == ".npy":
        assert isinstance(returned, np.memmap)
        assert_array_equal(returned, labels)
    else:
        assert returned is None


# The labels of a plain fit


def test_labels_out_holds_the_labels_of_a_plain_fit(make, ending, face, tmp_path):
    path = tmp_path / f"labels{ending}"
    model = make().fit(face, labels_out=path)
    assert_labels(path, getattr(model, "labels_", None), make().fit(face).labels_)
    assert os.listdir(tmp_path) == [path.name]
    assert not hasattr(model, "base_labels_")


def test_predict_writes_the_labels_that_it_would_return(make, ending, face, tmp_path):
    model, path = make().fit(face), tmp_path / f"labels{ending}"
    for rows in (face, face[2000:2001], face[1000:]):
        returned = model.predict(rows, labels_out=str(path))
        assert_labels(path, returned, model.predict(rows))
    assert os.listdir(tmp_path) == [path.name]
    assert isinstance(model.labels_, np.ndarray)


def test_predict_after_labels_out(make, ending, face, tmp_path):
    plain = make().fit(face)
    model = make().fit(face, labels_out=tmp_path / f"labels{ending}")
    assert_array_equal(model.predict(face), plain.labels_, strict=True)
    path = tmp_path / f"again{ending}"
    assert_labels(path, model.predict(face[::2], labels_out=path), plain.predict(face[::2]))
    if hasattr(plain, "predict_membership"):
        assert_array_equal(model.predict_membership(face[:99]), plain.predict_membership(face[:99]))


def test_a_second_fit_keeps_labels_again(make, ending, face, tmp_path):
    plain = make().fit(face)
    model = make().fit(face, labels_out=tmp_path / f"labels{ending}")
    model.fit(face)
    assert not isinstance(model.labels_, np.memmap)
    for name in ("labels_", "base_labels_", "confidence_"):
        assert hasattr(model, name) == hasattr(plain, name)
        if hasattr(plain, name):
            assert_array_equal(getattr(model, name), getattr(plain, name), strict=True)
    model.fit(face, labels_out=tmp_path / f"labels{ending}")
    assert hasattr(model, "labels_") == (ending == ".npy")
    assert not hasattr(model, "base_labels_")


def test_labels_out_of_rows_in_files(make, ending, face, tmp_path):
    np.save(tmp_path / "rows.npy", face)
    path = tmp_path / f"labels{ending}"
    make(n_jobs=2).fit(tmp_path / "rows.npy", labels_out=path)
    assert_array_equal(read(path), make(n_jobs=1).fit(face).labels_)


def test_what_is_not_kept_says_why(make, face, tmp_path):
    model = make().fit(face, labels_out=tmp_path / "labels.csv")
    with pytest.raises(AttributeError, match=r"no labels_.*labels_out.*predict"):
        _ = model.labels_


@pytest.mark.parametrize("name", ["LSEC", "USENC", "EnsembleClustering"])
def test_confidence_is_not_kept_with_labels_out(name, ending, face, tmp_path):
    model = getattr(lsec, name)(4, random_state=0, **CHEAP[name])
    model.fit(face, labels_out=tmp_path / f"labels{ending}")
    assert not hasattr(model, "confidence_")
    assert model.agreement_.shape == (model.n_base, model.n_base)


def test_an_ending_may_be_written_large(face, tmp_path):
    model = lsec.LightKMeans(4, random_state=0).fit(face, labels_out=tmp_path / "LABELS.NPY")
    assert_array_equal(np.load(tmp_path / "LABELS.NPY"), model.labels_)
    assert isinstance(model.labels_, np.memmap)


# Errors, before any work


@pytest.fixture
def no_work(monkeypatch):
    """No rows may be opened."""

    def opened(*_, **__):
        raise AssertionError(NO_WORK)

    return lambda: monkeypatch.setattr("lsec.estimators.base.RowsEstimator._open", opened)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("labels.txt", r"must end in \.npy, \.csv or \.parquet; got '.*labels\.txt'"),
        ("labels", r"must end in \.npy, \.csv or \.parquet"),
        ("none/labels.npy", r"the folder .*none does not exist"),
    ],
)
def test_a_file_that_cannot_be_written_is_refused_at_once(
    make, face, tmp_path, name, said, no_work
):
    model = make().fit(face)
    no_work()
    for act in (make().fit, model.predict):
        with pytest.raises(ValueError, match=said):
            act(face, labels_out=tmp_path / name)
    assert not os.listdir(tmp_path)


def test_parquet_without_pyarrow_is_refused_at_once(make, face, tmp_path, monkeypatch, no_work):
    no_work()
    for name in ("pyarrow", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=r"needs pyarrow.*pip install 'lsec\[io\]'"):
        make().fit(face, labels_out=tmp_path / "labels.parquet")


# Failures leave nothing behind


@pytest.fixture
def broken(face, tmp_path):
    """A file of rows with NaN in the last block."""
    rows = face.copy()
    rows[-1, 1] = np.nan
    np.save(tmp_path / "rows.npy", rows)
    return tmp_path / "rows.npy"


@pytest.mark.parametrize("there", [False, True], ids=["new", "existing"])
def test_a_failed_run_changes_no_file(make, ending, face, broken, there):
    path = broken.with_name(f"labels{ending}")
    if there:
        path.write_bytes(b"older labels")
    model = make().fit(face)
    for act in (make().fit, model.predict):
        with pytest.raises(ValueError, match=r"row 4999, column 1 of .*rows\.npy is nan"):
            act(broken, labels_out=path)
        assert sorted(os.listdir(broken.parent)) == sorted(["rows.npy", path.name][: 1 + there])
        if there:
            assert path.read_bytes() == b"older labels"
    assert_array_equal(model.predict(face), model.labels_)


def test_a_failure_while_labels_are_written_changes_no_file(ending, tmp_path):
    path = tmp_path / f"labels{ending}"
    path.write_bytes(b"older labels")

    def parts():
        yield np.zeros(5, np.int32)
        raise OSError("disk is full")

    with pytest.raises(OSError, match="disk is full"):
        LabelOutput(path).write(parts(), 10)
    assert path.read_bytes() == b"older labels"
    assert os.listdir(tmp_path) == [path.name]


def test_labels_replace_those_of_an_earlier_run(make, face, tmp_path):
    path = tmp_path / "labels.npy"
    first = make().fit(face, labels_out=path)
    before = first.labels_.copy()
    second = make(random_state=1).fit(face[:3000], labels_out=path)
    assert len(second.labels_) == len(np.load(path)) == 3000
    assert_array_equal(first.labels_, before)  # still mapped, although its name is gone


# Label files, part by part


@pytest.mark.parametrize("sizes", [[1], [3, 0, 70_000, 1], [2**20 + 5, 2**20]])
def test_label_files_hold_all_parts(ending, sizes, tmp_path):
    labels = np.random.default_rng(0).integers(0, 300, sum(sizes)).astype(np.int32)
    path = tmp_path / f"labels{ending}"
    with open_labels(path, len(labels)) as write:
        for part in np.split(labels, np.cumsum(sizes)[:-1]):
            write(part)
    assert_array_equal(read(path), labels)


# Base labels that exceed the memory limit


@pytest.mark.parametrize("name", ["LSEC", "USENC", "EnsembleClustering"])
def test_base_labels_above_the_memory_limit_are_mapped(name, face):
    def fit(limit):
        return getattr(lsec, name)(4, random_state=0, memory_limit=limit, **CHEAP[name]).fit(face)

    small, large = fit("16KiB"), fit("1GiB")  # 5,000 rows of 5 or 7 bytes
    assert isinstance(small.base_labels_, np.memmap)
    assert not isinstance(large.base_labels_, np.memmap)
    assert_array_equal(small.base_labels_, large.base_labels_)
    assert_array_equal(small.labels_, large.labels_, strict=True)
    assert small.base_labels_.dtype == large.base_labels_.dtype
    copy = pickle.loads(pickle.dumps(small))
    assert_array_equal(copy.base_labels_, large.base_labels_)
    assert_array_equal(copy.predict(face), large.labels_)


@pytest.mark.parametrize(("most", "kind"), [(60, np.ndarray), (59, np.memmap)])
def test_scratch_arrays_are_mapped_above_the_limit(most, kind):
    array = scratch_array((10, 3), np.dtype("u2"), most)
    assert type(array) is kind
    assert (array.shape, array.dtype) == ((10, 3), np.dtype("u2"))
    array[:] = np.arange(30).reshape(10, 3)
    assert array.sum() == 435


# Spools


@pytest.mark.parametrize("kind", ["memory", "file"])
@pytest.mark.parametrize("step", [1, 37, 1000])
def test_spools_keep_what_threads_write_in_any_order(kind, step, tmp_path):
    numbers = np.random.default_rng(0).integers(0, 2**31, 1000).astype(np.int32)
    spool = MemorySpool(1000) if kind == "memory" else FileSpool(tmp_path)
    spans = [slice(a, min(a + step, 1000)) for a in range(0, 1000, step)]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(2):  # the second time over what is there
            list(pool.map(lambda rows: spool.write(rows, numbers[rows]), spans[::-1]))
            for rows, kept in zip(spans, pool.map(spool.read, spans), strict=True):
                assert_array_equal(kept, numbers[rows], strict=True)
    assert_array_equal(spool.read(slice(5, 995)), numbers[5:995])
    assert not os.listdir(tmp_path)  # the file has no name


def test_a_file_spool_takes_numbers_of_any_integer_type_and_stride(tmp_path):
    spool = FileSpool(tmp_path)
    labels = np.arange(60, dtype=np.uint16).reshape(20, 3)
    spool.write(slice(0, 20), labels[:, 1])
    assert_array_equal(spool.read(slice(0, 20)), labels[:, 1])
