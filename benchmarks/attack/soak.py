"""Soak: fits and predictions under a cap of memory, from next to none upwards.

Allowed: the labels of a fit without a cap, or one error that says that memory is short; never a
signal, a hang or other labels.
"""

from __future__ import annotations

import os
import resource
import warnings
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import lsec
from benchmarks.attack.case import REFUSED, WORKED, require
from benchmarks.attack.fork import DONE, FAILED, Ending, run_forked
from benchmarks.attack.fork import REFUSED as NOT_DONE

MIB = 2**20
STEPS = 40  # cases from the least memory to the most
LEAST, MOST = 0.1, 400.0  # MiB above what the process has
EXPECTED: dict[str, bytes] = {}


def rows(folder: Path, width: int) -> Path:
    """A file of rows of a width."""
    path = folder / f"rows{width}.npy"
    if not path.exists():
        rng = np.random.default_rng(width)
        X = rng.normal(size=(30_000, width)) + 5 * rng.integers(0, 4, (30_000, 1))
        np.save(path, X.astype(np.float32))
    return path


def labels_matrix() -> Any:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 4, 3000)
    noise = rng.integers(0, 9, (3000, 8))
    return np.where(rng.random((3000, 8)) < 0.3, noise, truth[:, None] + 4 * (noise % 2))


def tasks() -> dict[str, Any]:
    """Pieces of work: functions (folder) -> labels."""
    few = {"random_state": 0, "n_jobs": 1}
    one = few | {"n_base": 4, "n_landmarks": 200}
    return {
        "narrow": lambda folder: lsec.LSEC(4, **one).fit(rows(folder, 2)).labels_,
        "wide": lambda folder: lsec.LSEC(4, **one).fit(rows(folder, 30)).labels_,
        "threads": lambda folder: lsec.LSEC(4, **one | {"n_jobs": 2}).fit(rows(folder, 2)).labels_,
        "light": lambda folder: lsec.LightKMeans(4, **few).fit(rows(folder, 30)).labels_,
        "linkage": lambda folder: lsec.consensus(labels_matrix(), 4, **few),
        "eac": lambda folder: lsec.consensus(labels_matrix(), 4, "eac", **few),
        "pta": lambda folder: lsec.consensus(labels_matrix(), 4, "pta", **few),
    }


def prepare(folder: Path) -> None:
    """The labels without a cap; compiles what is missing."""
    warnings.simplefilter("ignore")
    for name, task in tasks().items():
        EXPECTED[name] = task(folder).tobytes()


def attack(case: int, rng: np.random.Generator, folder: Path) -> str:
    """One piece of work under one cap."""
    names = list(tasks())
    name, step = names[case % len(names)], case // len(names) % STEPS
    allowed = LEAST * (MOST / LEAST) ** ((step + rng.random()) / STEPS)
    ending = run_forked(
        partial(work, name, folder),
        folder / "message",
        before=partial(cap, allowed * MIB),
        longest=15.0,
    )
    check(ending, f"{name} with {allowed:.1f} MiB")
    return WORKED if ending.code == DONE else REFUSED


def cap(n_bytes: float) -> None:
    """Allow this process so much more memory than it has."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = int(pages * os.sysconf("SC_PAGE_SIZE") + n_bytes)
    resource.setrlimit(resource.RLIMIT_AS, (most, resource.getrlimit(resource.RLIMIT_AS)[1]))


def work(name: str, folder: Path) -> None:
    found = tasks()[name](folder).tobytes()
    require(found == EXPECTED[name], "other labels")


def check(ending: Ending, what: str) -> None:
    require(ending.code in (DONE, NOT_DONE), f"{what}: ended with {ending.code}: {ending.message}")
    require(ending.code != FAILED, f"{what}: {ending.message}")
    if ending.code == NOT_DONE:
        short = any(word in ending.message.lower() for word in ("memory", "allocate", "gib"))
        require(short, f"{what}: the error does not say that memory is short: {ending.message}")
