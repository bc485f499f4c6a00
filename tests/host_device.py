"""A device that runs the CUDA kernels on this machine, with the C++ compiler: no GPU is needed.

The sources are the same; each thread of the grid is a turn of a loop. `HostDevice` has the
interface of `lsec.kernels.cuda.device.Device`, with NumPy in the place of CuPy. LSEC_TEST_GPU=1,
which `make gpu` sets, runs tests on the GPU instead.
"""

import ctypes
import hashlib
import os
import shutil
import subprocess
import tempfile
import threading
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from lsec.kernels.cuda.device import options_of, source_of

SHIM = """
#include <cmath>
#include <cstring>
#define LSEC_KERNEL extern "C" void
#define LSEC_DEVICE static inline
#define EACH(i, n) for (Int64 i = 0; i < (n); i++)
static inline int __float_as_int(float x) { int y; memcpy(&y, &x, 4); return y; }
static inline float __int_as_float(int x) { float y; memcpy(&y, &x, 4); return y; }
template <class T> T atomicAdd(T *place, T value) {
    T old = *place; *place += value; return old;
}
template <class T> T atomicMin(T *place, T value) {
    T old = *place; if (value < old) *place = value; return old;
}
template <class T> T atomicCAS(T *place, T expected, T value) {
    T old = *place; if (old == expected) *place = value; return old;
}
"""
COMPILER = shutil.which("g++") or shutil.which("c++") or shutil.which("clang++")
FOLDER = Path(tempfile.gettempdir()) / "lsec-test-kernels"


@cache
def compiled(source, constants):
    """Library with the kernels of a source file, compiled once for all tests."""
    text = SHIM + source_of(source)
    options = ["-std=c++17", "-O1", "-ffp-contract=off", "-fno-strict-aliasing", "-shared", "-fPIC"]
    command = [COMPILER, *options, "-w", *options_of(dict(constants))]
    name = hashlib.sha256("\0".join([text, *command]).encode()).hexdigest()[:24]
    place = FOLDER / f"{name}.so"
    if not place.exists():
        FOLDER.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
            (Path(folder) / "kernel.cpp").write_text(text)
            made = Path(folder) / "kernel.so"
            command += [str(Path(folder) / "kernel.cpp"), "-o", str(made)]
            subprocess.run(command, check=True, capture_output=True, text=True)
            made.replace(place)
    return ctypes.CDLL(str(place))


class HostDevice:
    """Runs kernels in this process; counts launches, and the bytes that are copied."""

    def __init__(self, number=0, free_bytes=2**30):
        self.number = number
        self.xp = np
        self.free_bytes = free_bytes
        self.launched = []
        self.n_copied = 0
        self._lock = threading.Lock()

    @contextmanager
    def active(self):
        yield

    def upload(self, values):
        return np.array(values, order="C")

    def download(self, values, out=None):
        if out is None:
            return np.array(values)
        out[...] = values
        return out

    def view(self, rows):
        return rows.values

    def pinned(self, n_bytes):
        return np.empty(n_bytes, np.uint8)

    def send(self, values, out):
        assert out.shape == values.shape
        assert out.dtype == values.dtype
        self.n_copied += values.nbytes
        out[...] = values
        return "sent"

    def receive(self, values, out):
        assert out.shape == values.shape
        out[...] = values
        return "received"

    def follow(self, event):
        assert event == "sent"

    def done(self):
        return "done"

    def hold(self, event):
        assert event == "done"

    def wait(self, event):
        assert event in ("sent", "done", "received")

    def synchronize(self):
        pass

    def launch(self, source, name, n, *arguments, **constants):
        with self._lock:
            self.launched.append(name)
            library = compiled(source, tuple(sorted(constants.items())))
        if n:
            getattr(library, name)(ctypes.c_int64(n), *map(as_argument, arguments))


def as_argument(value):
    """An argument of a kernel: an array by its address, a NumPy number by its value."""
    if isinstance(value, np.ndarray):
        return ctypes.c_void_p(value.ctypes.data)
    assert isinstance(value, np.generic), f"{value!r} has no type of its own"
    return np.ctypeslib.as_ctypes_type(value.dtype)(value.item())


def make_device():
    """A device for a test: GPU 0 if asked for, else the host; skips without a compiler."""
    if os.environ.get("LSEC_TEST_GPU"):
        return watched_gpu()
    if COMPILER is None:
        pytest.skip("there is no C++ compiler")
    return HostDevice()


def watched_gpu():
    """GPU 0 with the counters of `HostDevice`."""
    from lsec.kernels.cuda.device import Device, open_device

    class Watched(Device):
        free_bytes = 2**30

        def send(self, values, out):
            self.n_copied += values.nbytes
            return super().send(values, out)

        def launch(self, source, name, n, *arguments, **constants):
            self.launched.append(name)
            super().launch(source, name, n, *arguments, **constants)

    device = Watched(0, open_device(0).xp)
    device.launched, device.n_copied = [], 0
    return device


def to_device(device, values):
    """Rows that live on a device, as the arrays of a library."""
    return RowsOnDevice(values) if device.xp is np else device.xp.asarray(values)


class RowsOnDevice:
    """Rows that say they live on a CUDA device, as arrays of GPU libraries do."""

    def __init__(self, values, number=0):
        self.values = values
        self.shape = values.shape
        self.dtype = values.dtype
        self._number = number

    def __dlpack_device__(self):
        return 2, self._number

    def __dlpack__(self, **_):
        raise BufferError("a device's memory is not the host's")

    def __len__(self):
        return len(self.values)
