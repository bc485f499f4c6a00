"""Memory limit of a run, free memory, and neighbors kept in memory between sweeps."""

from __future__ import annotations

import ctypes
import os
import re
import sys
from collections.abc import Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lsec.address_space import room
from lsec.checks import memory_size

SHARE_OF_FREE = 16
SHARE_OF_DEVICE = 0.8  # of the free memory of a GPU
LEAST_DEFAULT = 2**28
ASSUMED_FREE = 2**32  # on systems that do not tell, such as Windows
ELSEWHERE = 112 * 2**20  # distinct labels, compiled kernels
BESIDE_BLOCK = 2**24  # neighbors and labels of the block that a thread works on
LEAST_TABLES = 2**25
LEAST_BLOCKS = 2**26


def memory_budget(limit: int | float | str | None) -> int:
    """Bytes of a `memory_limit` parameter; None is a share of the free memory."""
    if limit is None:
        return max(free_memory() // SHARE_OF_FREE, LEAST_DEFAULT)
    return memory_size(limit)


def device_budget(limit: int | float | str | None, free: int) -> int:
    """Bytes of a GPU that a run may take: `memory_limit`, or most of what is free."""
    return int(SHARE_OF_DEVICE * free) if limit is None else min(memory_size(limit), free)


def shares(limit: int, n_threads: int, block: int, result: int) -> tuple[int, int]:
    """Number of threads, and bytes for tables, that keep the whole process within a limit.

    It holds what is in use already and the result, a block for each of at most `n_threads`
    threads, and tables; if it is too low, as few threads and as small tables as possible.
    """
    spare = limit - resident_memory() - ELSEWHERE - result
    per_thread = block + BESIDE_BLOCK
    n_threads = max(1, min(n_threads, max(spare - LEAST_TABLES, LEAST_BLOCKS) // per_thread))
    return n_threads, max(spare - n_threads * per_thread, min(limit, LEAST_TABLES))


@dataclass(frozen=True)
class MemoryPlan:
    """How many large things fit into the memory of a run.

    Half the budget is for neighbors that are kept between sweeps, half for sums.
    """

    limit: int  # bytes of the run
    budget: int  # bytes for neighbors and sums
    n_copies: int = 1  # of a sum, held at a time: one per thread, or per group of workers
    keeps_neighbors: bool = True  # on a cluster, they would be lost with a worker
    whole_process: bool = False  # has the limit: freed memory is returned to the system
    on_device: int = 0  # bytes of the memory of a GPU

    def kept_at_once(self, n_bytes: int) -> int:
        """Number of neighbor lists of this size that can be kept."""
        return (self.budget // 2) // n_bytes if self.keeps_neighbors else 0

    def sums_at_once(self, n_bytes: int) -> int:
        """Number of sums of this size that can be held, at least one."""
        return max(1, (self.budget // 2) // n_bytes)

    def release(self) -> None:
        """Return freed memory to the system, if the limit is that of the process."""
        if self.whole_process:
            return_freed_memory()


class NeighborCache:
    """Neighbors of blocks, kept from one sweep for the next.

    Pickled, it is empty: on another machine, neighbors are found again.
    """

    def __init__(self) -> None:
        self._kept: dict[tuple[Hashable, int], Any] = {}

    def get(self, search: Hashable, block: int) -> Any:
        """Neighbors that a search found in a block; None if they were not kept."""
        return self._kept.get((search, block))

    def keep(self, search: Hashable, block: int, neighbors: Any) -> None:
        """Keep the neighbors that a search found in a block."""
        self._kept[search, block] = neighbors

    def clear(self) -> None:
        """Make room for the neighbors of other searches."""
        self._kept.clear()

    def __reduce__(self) -> tuple[type[NeighborCache], tuple[()]]:
        return NeighborCache, ()


def return_freed_memory() -> None:
    """Give memory that threads have freed back to the system; glibc would keep it for them."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)


def free_memory() -> int:
    """Bytes that this process could still use: of its own cap, the container, or the machine."""
    own, machine = room(), _free_on_machine()
    return machine if own is None else min(own, machine)


def _free_on_machine() -> int:
    available = re.search(r"^MemAvailable: *(\d+) kB$", _text("/proc/meminfo"), re.M)
    if available:
        machine = 1024 * int(available[1])
    elif hasattr(os, "sysconf"):
        machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    else:
        return ASSUMED_FREE
    most, used = (_text(f"/sys/fs/cgroup/memory.{name}").strip() for name in ("max", "current"))
    within = most.isdigit() and used.isdigit()  # "max" is no limit
    return min(machine, max(int(most) - int(used), 0)) if within else machine


def resident_memory() -> int:
    """Bytes that this process holds; 0 where that cannot be told."""
    pages = _text("/proc/self/statm").split()
    return int(pages[1]) * os.sysconf("SC_PAGE_SIZE") if pages else 0


def _text(path: str) -> str:
    """Text of a file of the system; empty where there is none."""
    try:
        return Path(path).read_text()
    except OSError:
        return ""
