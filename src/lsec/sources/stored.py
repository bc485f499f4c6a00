"""Files as they were when they were opened: what changed since then is an error."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import Any

GZIP = b"\x1f\x8b"


@dataclass(frozen=True)
class StoredFile:
    """A file, and what tells whether it is still the same.

    Attributes
    ----------
    name : str
        The file as the user named it, for messages.
    path : str
        Absolute: whoever reads it may run in another folder.
    size, mtime_ns : int
        Bytes, and when it was last written.
    """

    name: str
    path: str
    size: int
    mtime_ns: int

    @classmethod
    def of(cls, path: Path) -> StoredFile:
        """The file as it is now; refuses what is no plain file, such as a pipe."""
        found = os.stat(path)
        if not stat.S_ISREG(found.st_mode):  # to open a pipe would wait for ever
            raise ValueError(f"{path} is not a file. Name a file that holds the rows.")
        with open(path, "rb") as file:
            if file.read(2) == GZIP:
                raise ValueError(f"{path} is compressed with gzip. Unpack it first.")
        return cls(str(path), os.path.abspath(path), found.st_size, found.st_mtime_ns)

    def open(self) -> FileIO:
        """The file for reading, if it is still the same."""
        file = open(self.path, "rb", buffering=0)  # noqa: SIM115, the caller closes it
        try:
            self._compare(os.fstat(file.fileno()))
        except OSError:
            file.close()
            raise
        return file

    def check(self) -> None:
        """Raise an OSError if the file is no longer the same."""
        self._compare(os.stat(self.path))

    def _compare(self, now: os.stat_result) -> None:
        if now.st_size != self.size:
            change = f"it had {self.size} bytes and has {now.st_size} now"
        elif now.st_mtime_ns != self.mtime_ns:
            change = "it was written to"
        else:
            return
        raise OSError(
            f"{self.name} changed while its rows were used: {change}. Start again when the file "
            "is complete."
        )

    def fingerprint(self) -> dict[str, Any]:
        """What the file is known by, as JSON values."""
        return {"path": self.path, "size": self.size, "mtime_ns": self.mtime_ns}


def one_line(error: BaseException) -> str:
    """What an error of a library says, on one line and without bytes that are no text."""
    text = "".join(sign if sign.isprintable() else " " for sign in str(error))
    return " ".join(text.split()).rstrip(".")
