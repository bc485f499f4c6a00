"""Bad files: one clear message with the place, and nothing left behind."""

import errno
import gc
import os
import re
import tempfile
from contextlib import contextmanager

import numpy as np
import pytest
from click.testing import CliRunner

from lsec import LSEC, LightKMeans, open_rows
from lsec.cli.main import main
from lsec.sources.npy import NpySource
from tests.conftest import room_for
from tests.sources.bad_files import BAD, cut
from tests.sources.stores import (
    csv,
    hdf5,
    hdf5_named,
    npy,
    npy_folder,
    numbers,
    parquet,
    parquet_folder,
)


@pytest.fixture(autouse=True)
def scratch(tmp_path_factory, monkeypatch):
    """A folder of its own for temporary files, which must be empty in the end."""
    folder = tmp_path_factory.mktemp("scratch")
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    gc.collect()  # errors keep the sources that they are about
    assert not os.listdir(folder)


@pytest.fixture
def folder(tmp_path):
    """A folder for rows."""
    (tmp_path / "rows").mkdir()
    return tmp_path / "rows"


def command(stored, output, *options):
    """Run `lsec fit` over what is stored."""
    rows = map(str, stored if isinstance(stored, list) else [stored])
    arguments = ["fit", *rows, "-o", str(output), "-q", *map(str, options)]
    return CliRunner().invoke(main, arguments)


def assert_one_line(result, said):
    """A command ended with exit code 2 and one line on standard error."""
    assert result.exit_code == 2
    assert result.stdout == ""
    assert re.fullmatch(r"Error: [^\n]*\n", result.stderr)
    assert re.search(said, result.stderr)


# Every bad file, from Python and from the command line


@pytest.mark.parametrize("case", BAD)
def test_a_bad_file_is_named(case, folder, monkeypatch):
    monkeypatch.setattr("lsec.sources.csv.LINES_AT_ONCE", 20)
    spoil, said = BAD[case]
    stored = spoil(folder)
    with pytest.raises((ValueError, OSError)) as caught:
        LightKMeans(1, random_state=0).fit(stored)
    assert re.search(said, str(caught.value))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("case", BAD)
def test_a_bad_file_is_one_line_on_the_command_line(case, folder, tmp_path, monkeypatch):
    monkeypatch.setattr("lsec.sources.csv.LINES_AT_ONCE", 20)
    spoil, said = BAD[case]
    stored = spoil(folder)
    result = command(stored, tmp_path / "labels.npy", "-k", 1, "--method", "light-kmeans")
    assert_one_line(result, said)
    assert os.listdir(tmp_path) == ["rows"]


def test_nan_far_inside_is_found_by_every_method(folder, tmp_path, block_rows):
    block_rows(1024)
    X = numbers(9000)
    X[7654, 2] = np.nan
    path = parquet(folder, X)
    for method in ("lsec", "dncsc", "uspec", "usenc", "ensemble"):
        result = command(path, tmp_path / "labels.csv", "-k", 2, "--method", method)
        assert_one_line(result, r"row 7654, column 'c' of \S*rows\.parquet is nan")
    assert os.listdir(tmp_path) == ["rows"]


def test_no_files_at_all():
    with pytest.raises(ValueError, match="at least one"):
        open_rows([])


# Columns


def test_data_sets_of_hdf5_are_listed(folder):
    path = hdf5_named(folder, numbers(9)).partition("::")[0]
    with pytest.raises(ValueError, match=r"has 2 2-D data sets; name one .*: test/X, train/X"):
        open_rows(path)
    with pytest.raises(ValueError, match=r"no data set 'Z'.*: test/X, train/X"):
        open_rows(f"{path}::Z")


def test_unknown_columns(folder, tmp_path):
    path = parquet(folder, numbers(9))
    said = r"rows\.parquet has no column 'z'; it has 'a', 'b', 'c'"
    with pytest.raises(ValueError, match=said):
        open_rows(path, columns=["a", "z"])
    result = command(path, tmp_path / "labels.npy", "-k", 1, "--columns", "a,z")
    assert_one_line(result, said)
    for stored in (npy(folder, numbers(9)), [folder / "rows.npy"]):
        with pytest.raises(ValueError, match=r"rows\.npy has no column names"):
            open_rows(stored, columns=["a"])


# Files that change while they are read


