"""Address space that libraries take, asked for before they take it.

Under a cap on the memory of a process (``ulimit -v``, RLIMIT_AS), NumPy and numba raise
`MemoryError`. OpenBLAS, LLVM and the loader of libraries end the process instead, or try again for
ever. So it is asked beforehand whether there is room for them. Without a cap nothing is asked.
"""

from __future__ import annotations

import mmap
import sys

try:
    import resource
except ImportError:  # Windows has no such caps
    resource = None  # type: ignore[assignment]

MIB = 2**20
LIBRARIES = 640 * MIB  # SciPy, scikit-learn, numba and LLVM, beside NumPy


def cap() -> tuple[int, int] | None:
    """Bytes that this process may have and those in use, for the cap that leaves it least.

    None if there is no cap; those in use are 0 on systems that do not tell.
    """
    if resource is None:
        return None
    caps = []
    for name, place in (("RLIMIT_AS", 0), ("RLIMIT_DATA", 5)):
        limit = resource.getrlimit(getattr(resource, name))[0]
        if limit != resource.RLIM_INFINITY:
            caps.append((limit, _used(place)))
    return min(caps, key=lambda one: one[0] - one[1], default=None)


def room() -> int | None:
    """Bytes that a cap leaves to this process; None without one."""
    least = cap()
    return None if least is None else max(0, least[0] - least[1])


def has_room(n_bytes: int) -> bool:
    """Whether this process may take so many more bytes."""
    if cap() is None or n_bytes <= 0:
        return True
    try:
        mmap.mmap(-1, n_bytes, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS).close()
    except (OSError, OverflowError):
        return False
    return True


def require_room(n_bytes: int, purpose: str, remedy: str = "") -> None:
    """Raise a `MemoryError` with the numbers if this process may not take so many more bytes."""
    if has_room(n_bytes):
        return
    limit, used = cap() or (0, 0)
    raise MemoryError(
        f"{purpose} take about {n_bytes / MIB:,.0f} MiB of address space; this process may have "
        f"{limit / MIB:,.0f} MiB, of which {used / MIB:,.0f} MiB are in use. Raise the limit "
        f"(ulimit -v, RLIMIT_AS){remedy}."
    )


def require_libraries() -> None:
    """Refuse to import the libraries of lsec where they do not fit."""
    if "numba" not in sys.modules:
        require_room(LIBRARIES, "The libraries that lsec imports")


def _used(place: int) -> int:
    """Bytes of the address space (0), or of the data (5), of this process."""
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[place]) * mmap.PAGESIZE
    except OSError:
        return 0
