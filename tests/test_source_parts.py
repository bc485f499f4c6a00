"""Sources travel: pickles of them, parts of them, and what tells whether they are the same."""

import json
import os
import pickle
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from lsec import open_rows
from lsec.sources import open_array
from tests.stores import (
    BLOCK,
    STORES,
    assert_holds,
    csv,
    npy,
    npy_shards,
    numbers,
    parquet,
    set_blocks,
)

try:
    from cloudpickle import dumps as cloud_dumps
except ImportError:
    cloud_dumps = pickle.dumps


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Blocks of 16 rows."""
    set_blocks(monkeypatch)


def in_memory(folder, X):
    return open_array(X)


# Pickles


def sent(source):
    """The source as another process gets it."""
    return pickle.loads(cloud_dumps(pickle.loads(pickle.dumps(source))))


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


# Parts


def parts_of(source, cuts):
    """Parts of a source between cuts into its blocks."""
    borders = [0, *sorted(min(cut, source.n_blocks) for cut in cuts), source.n_blocks]
    return [source.part(range(a, b)) for a, b in pairwise(borders)]


def assert_parts_hold(parts, X):
    """The parts hold the rows of the array one after the other, and know where they are."""
    for part in parts:
        assert_holds(part, X[part.first_row : part.first_row + part.shape[0]])
    assert [part.first_row for part in parts] == np.cumsum(
        [0, *(part.shape[0] for part in parts[:-1])]
    ).tolist()
    assert sum(part.shape[0] for part in parts) == len(X)


@pytest.mark.parametrize("store", [*STORES, in_memory])
def test_parts_follow_each_other(store, tmp_path_factory):
    X = numbers(203)
    source = open_rows(store(tmp_path_factory.mktemp("rows"), X))

    @settings(max_examples=25, deadline=None)
    @given(cuts=st.lists(st.integers(0, 13), max_size=4))
    def check(cuts):
        parts = parts_of(source, cuts)
        assert_parts_hold(parts, X)
        assert_parts_hold([sent(part) for part in parts], X)

    check()


@pytest.mark.parametrize("store", [*STORES, in_memory])
def test_a_part_of_a_part_is_a_part(store, tmp_path):
    X = numbers(203)
    part = open_rows(store(tmp_path, X)).part(range(2, 11)).part(range(3, 5))
    assert part.first_row == 5 * BLOCK
    assert_holds(sent(part), X[5 * BLOCK : 7 * BLOCK])


@pytest.mark.parametrize("store", [*STORES, in_memory])
def test_a_part_names_the_place_in_the_file(store, tmp_path):
    X = numbers(203)
    X[150, 2] = np.nan
    try:
        source = open_rows(store(tmp_path, X))
    except ValueError:  # arrays in memory are looked through at once
        source = open_array(X, mapped=True)
    with pytest.raises(ValueError, match="contains NaN") as whole:
        source.block(150 // BLOCK)
    for blocks in (range(9, 13), range(9, 10), range(4, 11)):
        part = sent(source.part(blocks))
        for rows_of in (part.block, lambda block, part=part: all_of(part)):
            with pytest.raises(ValueError, match="contains NaN") as caught:
                rows_of(9 - blocks.start)
            assert str(caught.value) == str(whole.value)


def all_of(source):
    return source.take(np.arange(source.shape[0]))


def test_a_part_of_many_shards_or_groups_is_small(tmp_path):
    for store in (npy_shards, many_groups):
        source = open_rows(store(tmp_path, numbers(20_000)))
        size = len(pickle.dumps(source))
        assert len(pickle.dumps(source.part(range(9, 11)))) < min(size, 2000)


def many_groups(folder, X):
    table = pa.table({"abc"[j]: X[:, j] for j in range(3)})
    pq.write_table(table, folder / "x.parquet", row_group_size=9)
    return folder / "x.parquet"


def test_a_part_of_an_array_takes_its_own_rows_along(tmp_path):
    for rows in (numbers(5000), sparse.csr_matrix(numbers(5000))):
        part = open_array(rows).part(range(9, 11))
        assert part.trusted
        assert len(pickle.dumps(part)) < 2000


@pytest.mark.parametrize("blocks", [range(14), range(-1, 3), range(0, 4, 2), range(5, 3)])
def test_blocks_that_do_not_follow_each_other_are_refused(blocks):
    with pytest.raises(ValueError, match=r"consecutive blocks of 13; got range"):
        open_array(numbers(203)).part(blocks)


def test_rows_from_elsewhere_know_their_place():
    X = numbers(40)
    X[33, 1] = np.inf
    for mapped in (False, True):
        with pytest.raises(ValueError, match="row 1033, column 1 is inf"):
            open_array(X, mapped=mapped, first_row=1000).block(2)


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
    known = {json.dumps(open_array(X).fingerprint())}
    others = [X.astype(np.float32), X[:, ::-1].copy(), sparse.csr_matrix(X)]
    for row in (0, n_rows - 1):
        changed = X.copy()
        changed[row, 1] += 1
        others += [changed, sparse.csr_matrix(changed)]
    others += [X[:-1]] * (n_rows > 1)
    found = {json.dumps(open_array(other).fingerprint()) for other in others}
    assert len(found | known) == len({*map(id, others)}) + 1 - 2 * (n_rows == 1)
    assert json.dumps(open_array(X.copy()).fingerprint()) in known


def test_the_fingerprint_of_a_large_array_reads_little_of_it():
    X = np.broadcast_to(np.arange(3.0), (10**9, 3))  # 24 GB, were it read
    assert open_array(X, mapped=True).fingerprint()["shape"] == [10**9, 3]
