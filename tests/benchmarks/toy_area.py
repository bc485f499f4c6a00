"""An area whose cases end in every way."""

import os
import signal
import time

import numpy as np

from benchmarks.attack.case import REFUSED, WORKED, require


def prepare(folder):
    (folder / "prepared").touch()


def attack(case, rng, folder):
    if case == 1:
        os.kill(os.getpid(), signal.SIGSEGV)
    if case == 2:
        time.sleep(60)
    if case == 3:
        return int("three")
    if case == 4:
        np.ones(2**40)
    require(case != 5, f"case {rng.integers(10**9)} is five")
    return WORKED if case % 2 else REFUSED
