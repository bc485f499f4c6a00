"""How much memory a fit may use beside its input and its result."""

from __future__ import annotations

import re

UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
UNITS |= {"KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}


def parse_bytes(size: int | float | str) -> int:
    """Bytes from a number or a string such as "512MiB"."""
    if isinstance(size, str):
        match = re.fullmatch(r"\s*([0-9.]+)\s*([A-Za-z]*)\s*", size)
        unit = UNITS.get(match[2].upper()) if match else None
        try:
            value = float(match[1]) * unit if match and unit else -1.0
        except ValueError:
            value = -1.0
    else:
        number = isinstance(size, (int, float)) and not isinstance(size, bool)
        value = float(size) if number else -1.0
    if not 0 < value < float("inf"):
        raise ValueError(
            f"memory_limit must be a positive number of bytes or a string such as '512MiB' "
            f"or '2GiB'; got {size!r}."
        )
    return int(value)
