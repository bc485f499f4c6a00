"""Mistakes of the user: one line on standard error, exit code 2, no traceback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click


class UserError(click.ClickException):
    """Something the user can put right."""

    exit_code = 2


@contextmanager
def one_line_errors() -> Iterator[None]:
    """Turn the errors that bad input and bad files raise into a `UserError`."""
    try:
        yield
    except (ValueError, OSError, ImportError) as error:
        raise UserError(describe(error)) from error


def describe(error: Exception) -> str:
    r"""Put what an error says on one line.

    >>> describe(ValueError("no rows.\nPass some."))
    'no rows. Pass some.'
    >>> describe(FileNotFoundError(2, "No such file or directory", "rows.npy"))
    'rows.npy: No such file or directory'
    """
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return " ".join(str(error).split())
