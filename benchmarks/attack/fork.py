"""A piece of work in a copy of this process, which may be stopped, starved or refused."""

from __future__ import annotations

import os
import signal
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DONE, REFUSED, FAILED, INTERRUPTED = 0, 3, 4, 130
ERRORS = (OSError, ValueError, MemoryError)


@dataclass(frozen=True)
class Ending:
    """How a copy ended: its exit code, or the negative number of the signal; and its message."""

    code: int
    message: str


def run_forked(
    work: Callable[[], Any],
    messages: Path,
    disturb: Callable[[int], Any] = lambda process: None,
    before: Callable[[], Any] = lambda: None,
    longest: float = 60.0,
) -> Ending:
    """Run work in a copy of this process.

    `before` prepares the copy, for example by limits; `disturb` is given its number as soon as it
    runs. The copy is killed if it takes longer than `longest` seconds.
    """
    process = os.fork()
    if not process:
        _run(work, messages, before)
    disturb(process)
    deadline = time.monotonic() + longest
    while True:
        ended, status = os.waitpid(process, os.WNOHANG)
        if ended:
            break
        if time.monotonic() > deadline:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
            return Ending(FAILED, "it hung")
        time.sleep(0.002)
    message = messages.read_text() if messages.exists() else ""
    messages.unlink(missing_ok=True)
    return Ending(os.waitstatus_to_exitcode(status), message)


def _run(work: Callable[[], Any], messages: Path, before: Callable[[], Any]) -> None:
    """Work and end the process; a message is written to a file that is open by then."""
    code = FAILED
    file = open(messages, "w")  # noqa: SIM115, this process ends without closing it
    os.dup2(file.fileno(), 2)  # what libraries say before they end the process
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        before()
        work()
        code = DONE
    except KeyboardInterrupt:
        code = INTERRUPTED
    except ERRORS as error:
        code = REFUSED
        file.write(f"{type(error).__name__}: {error}"[:500])
    except BaseException:
        file.write(traceback.format_exc()[-500:])
    finally:
        with suppress(OSError):
            file.flush()
        os._exit(code)
