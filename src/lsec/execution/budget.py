"""How much memory a fit may use, and how much there is."""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

from lsec.checks import memory_size

SHARE_OF_FREE = 16
LEAST_DEFAULT = 2**28
ELSEWHERE = 112 * 2**20  # distinct labels, compiled kernels
BESIDE_BLOCK = 2**24  # neighbors and labels of the block that a thread works on
LEAST_TABLES = 2**25
LEAST_BLOCKS = 2**26


def memory_budget(limit: int | float | str | None) -> int:
    """Bytes of a `memory_limit` parameter; None is a share of what is free."""
    if limit is None:
        return max(free_memory() // SHARE_OF_FREE, LEAST_DEFAULT)
    return memory_size(limit)


def shares(limit: int, n_threads: int, block: int, result: int) -> tuple[int, int]:
    """Threads, and bytes for tables, so that the whole process stays within a limit.

    What it holds now and what the result will take comes off the limit; of the rest every
    thread needs room for a block, and tables get what is left. Where the limit is too low
    for that, threads are few and tables as small as they can be.

    Parameters
    ----------
    n_threads : int
        Most threads to use.
    block : int
        Bytes of a block of rows.
    result : int
        Bytes that the fit will hold in the end and does not hold yet.
    """
    spare = limit - resident_memory() - ELSEWHERE - result
    per_thread = block + BESIDE_BLOCK
    n_threads = max(1, min(n_threads, max(spare - LEAST_TABLES, LEAST_BLOCKS) // per_thread))
    return n_threads, max(spare - n_threads * per_thread, min(limit, LEAST_TABLES))


def return_freed_memory() -> None:
    """Give memory that threads have freed back to the system; glibc would keep it for them."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)


def free_memory() -> int:
    """Bytes that this process could still use: of the machine, or of its container."""
    machine = _meminfo("MemAvailable")
    if machine is None:
        machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    most = _number_in(Path("/sys/fs/cgroup/memory.max"))
    used = _number_in(Path("/sys/fs/cgroup/memory.current"))
    return machine if most is None or used is None else min(machine, max(most - used, 0))


def resident_memory() -> int:
    """Bytes that this process holds; 0 where that cannot be told."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def _meminfo(name: str) -> int | None:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return None
    found = [int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{name}:")]
    return found[0] if found else None


def _number_in(path: Path) -> int | None:
    try:
        text = path.read_text().strip()
    except OSError:
        return None
    return int(text) if text.isdigit() else None
