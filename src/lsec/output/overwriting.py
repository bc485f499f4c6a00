"""Outputs that would replace an input of the same work: refused before it begins."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from pathlib import Path


def refuse_overwriting(output: Path, inputs: Iterable[str | PathLike[str]]) -> None:
    """Refuse an output that is one of the inputs, by any link, or lies in a folder of them."""
    for name in map(Path, inputs):
        if _is_same_or_inside(output, name):
            place = "is the same file as" if name.is_file() else "lies in"
            raise ValueError(
                f"{output} {place} {name}, which this work uses and must not overwrite. Choose "
                "another name for the output."
            )


def _is_same_or_inside(output: Path, name: Path) -> bool:
    """Whether both lead to one file, or the output into the folder of that name."""
    target, place = output.resolve(), name.resolve()
    if target == place or (not name.is_file() and target.is_relative_to(place)):
        return True
    try:
        return output.samefile(name)  # hard links, and names that differ in case only
    except OSError:  # one of them does not exist
        return False
