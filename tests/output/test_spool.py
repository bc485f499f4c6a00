"""Spools hold one number per row; base labels above the memory limit are mapped."""

import errno
import gc
import os
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from lsec.output.labels import FileSpool, LabelOutput, MemorySpool
from tests.conftest import room_for

# Spools


def test_a_file_is_closed_with_its_spool(tmp_path):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        FileSpool(tmp_path)
        FileSpool(tmp_path, "numbers")
        gc.collect()
    assert not found


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


def test_numbers_that_were_never_written_are_an_error(tmp_path):
    spool = FileSpool(tmp_path, "numbers")
    spool.write(slice(0, 5), np.arange(5))
    with pytest.raises(OSError, match="fewer numbers than were written to it"):
        spool.read(slice(3, 7))


def test_numbers_in_a_named_file_are_there_when_it_is_opened_again(tmp_path):
    spool = FileSpool(tmp_path, "numbers")
    spool.write(slice(0, 5), np.arange(5))
    spool.sync()
    assert_array_equal(FileSpool(tmp_path, "numbers").read(slice(1, 5)), np.arange(1, 5))


def test_labels_that_go_to_a_file_are_spooled_beside_it(tmp_path):
    assert isinstance(LabelOutput(None).spool(3), MemorySpool)
    assert isinstance(LabelOutput(tmp_path / "labels.npy").spool(3), FileSpool)


def test_no_room_for_a_spool_names_the_folder(tmp_path):
    spool = FileSpool(tmp_path)
    with room_for(99), pytest.raises(OSError, match=os.strerror(errno.EFBIG)) as caught:
        spool.write(slice(0, 1000), np.arange(1000))
    assert str(tmp_path) in caught.value.filename
