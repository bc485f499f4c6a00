"""Memory that libraries take for the threads of a run, taken before the work begins.

OpenBLAS maps a buffer whenever more threads multiply at a time than ever before, and ends the
process, or tries for ever, if it gets none. Under a cap of memory, its buffers are therefore mapped
first, after it was made sure that the cap has room for them.
"""

from __future__ import annotations

import ctypes
from typing import Any

from threadpoolctl import ThreadpoolController

from lsec.address_space import MIB, cap, has_room, require_room

BUFFER = 32 * MIB  # of OpenBLAS, on x86-64 and arm64
STACK_AND_HEAP = 72 * MIB  # of a thread, with glibc
COMPILED = 192 * MIB  # kernels, and LLVM while it compiles them
MOST_BUFFERS = 64  # threads for which the OpenBLAS of NumPy and SciPy is built


class ThreadMemory:
    """Memory for the threads of all runs of this process; its caller holds a lock."""

    def __init__(self) -> None:
        self._n_mapped = 0  # threads with buffers, which OpenBLAS keeps

    def reserve(self, n_threads: int, n_others: int) -> None:
        """Map buffers for a run beside others, or raise a `MemoryError` with the numbers."""
        if cap() is None:
            return
        openblas = _openblas()
        needed = self._needed(n_threads, n_others, len(openblas))
        fewer = ", or pass a smaller n_jobs" if n_threads > 1 else ""
        require_room(needed, f"The libraries and buffers of {n_threads} threads", fewer)
        n_buffers = min(n_threads + n_others, MOST_BUFFERS)
        if n_buffers > self._n_mapped:
            for library in openblas:
                _map_buffers(library, n_buffers)
            self._n_mapped = n_buffers

    def affordable(self, n_threads: int, n_others: int) -> int:
        """Threads, of at most so many and at least one, that the cap of memory has room for."""
        if cap() is None:
            return n_threads
        n_libraries, low, high = len(_openblas()), 1, n_threads
        while low < high:
            middle = (low + high + 1) // 2
            fits = has_room(self._needed(middle, n_others, n_libraries))
            low, high = (middle, high) if fits else (low, middle - 1)
        return low

    def _needed(self, n_threads: int, n_others: int, n_libraries: int) -> int:
        """Bytes that a run takes, beside the buffers that are mapped."""
        n_new = max(0, min(n_threads + n_others, MOST_BUFFERS) - self._n_mapped)
        return COMPILED + (n_threads - 1) * STACK_AND_HEAP + n_new * n_libraries * BUFFER


def _openblas() -> list[Any]:
    """The OpenBLAS libraries of this process whose buffers can be mapped."""
    controllers = ThreadpoolController().select(internal_api="openblas").lib_controllers
    libraries = [controller.dynlib for controller in controllers]
    return [one for one in libraries if hasattr(one, "blas_memory_alloc")]


def _map_buffers(library: Any, n_buffers: int) -> None:
    """Let OpenBLAS map so many buffers, which it lends to the threads that multiply later."""
    take, give_back = library.blas_memory_alloc, library.blas_memory_free
    take.restype, take.argtypes = ctypes.c_void_p, (ctypes.c_int,)
    give_back.restype, give_back.argtypes = None, (ctypes.c_void_p,)
    buffers = [take(1) for _ in range(n_buffers)]
    for buffer in buffers:
        give_back(buffer)
