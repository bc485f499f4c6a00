"""Files that appear under their name only when they are complete."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
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
    # Threads may write to the same path at once: the last one that ends wins, with a whole file.
    unfinished = path.with_name(f".{path.name}.{threading.get_native_id()}.{os.getpid()}.tmp")
    try:
        with naming(str(path)), _calling_by_name(unfinished, path):
            with open(unfinished, "wb") as file:
                yield file
            os.replace(unfinished, path)
    finally:
        with suppress(OSError):  # the folder may be gone
            unfinished.unlink(missing_ok=True)


@contextmanager
def _calling_by_name(unfinished: Path, path: Path) -> Iterator[None]:
    """Let errors of the temporary file name the file that the user knows."""
    try:
        yield
    except OSError as error:
        if error.filename != str(unfinished):
            raise
        problem = error.strerror
        if not path.parent.is_dir():
            problem = f"The folder {path.parent} is gone. Make it again and repeat the work"
        raise OSError(error.errno, problem, str(path)) from error


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
