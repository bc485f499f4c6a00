"""Tasks that end in every way a task can end, for the tests of the harness."""

import gc
import os
import signal
import subprocess
import sys
import time
from pathlib import Path


def succeed(clock, value):
    with clock.lap():
        block = bytearray(50_000_000)
        block[::4096] = b"x" * len(block[::4096])
    return {"value": value}


def see(clock):
    """What the process has loaded before its task."""
    seen = {"loaded": [name for name in ("numpy", "numba") if name in sys.modules]}
    return seen | {"frozen": gc.get_freeze_count(), "group": os.getpgid(0) == os.getpid()}


def refuse(clock):
    raise ValueError("the linkage is too large")


def run_out_of_memory(clock):
    import numpy as np

    np.empty(2**60)


def break_down(clock):
    import numpy as np

    raise np.linalg.LinAlgError("no convergence")  # which is a ValueError


def fail(clock):
    raise RuntimeError("a bug")


def die(clock):
    print("last words", flush=True)
    os._exit(3)


def end_the_server(clock):
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(600)


def wait(clock, pids):
    """Start another process, write down both, and take too long."""
    other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    write_whole(pids, f"{os.getpid()} {other.pid} {os.getppid()}")
    time.sleep(600)


def hold_the_lock(clock, pids):
    """Take too long in a library that lets no other thread of the interpreter run."""
    import ctypes

    write_whole(pids, f"{os.getpid()}")
    ctypes.PyDLL(None).sleep(600)


def write_whole(path, text):
    """Write a file that is complete when it appears."""
    unfinished = Path(path).with_suffix(".part")
    unfinished.write_text(text)
    unfinished.replace(path)


def variable(clock, name):
    return {"value": os.environ.get(name)}
