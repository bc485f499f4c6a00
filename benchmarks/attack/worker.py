"""The process that runs the cases of an area: ``python -m benchmarks.attack.worker``.

It writes a line of JSON before and after every case, so that its parent knows which case ended it.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.attack.case import FOREIGN, WRONG, Broken

MOST_FILE_BYTES = 2**28
PR_SET_PDEATHSIG = 1


def main(area: str, seed: str, start: str, stop: str, folder: str, memory_bytes: str) -> None:
    """Run the cases from `start` to `stop` - 1 of an area, a module."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)  # ends with its parent
    lines = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # whatever is printed goes beside the lines

    def say(*what: Any) -> None:
        lines.write(json.dumps(what) + "\n")

    place = Path(folder)
    module = import_module(area)
    module.prepare(place)
    _limit(int(memory_bytes))
    say("ready")
    for case in range(int(start), int(stop)):
        say("begin", case)
        say("end", case, *_run(module, case, np.random.default_rng([int(seed), case]), place))


def _limit(memory_bytes: int) -> None:
    """Cap the memory of this process and of its children, and the files that they write."""
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_FILE_BYTES, MOST_FILE_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _run(module: Any, case: int, rng: np.random.Generator, folder: Path) -> tuple[str, str]:
    """How a case ended, and what was wrong."""
    try:
        return module.attack(case, rng, folder), ""
    except Broken as broken:
        return WRONG, str(broken)
    except Exception as error:
        return FOREIGN, f"{type(error).__name__}: {str(error)[:300]}"


if __name__ == "__main__":
    main(*sys.argv[1:])
