"""A fit on a device gives every bit of a fit on the CPU.

Here the kernels run on the host (`tests.host_device`); `make gpu` repeats the tests on a GPU.
"""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

import lsec
from lsec import LSEC, EnsembleClustering
from tests.conftest import builder, make_blobs
from tests.host_device import to_device
from tests.laws.same_fit import assert_same_fit, assert_same_labels

ESTIMATORS = ["LSEC", "DnCSC", "USPEC", "USENC", "EnsembleClustering"]


def narrow(n_columns, dtype=np.float64):
    return make_blobs(3000, n_columns)[0].astype(dtype)


def wide(dtype=np.float64):
    return make_blobs(2500, 90)[0].astype(dtype)


ROWS = {
    "2 columns": narrow(2),
    "4 columns, float32": narrow(4, np.float32),
    "7 columns": narrow(7),
    "90 columns": wide(),
    "column by column": np.asfortranarray(wide(np.float32)),
    "every second, backwards": narrow(4)[::-2, ::-1],
    "far from the origin": narrow(3) + 1e9,
    "int16": (wide() * 100).astype(np.int16),
    "uint8": (narrow(7) * 10 + 128).astype(np.uint8),
    "float16": narrow(7, np.float16),
    "other byte order": narrow(7).astype(">f8"),
    "many equal rows": narrow(2).round(0),
}


@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.parametrize("place", ["host", "device"])
def test_every_estimator_is_the_same_on_a_device(host_device, face, name, place):
    rows = face if place == "host" else to_device(host_device, face)
    model, other = builder(name)(4).fit(face), builder(name)(4, device="cuda").fit(rows)
    assert "label_rows" in host_device.launched or name == "EnsembleClustering"
    assert_same_fit(model, other)
    assert_same_labels(model, other)
    assert_array_equal(other.predict(rows), model.labels_, strict=True)
    assert (host_device.n_copied > 0) == (place == "host")


@pytest.mark.parametrize("kind", ROWS)
def test_every_kind_of_rows_is_the_same_on_a_device(host_device, kind):
    rows = ROWS[kind]
    settings = {"n_base": 5, "n_landmarks": 150, "base_clusters": (5, 15), "random_state": 1}
    model = LSEC(5, **settings).fit(rows)
    on_host = LSEC(5, device="cuda", **settings).fit(rows)
    assert_same_fit(model, on_host)
    assert_same_labels(model, on_host)
    if rows.dtype.isnative:
        assert_same_fit(model, LSEC(5, device="cuda", **settings).fit(to_device(host_device, rows)))


@pytest.mark.parametrize(
    "options",
    [
        {"metric": "cosine"},
        {"projection": 12},
        {"projection": None},
        {"kernel": "quartic"},
        {"discretization": "kmeans"},
        {"n_neighbors": (1, 3, 20)},
        {"reuse_neighbors": False},
        {"base_clusters": (200, 300), "n_landmarks": 700},
    ],
    ids=str,
)
def test_every_option_is_the_same_on_a_device(host_device, options):
    rows = wide()
    settings = {"n_base": 6, "n_landmarks": 200, "base_clusters": (5, 15), "random_state": 2}
    model = LSEC(5, **{**settings, **options}).fit(rows)
    on_host = LSEC(5, device="cuda", **{**settings, **options}).fit(rows)
    on_device = LSEC(5, device="cuda", **{**settings, **options}).fit(to_device(host_device, rows))
    for other in (on_host, on_device):
        assert_same_fit(model, other)
        assert_same_labels(model, other)


@pytest.mark.parametrize("options", [{}, {"projection": 20}], ids=str)
@pytest.mark.parametrize("kind", [LSEC, EnsembleClustering])
def test_sparse_rows_are_the_same_on_a_device(host_device, kind, options):
    rows = wide()
    rows = sparse.csr_matrix(np.where(np.abs(rows) > 3, rows, 0))
    settings = {"n_base": 5, "n_landmarks": 150, "base_clusters": (5, 15), "random_state": 1}
    model = kind(5, **settings, **options).fit(rows)
    other = kind(5, device="cuda", **settings, **options).fit(rows)
    assert_same_fit(model, other)
    assert_array_equal(other.predict(rows.toarray()), model.predict(rows.toarray()))


def test_members_that_agree_too_much_are_told_apart_on_a_device(host_device, face):
    settings = {"n_base": 1, "base_clusters": (2, 2), "n_landmarks": 300, "random_state": 0}
    model = LSEC(8, **settings).fit(face)
    other = LSEC(8, device="cuda", **settings).fit(face)
    assert "label_by_landmark" in host_device.launched
    assert_same_fit(model, other)
    assert_same_labels(model, other)


@pytest.mark.parametrize("kind", [LSEC, EnsembleClustering])
@pytest.mark.parametrize("place", ["host", "device"])
def test_weights_count_on_a_device(host_device, block_rows, face, kind, place):
    block_rows(512)
    weights = np.random.default_rng(0).integers(0, 4, len(face))
    settings = {"n_base": 5, "base_clusters": (5, 15), "random_state": 1}
    model = kind(5, **settings).fit(face, sample_weight=weights)
    host_device.free_bytes = 2**23  # pieces
    rows = face if place == "host" else to_device(host_device, face)
    other = kind(5, device="cuda", **settings).fit(rows, sample_weight=weights)
    assert_same_fit(model, other)
    assert_same_labels(model, other)
    assert_array_equal(model.micro_clusters_.weights, other.micro_clusters_.weights)


