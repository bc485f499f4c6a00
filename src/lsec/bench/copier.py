"""The process behind a nursery: loads everything, then copies itself for every request.

Reads the path of a request from every line of standard input. For each, it says two numbers:
that of the copy, and how the copy ended.
"""

from __future__ import annotations

import gc
import os
import select
import sys
import traceback
from contextlib import suppress

from lsec.bench.child import answer, named

PATIENCE = 0.02  # seconds between two looks at a copy


def serve(prepare: str) -> None:
    """Copy this process for every request, until standard input ends."""
    say = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what libraries print is no answer
    named(prepare)()
    gc.collect()
    gc.freeze()  # a copy that looked through all that is loaded for garbage would pay for it
    for line in iter(sys.stdin.readline, ""):
        lives, held = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(held)
            live_as_copy(line.rstrip("\n"), lives)
        with suppress(OSError):  # whoever comes first makes the group
            os.setpgid(pid, pid)
        os.close(lives)
        say.write(f"{pid}\n")
        code = outlive(pid)
        if code is None:
            return  # the pipe to the copy closes, and the copy ends
        os.close(held)
        say.write(f"{code}\n")


def outlive(pid: int) -> int | None:
    """How a copy ended; None where whoever asked for it is gone before."""
    while True:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        if select.select([sys.stdin], [], [], PATIENCE)[0]:  # nothing is asked meanwhile: the end
            return None


def live_as_copy(request_file: str, pipe: int) -> None:
    """The whole life of a copy; does not return."""
    code = 1
    try:
        os.setpgid(0, 0)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        answer(request_file, pipe)
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    serve(sys.argv[1])
