"""Label files hold the labels of a plain fit, and a fit that fails leaves nothing behind."""

import errno
import os
import sys

import numpy as np
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_array_equal

import lsec
from lsec.output.labels import LABEL_FORMATS, LabelOutput, write_labels
from tests.conftest import SMALL, room_for

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
        return np.loadtxt(path, np.int32, ndmin=1, skiprows=1)
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
        write_labels(path, parts(), 10)
    assert path.read_bytes() == b"older labels"
    assert os.listdir(tmp_path) == [path.name]


def test_labels_replace_those_of_an_earlier_run(make, face, tmp_path):
    path = tmp_path / "labels.npy"
    first = make().fit(face, labels_out=path)
    before = first.labels_.copy()
    second = make(random_state=1).fit(face[:3000], labels_out=path)
    assert len(second.labels_) == len(np.load(path)) == 3000
    assert_array_equal(first.labels_, before)  # still mapped, although its name is gone


@pytest.mark.parametrize("most", [0, 100, 60_000])
@pytest.mark.parametrize("ending", LABEL_FORMATS)
def test_no_room_for_labels_of_any_format(ending, most, tmp_path):
    path = tmp_path / f"labels{ending}"
    labels = np.random.default_rng(0).integers(0, 99, 2**17).astype(np.int32)

    with room_for(most), pytest.raises(OSError, match=os.strerror(errno.EFBIG)) as caught:
        write_labels(path, [labels] * 10, 10 * len(labels))
    assert caught.value.filename == str(path)
    assert not os.listdir(tmp_path)


# Label files, part by part


@pytest.mark.parametrize("sizes", [[1], [3, 0, 70_000, 1], [2**20 + 5, 2**20]])
def test_label_files_hold_all_parts(ending, sizes, tmp_path):
    labels = np.random.default_rng(0).integers(0, 300, sum(sizes)).astype(np.int32)
    path = tmp_path / f"labels{ending}"
    returned = write_labels(path, np.split(labels, np.cumsum(sizes)[:-1]), len(labels))
    assert_labels(path, returned, labels)


@pytest.mark.parametrize("n_rows", [1, 2**20, 2**20 + 3])
def test_labels_of_a_spool_are_its_numbers(n_rows, tmp_path):
    numbers = np.arange(n_rows, dtype=np.int32)
    for output in (LabelOutput(None), LabelOutput(tmp_path / "labels.npy")):
        spool = output.spool(n_rows)
        spool.write(slice(0, n_rows), numbers)
        assert_array_equal(output.spooled(spool, n_rows), numbers)
