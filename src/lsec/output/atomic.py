"""Files that appear under their name only when they are complete."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from glob import escape
from pathlib import Path
from typing import BinaryIO

from lsec.sources.stored import naming


@contextmanager
def open_atomically(path: Path) -> Iterator[BinaryIO]:
    """Open a temporary file for writing; it becomes `path` when the block ends.

    An older file of that name is replaced only by a complete one. After an error, the temporary
    file is removed.
    """
    _remove_leftovers(path)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with naming(str(path)):
            with open(unfinished, "wb") as file:
                yield file
            os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def _remove_leftovers(path: Path) -> None:
    """Remove unfinished files for the same path of processes that were killed."""
    for leftover in path.parent.glob(f".{escape(path.name)}.*.tmp"):
        owner = leftover.name.split(".")[-2]
        if owner.isdigit() and not _is_running(int(owner)):
            leftover.unlink(missing_ok=True)


def _is_running(process: int) -> bool:
    if os.name == "nt":  # os.kill would end the process
        return True
    try:
        os.kill(process, 0)
    except OSError as error:  # a process of another user runs, too
        return not isinstance(error, ProcessLookupError)
    return True