# Pieces: what does not fit streams through


@pytest.mark.parametrize("free", [2**18, 2**21, 2**24])
@pytest.mark.parametrize("place", ["host", "device"])
def test_little_memory_on_the_device_changes_nothing(host_device, block_rows, free, place):
    block_rows(256)
    rows = narrow(7)
    model = builder("LSEC")(5).fit(rows)
    host_device.free_bytes = free
    given = rows if place == "host" else to_device(host_device, rows)
    other = builder("LSEC")(5, device="cuda").fit(given)
    assert_same_fit(model, other)
    assert_same_labels(model, other)
    n_sums = host_device.launched.count("add_to_gram")
    assert n_sums == 2 if free == 2**24 else n_sums > 2  # pieces of two landmark sets


def test_numbers_of_rows_without_room_on_the_device_stay_on_the_host(
    host_device, monkeypatch, block_rows, face
):
    block_rows(256)
    monkeypatch.setattr("lsec.execution.cuda.NUMBER_BYTES", 2**40)
    model, other = (builder("LSEC")(5, device=one).fit(face) for one in ("cpu", "cuda"))
    assert_same_fit(model, other)
    assert_same_labels(model, other)


def test_problems_between_the_sweeps_are_the_same_on_a_device(host_device, monkeypatch):
    rows, settings = wide(), {"n_landmarks": 300, "random_state": 0}
    model = LSEC(5, **settings).fit(rows)
    few = LSEC(5, device="cuda", **settings).fit(rows)
    n_searches = host_device.launched.count("nearest_by_scan")
    for name in ("STEP_WORK", "SEARCH_WORK"):
        monkeypatch.setattr(f"lsec.spectral.on_device.{name}", 0)
    other = LSEC(5, device="cuda", **settings).fit(rows)
    assert "filter_step" in host_device.launched
    assert host_device.launched.count("nearest_by_scan") > 2 * n_searches
    assert_same_labels(model, few)
    assert_same_fit(model, other)
    assert_same_labels(model, other)


def test_memory_limit_is_that_of_the_device(host_device, block_rows, face):
    block_rows(256)
    builder("LSEC")(5, device="cuda", memory_limit="256KiB").fit(face)
    few = len(host_device.launched)
    host_device.launched.clear()
    builder("LSEC")(5, device="cuda").fit(face)
    assert few > 2 * len(host_device.launched)


def test_rows_are_copied_once_if_they_fit(host_device, face):
    builder("LSEC")(5, device="cuda").fit(face)
    assert host_device.n_copied == face.nbytes


def test_rows_on_the_device_are_never_copied(host_device, face):
    builder("LSEC")(5, device="cuda").fit(to_device(host_device, face))
    assert host_device.n_copied == 0


# Files, checkpoints, Dask


def test_files_are_the_same_on_a_device(host_device, face, tmp_path):
    np.save(tmp_path / "rows.npy", face)
    model = builder("LSEC")(4).fit(face)
    other = builder("LSEC")(4, device="cuda").fit(
        tmp_path / "rows.npy", labels_out=tmp_path / "labels.npy"
    )
    assert_array_equal(np.load(tmp_path / "labels.npy"), model.labels_)
    assert_array_equal(other.predict(tmp_path / "rows.npy"), model.labels_)


def test_a_fit_that_was_begun_on_the_cpu_ends_on_a_device(host_device, face, tmp_path):
    def fail(*_, **__):
        raise KeyboardInterrupt

    build = builder("LSEC")
    plain = build(4).fit(face)
    with pytest.MonkeyPatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("lsec.sweeps.label_rows", fail)
        build(4).fit(face, checkpoint=tmp_path / "stages")
    other = build(4, device="cuda").fit(
        to_device(host_device, face), checkpoint=tmp_path / "stages"
    )
    assert "add_to_gram" not in host_device.launched  # the sums were kept
    assert_same_fit(plain, other)


@pytest.mark.parametrize("name", ["LSEC", "EnsembleClustering"])
def test_workers_with_a_device_give_the_same(host_device, face, block_rows, name):
    da = pytest.importorskip("dask.array")
    block_rows(512)
    model = builder(name)(4).fit(face)
    host_device.launched.clear()
    other = builder(name)(4, device="cuda").fit(da.from_array(face, chunks=(1500, 2)))
    kernel = "label_rows" if name == "LSEC" else "label_by_nearest"
    assert kernel in host_device.launched
    assert_array_equal(other.labels_.compute(), model.labels_)


# Models


def test_a_model_fitted_on_a_device_predicts_on_the_cpu(host_device, face, tmp_path):
    model = builder("LSEC")(4, device="cuda").fit(face)
    model.save(tmp_path / "m.lsec")
    loaded = lsec.load(tmp_path / "m.lsec")
    assert loaded.device == "cuda"
    n_launched = len(host_device.launched)
    assert_array_equal(loaded.set_params(device="cpu").predict(face), model.labels_)
    assert len(host_device.launched) == n_launched
