"""The methods: their order on the pages, and which printed column each is compared with."""

from __future__ import annotations

from collections.abc import Iterable

# LSEC+ is LSEC with the library's own consensus, LSEC++ the same with twice the landmarks; both
# are compared with the printed LSEC. ECC is KCC with the utility of entropies, which only the
# U-SENC paper prints.
METHODS = (
    "LSEC",
    "LSEC+",
    "LSEC++",
    "U-SENC",
    "LWGP",
    "LWEA",
    "SEC",
    "PTGP",
    "KCC",
    "ECC",
    "EAC",
    "DnC-SC",
)
OURS = ("LSEC", "LSEC+", "LSEC++")
# The seven methods of the printed summary rows: those that join an ensemble.
RANKED = ("EAC", "KCC", "PTGP", "SEC", "LWGP", "U-SENC", "LSEC")
PRINTED = ("DnC-SC", *RANKED)


def printed_name(method: str) -> str:
    """Return the method of the paper that a method is compared with."""
    return "LSEC" if method in OURS else method


def in_order(names: Iterable[str], order: Iterable[str]) -> list[str]:
    """Return distinct names, the known ones first and in their order.

    >>> in_order({"b", "x", "a"}, ("a", "b", "c"))
    ['a', 'b', 'x']
    """
    found = set(names)
    known = [name for name in order if name in found]
    return known + sorted(found - set(known))