@pytest.mark.parametrize("store", [npy, parquet, hdf5, npy_folder, parquet_folder])
def test_a_file_that_changed_since_it_was_opened(store, folder):
    stored = store(folder, numbers(4000))
    source = open_rows(stored)
    paths = [stored] if os.path.isfile(stored) else sorted(folder.rglob("*.*"))
    cut(paths[-1], -100)
    with pytest.raises(OSError, match=rf"{paths[-1].name} changed .*: it had \d+ bytes and has"):
        LightKMeans(1, random_state=0).fit(source)


def test_a_file_that_is_cut_off_while_it_is_read(folder, tmp_path, monkeypatch, block_rows):
    block_rows(1024)
    path = npy(folder, numbers(40_000))
    read, blocks = NpySource._read, []

    def read_and_cut(source, span):
        blocks.append(span.start)
        if len(blocks) == 12:
            os.truncate(path, 200_000)
        return read(source, span)

    monkeypatch.setattr(NpySource, "_read", read_and_cut)
    result = command(path, tmp_path / "labels.npy", "-k", 2, "--method", "light-kmeans")
    assert_one_line(result, r"rows\.npy changed .*: it had 960128 bytes and has 200000 now")
    assert os.listdir(tmp_path) == ["rows"]


# Folders and files that may not be read


@contextmanager
def somebody_else():
    """Without the rights of the superuser, whom no mode of a file stops."""
    if os.geteuid():
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.parametrize("name", ["rows/x.npy", "rows/x.parquet", "rows/part", "rows"])
def test_what_may_not_be_read_is_named(name, folder, tmp_path, monkeypatch):
    if name.endswith(".npy"):
        npy(folder, numbers(20), "x.npy")
    else:
        for path in ("x.parquet", "part/x.parquet"):
            parquet(folder, numbers(20), path)
    monkeypatch.chdir(tmp_path)  # the folders above may be closed to others
    tmp_path.chmod(0o755)
    stored = name if os.path.isfile(name) else "rows"
    assert open_rows(stored).shape[1] == 3
    os.chmod(name, 0)
    try:
        with somebody_else(), pytest.raises(PermissionError) as caught:
            open_rows(stored)
    finally:
        os.chmod(name, 0o755)
    assert str(caught.value.filename) == name


# Disks that are full


def test_no_room_for_labels(folder, tmp_path):
    path, output = npy(folder, numbers(40_000)), tmp_path / "labels.npy"
    command(path, output, "-k", 2, "--method", "light-kmeans")  # compiles what is missing
    needed = output.stat().st_size
    output.write_text("older labels")
    with room_for(needed - 1):
        result = command(path, output, "-k", 2, "--method", "light-kmeans")
    assert_one_line(result, rf"labels\.npy: {os.strerror(errno.EFBIG)}")
    assert sorted(os.listdir(tmp_path)) == ["labels.npy", "rows"]
    assert output.read_text() == "older labels"


def test_no_room_for_the_rows_of_a_csv_file(folder, tmp_path):
    path = csv(folder, numbers(5000))
    with room_for(50_000):
        result = command(path, tmp_path / "labels.npy", "-k", 2)
    assert_one_line(
        result, rf"rows\.npy \(rows of .*rows\.csv; TMPDIR .*: {os.strerror(errno.EFBIG)}"
    )
    assert os.listdir(tmp_path) == ["rows"]


def test_no_room_for_scratch(folder, tmp_path, face):
    path = npy(folder, face)
    cheap = {"n_base": 7, "n_landmarks": 100, "base_clusters": (5, 15), "memory_limit": "16KiB"}
    LSEC(4, random_state=0, **cheap).fit(path)
    with room_for(10_000), pytest.raises(OSError, match=os.strerror(errno.EFBIG)):
        LSEC(4, random_state=0, **cheap).fit(path, labels_out=tmp_path / "labels.npy")
    assert os.listdir(tmp_path) == ["rows"]


@pytest.mark.parametrize("name", ["rows.npy", "rows.csv", "named.csv"])
def test_messages_quote_little_of_a_damaged_file(name, tmp_path):
    path, junk = tmp_path / name, "\x01" * 3000
    np.save(tmp_path / "rows.npy", np.zeros((5, 2)))
    head = (tmp_path / "rows.npy").read_bytes()[:10]
    content = {
        "rows.npy": head + b"{" + 5000 * b"\x01",
        "rows.csv": f"1.0,{junk}\n2.0,3.0\n".encode(),
        "named.csv": f"x,{junk}y\n1.0,{junk}\n".encode(),
    }
    path.write_bytes(content[name])
    with pytest.raises(ValueError, match=name) as caught:
        open_rows(path).block(0)
    assert len(str(caught.value)) < 600 + len(str(path))
