"""Archives that are damaged or hostile: an error, never harm."""

import io
import pickle
import tracemalloc
import zipfile

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import lsec
from tests.model_files.cases import assert_refused

# Damaged files


def assert_refused_or_same(path, rows, labels):
    """The file gives a ValueError that names it, or the model that was saved."""
    try:
        loaded = lsec.load(path)
    except ValueError as error:
        assert str(path) in str(error)
        return False
    assert_array_equal(loaded.predict(rows), labels)
    return True


def test_flipped_bytes_are_noticed(small, tmp_path):
    original, rows, labels = small
    whole = original.read_bytes()
    rng = np.random.default_rng(0)
    directory = whole.index(b"PK\x01\x02")
    places = [*rng.integers(0, directory, 200), *rng.integers(directory, len(whole), 400)]
    same = 0
    for place in places:
        damaged = bytearray(whole)
        damaged[place] ^= rng.integers(1, 256)
        (tmp_path / "m.lsec").write_bytes(damaged)
        same += assert_refused_or_same(tmp_path / "m.lsec", rows[:5], labels[:5])
    assert same < len(places) / 2  # times and attributes of entries are not looked at


def test_cut_and_padded_files_are_noticed(small, tmp_path):
    original, rows, labels = small
    whole = original.read_bytes()
    path = tmp_path / "m.lsec"
    rng = np.random.default_rng(1)
    for length in [
        0,
        1,
        21,
        22,
        *rng.integers(0, len(whole), 150),
        *(len(whole) - np.arange(1, 50)),
    ]:
        path.write_bytes(whole[:length])
        assert not assert_refused_or_same(path, rows[:5], labels[:5])
    for _ in range(50):
        low, high = np.sort(rng.integers(0, len(whole), 2))
        path.write_bytes(whole[:low] + whole[high:])
        assert_refused_or_same(path, rows[:5], labels[:5])
        path.write_bytes(whole[:low] + rng.bytes(high - low) + whole[high:])
        assert_refused_or_same(path, rows[:5], labels[:5])


@pytest.mark.parametrize("content", [b"", b"PK", b"\x93NUMPY", b"not a model", bytes(5000)])
def test_other_files_are_refused(content, tmp_path):
    path = tmp_path / "m.lsec"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"m\.lsec is damaged or not a model"):
        lsec.load(path)
    path.write_bytes(pickle.dumps({"model": 1}))
    with pytest.raises(ValueError, match=r"m\.lsec is damaged or not a model"):
        lsec.load(path)


# Hostile files


def test_entries_that_should_not_be_there_are_refused(forgery):
    for name in ("../../evil.npy", "/etc/passwd", "arrays/999.npy", "arrays/00.npy", "model.JSON"):
        assert_refused(forgery.write_bytes({name: b"1"}), "unexpected entry")
    assert_refused(forgery.write_bytes({"arrays/3.npy": None}), "unexpected entry|missing")
    assert_refused(forgery.write_bytes({"model.json": None}), "missing|unexpected")
    forgery.arrays.append(np.zeros(3))
    assert_refused(forgery.write(), "does not use array")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_an_entry_twice_is_refused(forgery):
    with zipfile.ZipFile(forgery.write(), "a") as archive:
        archive.writestr("arrays/0.npy", b"other")
    assert_refused(forgery.path, "missing|unexpected")


def test_compressed_files_are_refused(forgery):
    bomb = b"\x93NUMPY" + bytes(10**7)
    path = forgery.write_bytes({"arrays/0.npy": bomb}, zipfile.ZIP_DEFLATED)
    assert path.stat().st_size < 10**6
    assert_refused(path, "compressed")


def npy_bytes(array, allow_pickle=False):
    file = io.BytesIO()
    np.lib.format.write_array(file, array, version=(1, 0), allow_pickle=allow_pickle)
    return file.getvalue()


class Harm:
    """Leaves a file behind when it is unpickled."""

    def __init__(self, trace):
        self.trace = str(trace)

    def __reduce__(self):
        return open, (self.trace, "w")


def test_pickles_are_never_opened(forgery, tmp_path):
    trace = tmp_path / "harm"
    objects = npy_bytes(np.array([Harm(trace)], dtype=object), allow_pickle=True)
    for content in (objects, pickle.dumps(Harm(trace)), npy_bytes(np.zeros(1)) + objects):
        assert_refused(forgery.write_bytes({"arrays/0.npy": content}), r"arrays/0\.npy")
        assert_refused(forgery.write_bytes({"model.json": content}), "damaged")
    assert not trace.exists()


@pytest.mark.parametrize(
    "header",
    [
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1, -8), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1000000, 1000000, 1000000), }",
        "{'descr': '|O', 'fortran_order': False, 'shape': (8,), }",
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (8,), }",
        "{'descr': '<U8', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (8,), } + [].append(1)",
        "__import__('os').system('true')",
        "(" * 5000,
        "-" * 9000 + "1",
    ],
)
def test_hostile_headers_are_refused(header, forgery):
    text = header.encode() + b"\n"
    content = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + bytes(32)
    assert_refused(forgery.write_bytes({"arrays/0.npy": content}), r"arrays/0\.npy")


@pytest.mark.parametrize(
    "content",
    [
        b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 100_000, b'{"a":' * 50_000,
        b'{"format": "lsec model", "version": NaN}',
        b'{"format": "lsec model", "version": 1' + b"0" * 5000 + b"}",
    ],
)  # fmt: skip
def test_hostile_documents_are_refused(content, forgery):
    assert_refused(forgery.write_bytes({"model.json": content}), "damaged")


@pytest.mark.parametrize("place", [20, 24], ids=["stored", "unpacked"])
def test_sizes_that_lie_take_no_memory(small, tmp_path, place):
    content = bytearray(small[0].read_bytes())
    record = content.index(b"PK\x01\x02")
    content[record + place : record + place + 4] = (2**30).to_bytes(4, "little")
    (tmp_path / "forged.lsec").write_bytes(content)
    tracemalloc.start()
    assert_refused(tmp_path / "forged.lsec", "announces 10737")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**24
