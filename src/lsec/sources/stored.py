"""Files as they were when opened, and errors that name them."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from io import FileIO
from pathlib import Path
from typing import Any

import numpy as np

MOST_ROWS = 2**40
MOST_SAID = 100  # characters of a text of others in a message
GZIP_MAGIC = b"\x1f\x8b"


@dataclass(frozen=True)
class StoredFile:
    """A file, and the size and time that tell whether it has changed since it was opened."""

    name: str  # as the user named it, for messages
    path: str  # absolute: the file may be read from another working directory
    size: int  # in bytes
    mtime_ns: int  # of the last modification

    @classmethod
    def of(cls, path: Path, *, packed: bool = False) -> StoredFile:
        """Describe the present state of a file; refuse pipes, devices and, by default, gzip."""
        found = os.stat(path)
        if not stat.S_ISREG(found.st_mode):  # opening a pipe would block forever
            raise ValueError(f"{path} is not a file. Name a file that holds the rows.")
        with open(path, "rb") as file:
            if not packed and file.read(2) == GZIP_MAGIC:
                raise ValueError(f"{path} is compressed with gzip. Unpack it first.")
        return cls(str(path), os.path.abspath(path), found.st_size, found.st_mtime_ns)

    def open(self) -> FileIO:
        """Open the file for reading; raise an OSError if it has changed."""
        self.check()
        return open(self.path, "rb", buffering=0)

    def check(self) -> None:
        """Raise an OSError if the file has changed."""
        now = os.stat(self.path)
        if (now.st_size, now.st_mtime_ns) == (self.size, self.mtime_ns):
            return
        change = "it was written to"
        if now.st_size != self.size:
            change = f"it had {self.size} bytes and has {now.st_size} now"
        raise OSError(
            f"{self.name} changed while its rows were used: {change}. Start again when the file "
            "is complete."
        )

    def fingerprint(self) -> dict[str, Any]:
        """Identity of the file's content, as JSON values."""
        return {"path": self.path, "size": self.size, "mtime_ns": self.mtime_ns}


def import_for(task: str, module: str, extra: str = "io") -> Any:
    """Import a library of an extra; a missing one is an error that names the extra."""
    try:
        return import_module(module)
    except ImportError as error:
        raise ImportError(
            f"{task} needs {module.partition('.')[0]}. Install it with: pip install 'lsec[{extra}]'"
        ) from error


def read_into(array: Any, file: FileIO, start: int, problem: str) -> None:
    """Fill an array with the bytes of a file from `start` on; too few are an OSError."""
    missing = array.view(np.uint8).data
    file.seek(start)
    while missing:
        n_read = file.readinto(missing)
        if not n_read:
            raise OSError(problem)
        missing = missing[n_read:]


def require_table(array: Any, name: str) -> None:
    """Refuse an array that is not a table (n, d) of real numbers."""
    if array.ndim != 2 or array.dtype.kind not in "biuf":
        raise ValueError(
            f"{name} must hold a 2-D array of real numbers; got {array.dtype} of shape "
            f"{array.shape}."
        )
    if array.shape[0] > MOST_ROWS:
        raise ValueError(f"{name} announces {array.shape[0]} rows, more than any file holds.")


def one_line(error: BaseException) -> str:
    """Message of a library's error on one line, without unprintable characters."""
    text = "".join(sign if sign.isprintable() else " " for sign in str(error))
    return " ".join(text.split()).rstrip(".")


@contextmanager
def refusing(problem: str, *errors: type[Exception]) -> Iterator[None]:
    """Turn errors of a library into a ValueError that says what is wrong with a file."""
    try:
        yield
    except errors as error:
        raise ValueError(f"{problem}: {shortened(one_line(error))}.") from error


def shortened(text: str, most: int = MOST_SAID) -> str:
    """A text that others wrote, or that stands in a file, for a message.

    >>> shortened("a" * 20, most=8)
    'aaaaaaaa ...'
    """
    return text if len(text) <= most else f"{text[:most]} ..."


@contextmanager
def naming(name: str) -> Iterator[None]:
    """Add a file name to system errors that lack one, such as that of a full disk."""
    try:
        yield
    except OSError as error:
        if error.errno is None or error.filename is not None:
            raise
        raise OSError(error.errno, error.strerror, name) from error
