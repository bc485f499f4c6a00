"""Run a portion of cases in processes that cannot endanger the machine."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from benchmarks.attack.case import DIED, HUNG, REFUSED, WORKED
from benchmarks.harness.machine import ROOT

SECONDS_TO_PREPARE = 300.0
MOST_TOLD = 20  # broken cases of a portion that are described


@dataclass(frozen=True)
class Limits:
    """What a process may take."""

    seconds: float  # for a case
    memory_bytes: int  # of its address space


@dataclass
class Tally:
    """How many cases ended in each way, and what was wrong with those that broke."""

    endings: dict[str, int] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)

    def add(self, case: int, ending: str, what: str) -> None:
        """Count a case."""
        self.endings[ending] = self.endings.get(ending, 0) + 1
        if ending not in (WORKED, REFUSED) and len(self.broken) < MOST_TOLD:
            self.broken.append(f"case {case} {ending}: {what}")


def run_cases(area: str, seed: int, cases: range, limits: Limits, folder: Path) -> Tally:
    """Run cases of an area, a module, in a new process after each that ended the one before."""
    tally, following = Tally(), cases.start
    while following < cases.stop:
        asked = area, str(seed), str(following), str(cases.stop), str(folder)
        before = following
        for case, ending, what in _endings(asked, limits):
            tally.add(case, ending, what)
            following = case + 1
        if following == before:
            raise RuntimeError(f"The area {area} cannot be prepared: see the messages above.")
    return tally


def _endings(asked: tuple[str, ...], limits: Limits) -> Iterator[tuple[int, str, str]]:
    """Every case that a process ran and how it ended; the last one may have ended the process."""
    command = [sys.executable, "-m", "benchmarks.attack.worker", *asked, str(limits.memory_bytes)]
    with tempfile.TemporaryFile() as messages:
        process = subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=messages, start_new_session=True
        )
        running = None
        try:
            for line in _lines(process, limits.seconds):
                kind, *rest = line
                running = rest[0] if kind == "begin" else None
                if kind == "end":
                    yield rest[0], rest[1], rest[2]
            code = process.wait(10)
            if running is not None:
                yield running, DIED, f"{_name(code)}; {_tail(messages)}"
            elif code:
                print(_tail(messages, 2000), file=sys.stderr)
        except TimeoutError:
            if running is not None:
                yield running, HUNG, f"more than {limits.seconds:g} s"
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _lines(process: subprocess.Popen[bytes], seconds: float) -> Iterator[list[Any]]:
    """Lines of JSON of a process; a case that takes too long is a `TimeoutError`."""
    assert process.stdout is not None
    text, deadline = b"", time.monotonic() + SECONDS_TO_PREPARE
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while True:
            if not selector.select(max(0.0, deadline - time.monotonic())):
                raise TimeoutError
            part = os.read(process.stdout.fileno(), 65_536)
            if not part:
                return
            text += part
            *whole, text = text.split(b"\n")
            if whole:
                deadline = time.monotonic() + seconds
            yield from map(json.loads, whole)


def _name(code: int) -> str:
    return signal.Signals(-code).name if code < 0 else f"exit code {code}"


def _tail(messages: IO[bytes], most: int = 300) -> str:
    messages.seek(0)
    return messages.read().decode(errors="replace").strip()[-most:]
