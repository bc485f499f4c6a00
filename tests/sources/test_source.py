"""Every source holds the rows of the array, also when pickled, and tells whether they changed."""

import json
import os
import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from lsec import open_rows
from lsec.sources import ArraySource
from tests.sources.stores import (
    STORES,
    assert_holds,
    csv,
    files_of,
    in_memory,
    npy,
    numbers,
    parquet,
    sent,
)

pytestmark = pytest.mark.usefixtures("small_blocks")


@pytest.mark.parametrize("n_rows", [1, 15, 64, 203])
@pytest.mark.parametrize("store", STORES)
def test_a_source_holds_the_rows_of_the_array(store, n_rows, tmp_path, small_blocks, monkeypatch):
    monkeypatch.setattr("lsec.sources.csv.LINES_AT_ONCE", 20)
    X = numbers(n_rows)
    assert_holds(open_rows(store(tmp_path, X)), X)


def test_a_sparse_matrix_holds_the_rows_of_the_array():
    X = numbers(203)
    for kind in (sparse.csr_matrix, sparse.coo_array):
        source = ArraySource(kind(X))
        assert_array_equal(source.block(3).toarray(), X[48:64])
        assert_array_equal(source.take(np.array([0, 7, 202])).toarray(), X[[0, 7, 202]])


# Pickles


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


# Fingerprints


@pytest.mark.parametrize("store", [*STORES, in_memory])
def test_the_same_rows_have_the_same_fingerprint(store, tmp_path):
    X = numbers(203)
    stored = store(tmp_path, X)
    source = open_rows(stored)
    known = source.fingerprint()
    assert json.loads(json.dumps(known)) == known
    assert known["shape"] == [203, 3]
    assert (sent(source).fingerprint(), open_rows(stored).fingerprint()) == (known, known)
    part = source.part(range(2, 5))
    assert sent(part).fingerprint() == part.fingerprint() != source.part(range(3, 6)).fingerprint()
    assert json.loads(json.dumps(part.fingerprint())) == part.fingerprint()


@pytest.mark.parametrize("store", STORES)
def test_a_file_written_again_has_another_fingerprint(store, tmp_path):
    stored = store(tmp_path, numbers(40))
    known = open_rows(stored).fingerprint()
    path = sorted(files_of(stored))[-1]
    os.utime(path, ns=(0, os.stat(path).st_mtime_ns + 10**9))
    assert open_rows(stored).fingerprint() != known


def test_columns_are_part_of_the_fingerprint(tmp_path):
    path = parquet(tmp_path, numbers(40))
    one, other = (open_rows(path, columns=list(names)).fingerprint() for names in ("ab", "ba"))
    assert one["columns"] == ["a", "b"]
    assert one != other


@pytest.mark.parametrize("n_rows", [1, 2, 4096, 4097, 20_000])
def test_arrays_that_differ_have_other_fingerprints(n_rows):
    X = numbers(n_rows)
    known = {json.dumps(ArraySource(X).fingerprint())}
    others = [X.astype(np.float32), X[:, ::-1].copy(), sparse.csr_matrix(X)]
    for row in (0, n_rows - 1):
        changed = X.copy()
        changed[row, 1] += 1
        others += [changed, sparse.csr_matrix(changed)]
    others += [X[:-1]] * (n_rows > 1)
    found = {json.dumps(ArraySource(other).fingerprint()) for other in others}
    assert len(found | known) == len({*map(id, others)}) + 1 - 2 * (n_rows == 1)
    assert json.dumps(ArraySource(X.copy()).fingerprint()) in known


def test_the_fingerprint_of_a_large_array_reads_little_of_it():
    X = np.broadcast_to(np.arange(3.0), (10**9, 3))  # 24 GB, were it read
    assert ArraySource(X, mapped=True).fingerprint()["shape"] == [10**9, 3]
