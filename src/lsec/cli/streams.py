"""Standard input and output in the place of files, named ``-``."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import click

STANDARD = "-"
ENDINGS = {b"\x93NUM": ".npy", b"PAR1": ".parquet", b"\x89HDF": ".h5"}  # by the first bytes


def is_standard(path: Path) -> bool:
    """Whether a path stands for a standard stream."""
    return str(path) == STANDARD


def save_input() -> str:
    """Copy standard input to a file until the command ends; returns its name."""
    folder = click.get_current_context().with_resource(TemporaryDirectory(prefix="lsec-stdin-"))
    stream = sys.stdin.buffer
    start = stream.read(4)
    path = Path(folder) / f"stdin{ENDINGS.get(start, '.csv')}"
    with open(path, "wb") as file:
        file.write(start)
        shutil.copyfileobj(stream, file)
    return str(path)


@contextmanager
def open_output(path: Path) -> Iterator[Path]:
    """Yield the name of the file to write; of standard output, a .csv file that is copied to it."""
    if not is_standard(path):
        yield path
        return
    with TemporaryDirectory(prefix="lsec-stdout-") as folder:
        written = Path(folder) / "labels.csv"
        yield written
        with open(written, "rb") as file:
            shutil.copyfileobj(file, sys.stdout.buffer)
            sys.stdout.buffer.flush()
