"""Files cannot name other files to read, nor code to run."""

import gzip
import json
import os
import pickle

import numpy as np
import pytest

from lsec import open_rows
from lsec.cli.label_tables import read_labels

ROWS = np.random.default_rng(0).normal(size=(20, 2))


@pytest.fixture
def h5py():
    return pytest.importorskip("h5py")


def other_file(h5py, folder):
    with h5py.File(folder / "other.h5", "w") as file:
        file["X"] = ROWS
    return str(folder / "other.h5")


def external_link(h5py, folder, file):
    file["X"] = h5py.ExternalLink(other_file(h5py, folder), "X")


def external_group(h5py, folder, file):
    file["group"] = h5py.ExternalLink(other_file(h5py, folder), "/")
    file["X"] = h5py.SoftLink("/group/X")


def external_bytes(h5py, folder, file):
    ROWS.tofile(folder / "secret")
    place = [(str(folder / "secret"), 0, ROWS.nbytes)]
    file.create_dataset("X", shape=ROWS.shape, dtype=ROWS.dtype, external=place)


def virtual(h5py, folder, file):
    layout = h5py.VirtualLayout(ROWS.shape, ROWS.dtype)
    layout[:] = h5py.VirtualSource(other_file(h5py, folder), "X", ROWS.shape)
    file.create_virtual_dataset("X", layout)


@pytest.mark.parametrize("refer", [external_link, external_group, external_bytes, virtual])
def test_rows_in_other_files_are_not_read(tmp_path, h5py, refer):
    with h5py.File(tmp_path / "rows.h5", "w") as file:
        refer(h5py, tmp_path, file)
    with pytest.raises(ValueError, match=r"rows in another file, .*(other\.h5|secret)\. Name that"):
        open_rows(f"{tmp_path / 'rows.h5'}::X")


def test_links_inside_a_file_are_followed(tmp_path, h5py):
    with h5py.File(tmp_path / "rows.h5", "w") as file:
        file["a/X"] = ROWS
        file["link"] = h5py.SoftLink("/a/X")
        layout = h5py.VirtualLayout(ROWS.shape, ROWS.dtype)
        layout[:] = h5py.VirtualSource(".", "a/X", ROWS.shape)
        file.create_virtual_dataset("view", layout)
    for name in ("a/X", "link", "view"):
        found = open_rows(f"{tmp_path / 'rows.h5'}::{name}").block(0)
        np.testing.assert_array_equal(found, ROWS)


class Canary:
    """Makes a folder if it is unpickled."""

    def __init__(self, folder):
        self.folder = folder

    def __reduce__(self):
        return (os.mkdir, (str(self.folder / "unpickled"),))


def npy_of_objects(folder):
    np.save(folder / "rows.npy", np.full((20, 2), Canary(folder)), allow_pickle=True)
    return folder / "rows.npy"


def zarr_codec(folder, place):
    pytest.importorskip("zarr")
    about = {"zarr_format": 2, "shape": [20, 2], "chunks": [20, 2], "dtype": "<f8", "order": "C"}
    about |= {"compressor": None, "filters": None, "fill_value": 0}
    codec = {"id": "pickle", "protocol": 5}
    path = folder / "rows.zarr"
    path.mkdir()
    about |= {place: codec if place == "compressor" else [codec]}
    (path / ".zarray").write_text(json.dumps(about))
    (path / "0.0").write_bytes(pickle.dumps(Canary(folder)))
    return path


@pytest.mark.parametrize(
    "make",
    [npy_of_objects, lambda f: zarr_codec(f, "compressor"), lambda f: zarr_codec(f, "filters")],
    ids=["npy", "zarr compressor", "zarr filter"],
)
def test_nothing_is_unpickled(tmp_path, make):
    with pytest.raises((ValueError, OSError)):
        open_rows(make(tmp_path)).block(0)
    assert not (tmp_path / "unpickled").exists()


def test_parts_of_hdf5_that_nobody_wrote_are_not_zeros(tmp_path, h5py):
    with h5py.File(tmp_path / "rows.h5", "w") as file:
        part = file.create_dataset("part", shape=(40, 2), dtype="f8", chunks=(10, 2))
        part[:20] = ROWS
        file.create_dataset("nothing", shape=(40, 2), dtype="f8")
        file.create_dataset("endless", shape=(2**50, 2), dtype="f8", chunks=(2**20, 2))
    for name, problem in [
        ("part", "lacks 2 of its 4 chunks"),
        ("nothing", "lacks 640 bytes of its rows"),
        ("endless", "announces 1125899906842624 rows"),
    ]:
        with pytest.raises(ValueError, match=f"rows.h5::{name} {problem}"):
            open_rows(f"{tmp_path / 'rows.h5'}::{name}")


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("shape", [(2**40, 2), (2**62, 8), (10**9, 10**9)])
def test_headers_that_promise_rows_that_are_not_there(tmp_path, shape):
    with open(tmp_path / "rows.npy", "wb") as file:
        header = {"descr": "<f8", "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_2_0(file, header)
        file.write(bytes(800))
    with pytest.raises(ValueError, match=r"rows\.npy is not a whole \.npy file"):
        open_rows(tmp_path / "rows.npy")


def test_zarr_arrays_of_any_announced_size_are_refused_at_once(tmp_path):
    zarr = pytest.importorskip("zarr")
    path = tmp_path / "rows.zarr"
    zarr.open(str(path), mode="w", shape=(20, 2), chunks=(20, 2), dtype="f8")[:] = ROWS
    about = json.loads((path / "zarr.json").read_text())
    (path / "zarr.json").write_text(json.dumps(about | {"shape": [2**35, 2]}))
    with pytest.raises(ValueError, match=r"lacks 171798691\d of its 171798691\d chunks"):
        open_rows(path)


def test_a_packed_line_that_no_memory_holds(tmp_path, monkeypatch):
    monkeypatch.setattr("lsec.sources.csv_layout.MOST_SIGNS", 1000)
    for lines in (["1,2\n" * 3, "0" * 5000], ["1,2\n" * 3, "0" * 999 + "\n"]):
        with gzip.open(tmp_path / "rows.csv.gz", "wt") as file:
            file.writelines(lines)
        with pytest.raises(ValueError, match=r"a line of more than 1000|from 2 to 1"):
            open_rows(tmp_path / "rows.csv.gz")


def test_headers_that_are_no_literals(tmp_path):
    path = tmp_path / "labels.npy"
    np.save(path, np.ones((4, 2), int))
    path.write_bytes(path.read_bytes().replace(b"}", b"{"))
    for read in (open_rows, read_labels):
        with pytest.raises(ValueError, match=r"labels\.npy is not a"):
            read(path)


def test_a_pipe_among_the_chunks_of_zarr(tmp_path):
    zarr = pytest.importorskip("zarr")
    path = tmp_path / "rows.zarr"
    zarr.open(str(path), mode="w", shape=(20, 2), chunks=(20, 2), dtype="f8")[:] = ROWS
    (path / "c/0/0").unlink()
    os.mkfifo(path / "c/0/0")
    with pytest.raises(ValueError, match=r"holds .*c/0/0, which is not a file"):
        open_rows(path)


@pytest.mark.parametrize("ending", [".npy", ".csv", ".parquet"])
def test_a_pipe_of_labels_is_refused(tmp_path, ending):
    os.mkfifo(tmp_path / f"labels{ending}")
    with pytest.raises(ValueError, match="is not a file"):
        read_labels(tmp_path / f"labels{ending}")
