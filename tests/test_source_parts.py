"""Sources travel: pickles of them, parts of them, and what tells whether they are the same."""

import os
import pickle

import pytest

from lsec import open_rows
from lsec.sources import open_array
from stores import STORES, assert_holds, csv, npy, numbers, set_blocks

cloudpickle = pytest.importorskip("cloudpickle")


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Blocks of 16 rows."""
    set_blocks(monkeypatch)


def in_memory(folder, X):
    return open_array(X)


# Pickles


def sent(source):
    """The source as another process gets it."""
    return pickle.loads(cloudpickle.dumps(pickle.loads(pickle.dumps(source))))


@pytest.mark.parametrize("n_rows", [1, 203])
@pytest.mark.parametrize("store", [*STORES, in_memory])
def test_a_pickled_source_holds_the_same_rows(store, n_rows, tmp_path):
    X = numbers(n_rows)
    source = open_rows(store(tmp_path, X))
    assert_holds(sent(source), X)
    assert_holds(source, X)


@pytest.mark.parametrize("store", STORES)
def test_a_pickle_holds_no_rows(store, tmp_path):
    X = numbers(20_000)
    source = open_rows(store(tmp_path, X))
    before = pickle.dumps(source)
    for block in range(source.n_blocks):
        source.block(block)
    assert pickle.dumps(source) == before
    assert len(before) < X.nbytes / 10  # two numbers for each group of 15 rows, at most


@pytest.mark.parametrize("store", STORES)
def test_a_pickled_source_is_read_from_another_folder(store, tmp_path, monkeypatch):
    X = numbers(40)
    (tmp_path / "data").mkdir()
    (tmp_path / "other").mkdir()
    stored = store(tmp_path / "data", X)
    monkeypatch.chdir(tmp_path / "data")
    several = isinstance(stored, list)
    relative = [os.path.relpath(one) for one in (stored if several else [stored])]
    source = open_rows(relative if several else relative[0])
    monkeypatch.chdir(tmp_path / "other")
    assert_holds(sent(source), X)


def files_of(stored):
    """All files under what was stored."""
    for one in stored if isinstance(stored, list) else [stored]:
        path = str(one).partition("::")[0]
        inside = [
            os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names
        ]
        yield from inside or [path]


@pytest.mark.parametrize("store", [one for one in STORES if "csv" not in one.__name__])
def test_a_file_that_was_written_to_since_is_an_error(store, tmp_path):
    stored = store(tmp_path, numbers(40))
    source = open_rows(stored)
    for path in files_of(stored):
        os.utime(path, ns=(0, os.stat(path).st_mtime_ns + 1))
    with pytest.raises(OSError, match=r"\S* changed while its rows were used"):
        sent(source).block(0)


def test_a_file_of_another_size_is_an_error_that_says_so(tmp_path):
    path = npy(tmp_path, numbers(40))
    source = open_rows(path)
    with open(path, "ab") as file:
        file.write(b"more")
    for reader in (source, sent(source)):
        with pytest.raises(OSError, match=r"rows\.npy changed .*: it had 1088 bytes and has 1092"):
            reader.block(0)


def test_the_rows_of_a_csv_file_go_with_the_source_that_was_opened(tmp_path):
    X = numbers(40)
    source = open_rows(csv(tmp_path, X))
    copy = sent(source)
    assert_holds(copy, X)
    del source
    with pytest.raises(OSError, match=r"converted rows of .*rows\.csv are gone"):
        copy.block(0)
