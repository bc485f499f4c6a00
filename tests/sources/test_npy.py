""".npy files of any type and order; a file read by position is read in part."""

from io import FileIO

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from lsec import open_rows
from lsec.sources.stored import StoredFile
from tests.sources.stores import assert_holds, npy, numbers

DTYPES = ["f2", "f4", "f8", ">f8", "i1", "u2", "i8", "?"]


@pytest.mark.parametrize("far_apart", [0, 2**16])
@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("dtype", DTYPES)
def test_npy_of_any_type_and_order(dtype, order, far_apart, tmp_path, small_blocks, monkeypatch):
    monkeypatch.setattr("lsec.sources.npy.FAR_APART", far_apart)
    X = np.asarray(numbers(75) > 0 if dtype == "?" else abs(numbers(75)), dtype, order=order)
    assert_holds(open_rows(npy(tmp_path, X)), X)


@pytest.mark.parametrize("n_shards", [1, 3])
def test_rows_by_position_read_little_of_a_file(n_shards, tmp_path, monkeypatch):
    n_bytes = []

    class Counted(FileIO):
        def readinto(self, buffer):
            n_bytes.append(super().readinto(buffer))
            return n_bytes[-1]

    for number in range(n_shards):
        X = np.lib.format.open_memmap(tmp_path / f"{number}.npy", "w+", np.float64, (500_000, 3))
        X[::1000] = np.arange(500)[:, None] + 1000 * number
    source = open_rows(tmp_path)
    which = np.arange(0, 500_000 * n_shards, 10_000)
    monkeypatch.setattr(StoredFile, "open", lambda file: Counted(file.path))
    rows = source.take(which)
    assert sum(n_bytes) == rows.nbytes == 24 * len(which)
    assert_array_equal(rows[:, 0], which % 500_000 // 1000 + which // 500_000 * 1000)
