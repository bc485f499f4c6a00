"""The command line, `lsec`: a thin skin over the library.

::

    start  ─►  main  ─►  demo, datasets, fit, predict, explore, info, consensus  ─►  common
                                                                  consensus      ─►  label_tables

One file per command; `common` holds shared options and turns mistakes into one line, `rows` holds
the arguments for rows, `settings` those for estimators, `streams` standard input and output. These
files import click, the standard library and plain names only; all else is imported when a
command runs, so that `lsec --help` answers at once.

`start` decides how the process ends: with the exit codes of shells for signals (128 plus the
number of the signal), 2 for mistakes, and never with a traceback for either.
"""

from __future__ import annotations

import os
import signal
import sys
import warnings
from contextlib import suppress
from importlib.util import find_spec
from types import FrameType
from typing import NoReturn

CLOSED_PIPE = 141  # 128 plus the number of SIGPIPE, which Windows lacks


class Terminated(KeyboardInterrupt):
    """The process was asked to end by SIGTERM, as job schedulers do."""


def start() -> NoReturn:
    """Run the `lsec` command; without its libraries, say how to install them."""
    signal.signal(signal.SIGTERM, _terminate)
    warnings.showwarning = _show_warning
    try:
        code = _run()
        sys.stdout.flush()
    except KeyboardInterrupt as error:
        word, code = stopped_by(error)
        with suppress(OSError):
            print(word, file=sys.stderr)
    except BrokenPipeError:
        _discard_output()
        code = CLOSED_PIPE
    sys.exit(code)


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    """Print a warning without the line of code that raised it."""
    print(f"Warning: {message}", file=sys.stderr)


def stopped_by(error: KeyboardInterrupt) -> tuple[str, int]:
    """Message and exit code of a process that a signal ended, as shells report it."""
    if isinstance(error, Terminated):
        return "Terminated.", 128 + signal.SIGTERM
    return "Interrupted.", 128 + signal.SIGINT


def _terminate(number: int, frame: FrameType | None) -> NoReturn:
    raise Terminated


def _discard_output() -> None:
    """Close the streams that nobody reads, such as in `lsec info m.lsec | head -1`.

    The interpreter would otherwise complain when it flushes them at the end.
    """
    nothing = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(nothing, stream.fileno())


def _run() -> int:
    """Run the command of this process; returns its exit code."""
    missing = [name for name in ("click", "rich") if find_spec(name) is None]
    if missing:
        sys.exit(
            f"Error: the command line needs {' and '.join(missing)}. Install the extra with: "
            "pip install 'lsec[cli]'"
        )
    import click

    from lsec.cli.main import main

    try:  # not `main()`, which ends with 1 after a signal and after a closed pipe
        with main.make_context("lsec", sys.argv[1:]) as context:
            main.invoke(context)
    except click.exceptions.Exit as exit:
        return exit.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    return 0
