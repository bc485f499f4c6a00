"""A process that has loaded everything, and gives every task a copy of itself.

Loading and compiling take longer than most tasks. A copy costs milliseconds and is a process
of its own: its time is the task's alone, and its memory that of a fresh process which has
loaded the same. Tasks that need other libraries had better be given a fresh one.
"""

from __future__ import annotations

import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from lsec.bench.process import end_group


@dataclass(frozen=True)
class Copy:
    """A running copy.

    Attributes
    ----------
    pid : int
        Also the number of the group of all processes that it starts.
    nursery : Popen
        The process that says how it ended.
    """

    pid: int
    nursery: subprocess.Popen

    def wait(self, limit_seconds: float | None) -> int:
        """How the copy ended, as `subprocess.Popen.wait` tells it."""
        assert self.nursery.stdout is not None
        ready, _, _ = select.select([self.nursery.stdout], [], [], limit_seconds)
        if not ready:
            raise subprocess.TimeoutExpired(str(self.pid), limit_seconds or 0)
        code = _answer(self.nursery)
        return -signal.SIGKILL if code is None else code  # a nursery takes its copy along


class Nursery:
    """Gives tasks copies of one process; starts it with the first one.

    Parameters
    ----------
    prepare : str
        A function, as module:name, that loads what the tasks need.
    """

    def __init__(self, prepare: str):
        self._prepare = prepare
        self._process: subprocess.Popen | None = None

    def __enter__(self) -> Nursery:
        return self

    def __exit__(self, *error: object) -> None:
        if self._process is not None:
            self._process.communicate()  # it ends when it can hear no one
            self._process = None

    @contextmanager
    def started(self, request: Path) -> Iterator[Copy]:
        """A running copy, which is ended with all it started when the block is left."""
        if self._process is None or self._process.poll() is not None:  # a dead one is replaced
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "lsec.bench.copier", self._prepare],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
            )
        process = self._process
        assert process.stdin is not None
        try:
            with suppress(BrokenPipeError):
                process.stdin.write(f"{request}\n".encode())
            pid = _answer(process)
        except BaseException:  # stopped while it loads: it has no copy yet to be asked for
            end_group(process.pid)
            process.wait()
            raise
        if pid is None:
            raise RuntimeError(f"{self._prepare} failed; its messages say why.")
        try:
            yield Copy(pid, process)
        except BaseException:
            end_group(pid)
            _answer(process)  # how it ended: nobody asks
            raise
        end_group(pid)


def _answer(nursery: subprocess.Popen) -> int | None:
    """The next number that a nursery says; None where it died."""
    assert nursery.stdout is not None
    line = nursery.stdout.readline()
    if not line:
        nursery.wait()
        return None
    return int(line)
