"""Kernels run wherever their compiled code can be kept, read or written, and where it cannot."""

import numpy as np
import pytest
from numba.core import caching

from lsec.kernels import kernel


def double(values):
    for i in range(values.shape[0]):
        values[i] *= 2


def doubled(compiled):
    values = np.arange(3.0)
    compiled(values)
    return values.tolist()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(caching.config, "CACHE_DIR", str(tmp_path))
    return tmp_path


def test_without_a_folder_kernels_are_compiled_and_a_warning_says_what_to_do(monkeypatch):
    monkeypatch.setattr(caching.CompileResultCacheImpl, "_locator_classes", [])
    with pytest.warns(UserWarning, match=r"cannot be kept .*Set NUMBA_CACHE_DIR"):
        compiled = kernel()(double)
    assert doubled(compiled) == [0, 2, 4]


def test_a_full_disk_is_a_warning(folder, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    compiled = kernel()(double)
    monkeypatch.setattr(caching.IndexDataCacheFile, "save", full)
    with pytest.warns(UserWarning, match="No space left on device"):
        assert doubled(compiled) == [0, 2, 4]


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
@pytest.mark.parametrize("content", [b"", b"\x80\x05not a pickle", b"\x80\x05N."])
def test_damaged_files_are_replaced(folder, ending, content):
    assert doubled(kernel()(double)) == [0, 2, 4]
    (file,) = folder.rglob(f"*.{ending}")
    file.write_bytes(content)
    again = kernel()(double)
    assert doubled(again) == [0, 2, 4]
    assert not again.stats.cache_hits
    later = kernel()(double)
    assert doubled(later) == [0, 2, 4]
    assert sum(later.stats.cache_hits.values()) == 1
