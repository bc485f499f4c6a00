"""The GPU: memory, copies beside kernels, and launches; the only module that imports CuPy."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from lsec.kernels import gram
from lsec.kernels.columns import SLACK
from lsec.typing import AnyArray

THREADS = 128  # of a block of the grid
NOTHING = np.uint64(0)  # in the place of an array that a kernel does not read
INSTALL = "pip install 'lsec[gpu]' installs CuPy for CUDA 13; see the guide, On a GPU"
TYPE_NAMES = {
    "f4": "Float32", "f8": "Float64", "b1": "UInt8",
    "i1": "Int8", "i2": "Int16", "i4": "Int32", "i8": "Int64",
    "u1": "UInt8", "u2": "UInt16", "u4": "UInt32", "u8": "UInt64",
}  # fmt: skip


def find_device(name: str) -> Device | None:
    """The device that a `device` parameter names; None is the CPU."""
    if name == "cpu":
        return None
    if name != "auto":
        return open_device(int(name.partition(":")[2] or 0))
    try:
        return open_device(0)
    except (ImportError, OSError):
        return None


def open_device(number: int) -> Device:
    """A device by its number; an error says what to install if there is none."""
    try:
        import cupy
    except ImportError as error:
        raise ImportError(f"A GPU needs CuPy. {INSTALL}.") from error
    try:
        n_devices = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise OSError(
            f"CuPy finds no GPU ({error}). Install the NVIDIA driver, or pass device='cpu'."
        ) from error
    if number >= n_devices:
        raise OSError(
            f"There is no GPU with the number {number}: this machine has {n_devices}. Pass "
            "device='cuda:0', or device='auto' to take what there is."
        )
    try:
        cupy.cuda.nvrtc.getVersion()
    except Exception as error:  # of several types, by what is missing
        raise ImportError(f"CuPy cannot compile kernels ({error}). {INSTALL}.") from error
    return Device(number, cupy)


class Device:
    """A GPU. Work is queued in order on one stream, copies from the host on another."""

    def __init__(self, number: int, xp: Any):
        self.number = number
        self.xp = xp  # the array library
        with xp.cuda.Device(number):
            self._copies = xp.cuda.Stream(non_blocking=True)

    def __reduce__(self) -> tuple[Any, ...]:
        return open_device, (self.number,)

    @contextmanager
    def active(self) -> Iterator[None]:
        """Make this the current device; a lack of its memory is an error with the remedy."""
        try:
            with self.xp.cuda.Device(self.number):
                yield
        except self.xp.cuda.memory.OutOfMemoryError as error:
            raise MemoryError(
                f"The memory of GPU {self.number} is full: {error}. Pass a lower memory_limit for "
                "smaller pieces, fewer n_landmarks, or device='cpu'."
            ) from error

    @property
    def free_bytes(self) -> int:
        """Memory that could still be taken, that of the pool included."""
        with self.active():
            free: int = self.xp.cuda.runtime.memGetInfo()[0]
            return free + int(self.xp.get_default_memory_pool().free_bytes())

    def upload(self, values: AnyArray) -> Any:
        """Copy an array to the device."""
        return self.xp.asarray(np.ascontiguousarray(values))

    def download(self, values: Any, out: AnyArray | None = None) -> AnyArray:
        """Copy an array from the device, once the work that makes it is done."""
        found: AnyArray = values.get(out=out)
        return found

    def view(self, rows: Any) -> Any:
        """Show an array of any library on this device, without a copy."""
        with self.active():
            if hasattr(rows, "__cuda_array_interface__"):
                return self.xp.asarray(rows)
            return self.xp.from_dlpack(rows)

    def pinned(self, n_bytes: int) -> AnyArray:
        """Memory of the host, uint8 (n_bytes,), that is copied from at full speed."""
        memory = self.xp.cuda.alloc_pinned_memory(n_bytes)
        return np.frombuffer(memory, np.uint8, n_bytes)

    def send(self, values: AnyArray, out: Any) -> Any:
        """Begin to copy from pinned memory, beside kernels; returns the event of its end."""
        out.data.copy_from_host_async(values.ctypes.data, values.nbytes, self._copies)
        return self._copies.record()

    def receive(self, values: Any, out: AnyArray) -> Any:
        """Begin to copy an array to pinned memory, beside later kernels; returns its end."""
        self._copies.wait_event(self.done())
        values.data.copy_to_host_async(out.ctypes.data, values.nbytes, self._copies)
        return self._copies.record()

    def follow(self, event: Any) -> None:
        """Let all later kernels wait for an event."""
        self.xp.cuda.get_current_stream().wait_event(event)

    def done(self) -> Any:
        """Return the event of the end of all kernels so far."""
        return self.xp.cuda.get_current_stream().record()

    def hold(self, event: Any) -> None:
        """Let all later copies from the host wait for an event."""
        self._copies.wait_event(event)

    def wait(self, event: Any) -> None:
        """Wait for an event."""
        event.synchronize()

    def synchronize(self) -> None:
        """Wait for all kernels so far."""
        self.xp.cuda.get_current_stream().synchronize()

    def launch(self, source: str, name: str, n: int, *arguments: Any, **constants: Any) -> None:
        """Run a kernel of a source file on n rows; `constants` are known when it is compiled."""
        if n:
            function = _function(source, name, tuple(sorted(constants.items())))
            function((-(-n // THREADS),), (THREADS,), (np.int64(n), *arguments))


@cache
def _function(source: str, name: str, constants: tuple[tuple[str, Any], ...]) -> Any:
    import cupy

    options = ("-std=c++17", "--fmad=false", *options_of(dict(constants)))
    return cupy.RawKernel(source_of(source), name, options)


@cache
def source_of(name: str) -> str:
    """Text of a source file, with what all kernels share before it."""
    folder = Path(__file__).parent
    texts = [(folder / file).read_text() for file in ("common.cuh", f"{name}.cu")]
    return "\n".join(texts)


def options_of(constants: dict[str, Any]) -> list[str]:
    """Definitions for the compiler: some constants, and those of the CPU's kernels to the bit."""
    names = ("C1", "C2", "C3", "C4", "C5", "C6", "LOG2_E", "FLOOR", "UNIT")
    floats = {name: float(getattr(gram, name)).hex() + "f" for name in names}
    floats["SLACK"] = float(np.float32(SLACK)).hex() + "f"
    return [f"-D{name}={value}" for name, value in {**floats, **constants}.items()]


def type_name(dtype: Any) -> str | None:
    """Name of a type in the kernels; None if they cannot read it."""
    dtype = np.dtype(dtype)
    return TYPE_NAMES.get(dtype.str[1:]) if dtype.isnative else None
