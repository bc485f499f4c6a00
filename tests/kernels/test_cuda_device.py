"""Which device is opened, and what is said where there is none."""

import sys
from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from lsec import LSEC
from lsec.kernels.cuda.device import Device, find_device, open_device
from tests.conftest import builder


class NoDriver(RuntimeError):
    pass


class Full(Exception):
    pass


def library(n_devices=2, *, driver=True, compiler=True):
    """A GPU library with some devices, on a machine where parts may be missing."""

    def count():
        if not driver:
            raise NoDriver("cudaErrorNoDevice: no CUDA-capable device is detected")
        return n_devices

    def version():
        if not compiler:
            raise RuntimeError("failed to load libnvrtc.so")

    cuda = SimpleNamespace(
        runtime=SimpleNamespace(getDeviceCount=count, CUDARuntimeError=NoDriver),
        nvrtc=SimpleNamespace(getVersion=version),
        memory=SimpleNamespace(OutOfMemoryError=Full),
        Device=lambda number: nullcontext(),
        Stream=lambda **_: None,
    )
    return SimpleNamespace(cuda=cuda)


@pytest.fixture
def installed(monkeypatch):
    """Installs a GPU library: installed(library())."""
    return lambda module: monkeypatch.setitem(sys.modules, "cupy", module)


@pytest.mark.parametrize(
    ("module", "error", "remedy"),
    [
        (None, ImportError, r"pip install 'lsec\[gpu\]'"),
        (library(driver=False), OSError, "Install the NVIDIA driver"),
        (library(n_devices=0), OSError, "this machine has 0"),
        (library(compiler=False), ImportError, "cannot compile kernels.*libnvrtc"),
    ],
    ids=["no library", "no driver", "no GPU", "no compiler"],
)
def test_what_is_missing_is_named(installed, face, module, error, remedy):
    installed(module)
    with pytest.raises(error, match=remedy):
        builder("LSEC")(4, device="cuda").fit(face)
    assert find_device("auto") is None
    model = builder("LSEC")(4, device="auto").fit(face)
    assert_array_equal(model.labels_, builder("LSEC")(4).fit(face).labels_)


def test_devices_are_named_by_their_numbers(installed):
    installed(library(n_devices=2))
    assert find_device("cpu") is None
    assert find_device("cuda").number == 0
    assert find_device("auto").number == 0
    assert find_device("cuda:1").number == 1
    with pytest.raises(OSError, match="no GPU with the number 2: this machine has 2"):
        find_device("cuda:2")


def test_no_memory_left_names_the_remedy(installed):
    installed(library())
    with pytest.raises(MemoryError, match="lower memory_limit"), open_device(1).active():
        raise Full("3 bytes are missing")


def test_a_device_is_opened_again_by_a_worker(installed):
    installed(library())
    opener, arguments = Device(1, library()).__reduce__()
    assert opener(*arguments).number == 1


def test_the_cpu_needs_no_library(monkeypatch, face):
    monkeypatch.setitem(sys.modules, "cupy", None)
    assert LSEC(4, n_base=5, n_landmarks=100, device="cpu").fit(face).labels_.dtype == np.int32
