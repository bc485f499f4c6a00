"""Soak: fits under a cap of memory, from next to none upwards.

The cap comes before the libraries are imported, before the first fit of a process, or before the
second one. Allowed: the labels of a fit without a cap, or one error that says that memory is short;
never a signal, a hang or other labels.
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
MOST = 1500.0  # MiB above what the process has
MOMENTS = ("before the libraries", "before the first fit", "before the second fit")
LONGEST = 40.0  # seconds of a case, of which the libraries take some
EXPECTED: dict[str, bytes] = {}


def rows(folder: Path, width: int) -> Path:
    """A file of rows of a width."""
    path = folder / f"rows{width}.npy"
    if not path.exists():
        rng = np.random.default_rng(width)
        X = rng.normal(size=(30_000, width)) + 5 * rng.integers(0, 4, (30_000, 1))
        np.save(path, X.astype(np.float32))
    return path


def labels_matrix(n_rows: int = 3000) -> Any:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 4, n_rows)
    noise = rng.integers(0, 9, (n_rows, 8))
    return np.where(rng.random((n_rows, 8)) < 0.3, noise, truth[:, None] + 4 * (noise % 2))


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
        "eac": lambda folder: lsec.consensus(labels_matrix(7000), 4, "eac", **few),
        "pta": lambda folder: lsec.consensus(labels_matrix(), 4, "pta", **few),
    }


def prepare(folder: Path) -> None:
    """The labels without a cap, found by a copy: this process imports no library of lsec.

    It compiles what is missing.
    """
    warnings.simplefilter("ignore")

    def find() -> None:
        for name, task in tasks().items():
            (folder / name).write_bytes(task(folder).tobytes())

    ending = run_forked(find, folder / "message", longest=240.0)
    require(ending.code == DONE, f"without a cap: {ending.message}")
    EXPECTED.update({name: (folder / name).read_bytes() for name in tasks()})


def attack(case: int, rng: np.random.Generator, folder: Path) -> str:
    """One piece of work under one cap."""
    names = list(tasks())
    name, moment = names[case % len(names)], MOMENTS[case // len(names) % len(MOMENTS)]
    allowed = MOST * rng.random() ** 2
    work_of = partial(work, name, moment, allowed * MIB, folder)
    ending = run_forked(work_of, folder / "message", longest=LONGEST)
    check(ending, f"{name} with {allowed:.1f} MiB {moment}")
    return WORKED if ending.code == DONE else REFUSED


def cap(n_bytes: float) -> None:
    """Allow this process so much more memory than it has."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = int(pages * os.sysconf("SC_PAGE_SIZE") + n_bytes)
    resource.setrlimit(resource.RLIMIT_AS, (most, resource.getrlimit(resource.RLIMIT_AS)[1]))


def work(name: str, moment: str, allowed: float, folder: Path) -> None:
    """Work in a copy, which gets its cap at some moment."""
    if moment == MOMENTS[2]:
        tasks()[name](folder)
    elif moment == MOMENTS[1]:
        _ = lsec.LSEC, lsec.LightKMeans, lsec.consensus  # imports them
    cap(allowed)
    found = tasks()[name](folder).tobytes()
    require(found == EXPECTED[name], "other labels")


def check(ending: Ending, what: str) -> None:
    require(ending.code in (DONE, NOT_DONE), f"{what}: ended with {ending.code}: {ending.message}")
    require(ending.code != FAILED, f"{what}: {ending.message}")
    if ending.code == NOT_DONE:
        short = any(word in ending.message.lower() for word in ("memory", "allocate", "gib"))
        require(short, f"{what}: the error does not say that memory is short: {ending.message}")
