"""Files that appear under their name only when they are complete, and say so when they are not."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from glob import escape
from pathlib import Path
from typing import Any, BinaryIO


@contextmanager
def open_atomically(path: Path) -> Iterator[BinaryIO]:
    """Open a new file beside `path` for writing, and move it to `path` when all went well.

    Parameters
    ----------
    path : Path
        Where the file shall be; an older file there stays as it is until the new one is complete.

    Yields
    ------
    file : binary file
        The file to write to. After an error nothing is left of it.
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


def read_json(path: Path) -> Any:
    """Return the content of a JSON file; what is not JSON is a ValueError that names the file."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path} is not JSON that can be read: {error}") from error


def _remove_leftovers(path: Path) -> None:
    """Remove unfinished files for the same path whose process was killed."""
    for leftover in path.parent.glob(f".{escape(path.name)}.*.tmp"):
        owner = leftover.name.split(".")[-2]
        if owner.isdigit() and not _is_running(int(owner)):
            leftover.unlink(missing_ok=True)


def _is_running(process: int) -> bool:
    if os.name == "nt":  # where asking would end it
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it is somebody else's
        return True
    return True


@contextmanager
def naming(name: str) -> Iterator[None]:
    """Say which file an error is about, where the system does not, such as on a full disk."""
    try:
        yield
    except OSError as error:
        if error.errno is None or error.filename is not None:
            raise
        raise OSError(error.errno, error.strerror, name) from error
