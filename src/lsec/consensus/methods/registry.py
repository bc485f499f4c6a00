"""The consensus functions by name."""

from __future__ import annotations

from dataclasses import fields
from importlib import import_module
from typing import Any

from lsec.consensus.methods.method import ConsensusMethod

HOMES = {
    "linkage": "Linkage",
    "bipartite": "Bipartite",
    "eac": "EAC",
    "lwea": "LWEA",
    "lwgp": "LWGP",
    "kcc": "KCC",
    "sec": "SEC",
    "pta": "PTA",
    "ptgp": "PTGP",
}


def make_method(name: str, options: dict[str, Any]) -> ConsensusMethod:
    """The consensus function of a name, with options."""
    if not isinstance(name, str) or name not in HOMES:
        listed = ", ".join(map(repr, HOMES))
        raise ValueError(f"consensus must be one of the functions {listed}; got {name!r}.")
    kind = getattr(import_module(f"lsec.consensus.methods.{name}"), HOMES[name])
    allowed = [field.name for field in fields(kind)]
    unknown = [option for option in options if option not in allowed]
    if unknown:
        listed = f"has the options {', '.join(allowed)}" if allowed else "has no options"
        raise ValueError(f"The consensus function {name!r} {listed}; got {unknown[0]!r}.")
    return kind(**options)
