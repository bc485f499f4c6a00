"""Faults: a fit, a prediction or a save is stopped at a random moment, or its place fails.

SIGKILL, SIGTERM and SIGINT, no more room, a folder that disappears, a folder that may not be
written to. Allowed: a complete output or the older one, under its name and nothing beside it; an
error of the system that names the file. The same work then runs to its end, from the stages that
were kept, with the same bytes.
"""

from __future__ import annotations

import os
import resource
import shutil
import signal
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import lsec
from benchmarks.attack.case import REFUSED, WORKED, require
from benchmarks.attack.fork import DONE, FAILED, INTERRUPTED, Ending, run_forked
from benchmarks.attack.fork import REFUSED as NOT_DONE

N_ROWS = 40_000
OLDER = b"an older file"
SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
NOBODY = 65_534
TASKS = ("fit", "fit", "predict", "save")
FAULTS = ("signal", "signal", "signal", "no room", "folder gone", "read-only")


def model() -> Any:
    return lsec.LSEC(4, n_base=6, n_landmarks=300, random_state=0, n_jobs=2)


def work(task: str, place: Path) -> None:
    """Write an output into the folder ``out`` beside the rows."""
    warnings.simplefilter("ignore")
    rows, out = place / "rows.npy", place / "out"
    if task == "fit":
        model().fit(rows, labels_out=out / "labels.npy", checkpoint=out / "stages")
        shutil.rmtree(out / "stages")
        return
    fitted = lsec.load(place / "model.lsec")
    if task == "predict":
        fitted.predict(rows, labels_out=out / "labels.npy")
    else:
        for _ in range(20):
            fitted.save(out / "model.lsec")


def output_of(task: str) -> str:
    return "model.lsec" if task == "save" else "labels.npy"


def prepare(folder: Path) -> None:
    """Rows, a model, what every task should write, and how long it takes."""
    for place in (folder, folder.parent):
        place.chmod(0o755)  # for the user who may not write
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(N_ROWS, 2)) + 5 * rng.integers(0, 4, (N_ROWS, 1))
    np.save(folder / "rows.npy", rows)
    if not (folder / "model.lsec").exists():
        model().fit(rows).save(folder / "model.lsec")
    for task in dict.fromkeys(TASKS):
        for _ in range(2):  # the second time, all is compiled
            shutil.rmtree(folder / "out", ignore_errors=True)
            (folder / "out").mkdir()
            start = time.monotonic()
            work(task, folder)
            SECONDS[task] = time.monotonic() - start
        EXPECTED[task] = (folder / "out" / output_of(task)).read_bytes()


SECONDS: dict[str, float] = {}
EXPECTED: dict[str, bytes] = {}


def attack(case: int, rng: np.random.Generator, folder: Path) -> str:
    """One fault, and the same work again."""
    task, fault = TASKS[case % 4], FAULTS[(case // 4) % 6]
    out = folder / "out"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    has_older = rng.random() < 0.5
    if has_older:
        (out / output_of(task)).write_bytes(OLDER)
    out.chmod(0o755)
    place, ending = FAULTS_BY_NAME[fault](task, folder, rng)
    check_ending(ending, fault)
    check_output(task, place, has_older, ending.code == DONE)
    if place != out:
        shutil.rmtree(place)
        out.mkdir()
    again = run_forked(partial(work, task, folder), folder / "message")
    require(again.code == DONE, f"the work cannot be repeated: {again.message}")
    same = (out / output_of(task)).read_bytes() == EXPECTED[task]
    require(same, f"{task} after {fault} gives other bytes")
    left = sorted(name for name in os.listdir(out) if name != output_of(task))
    require(not left, f"{left} is left")
    return WORKED if ending.code == DONE else REFUSED


def check_ending(ending: Ending, fault: str) -> None:
    """The process was done, was stopped by the signal, or told what was wrong in our words."""
    require(ending.code != FAILED, f"{fault}: {ending.message}")
    if ending.code == NOT_DONE:
        names = "out" in ending.message or "memory" in ending.message
        require(names, f"{fault}: the error names no file: {ending.message}")
    elif ending.code != DONE:
        stopped = ending.code in (INTERRUPTED, *(-one for one in SIGNALS))
        require(stopped and fault == "signal", f"{fault}: the process ended with {ending.code}")


def check_output(task: str, place: Path, has_older: bool, done: bool) -> None:
    """The output is complete, or as it was; nothing half-written is visible."""
    visible = {name for name in os.listdir(place) if not name.startswith(".")}
    require(visible <= {output_of(task), "stages"}, f"{sorted(visible)} is visible")
    path = place / output_of(task)
    found = path.read_bytes() if path.exists() else None
    before = OLDER if has_older else None
    require(found in (before, EXPECTED[task]), f"the output of {task} is half-written")
    require(not done or found == EXPECTED[task], f"{task} was done and wrote something else")


# Faults: functions (task, folder, rng) -> where the output is now, and how the process ended


def stopped(task: str, folder: Path, rng: np.random.Generator) -> tuple[Path, Ending]:
    """A signal at a random moment."""
    number, moment = SIGNALS[int(rng.integers(4))], rng.uniform(0, 1.05 * SECONDS[task])

    def disturb(process: int) -> None:
        time.sleep(moment)
        os.kill(process, number)

    return folder / "out", run_forked(partial(work, task, folder), folder / "message", disturb)


def no_room(task: str, folder: Path, rng: np.random.Generator) -> tuple[Path, Ending]:
    """Files may not grow beyond a random size."""
    most = int(rng.integers(0, len(EXPECTED[task])))

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        hardest = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
        resource.setrlimit(resource.RLIMIT_FSIZE, (max(most, 600), hardest))

    work_of = partial(work, task, folder)
    return folder / "out", run_forked(work_of, folder / "message", before=limit)


def folder_gone(task: str, folder: Path, rng: np.random.Generator) -> tuple[Path, Ending]:
    """The folder of the output gets another name at a random moment."""
    moment = rng.uniform(0, 1.05 * SECONDS[task])

    def disturb(process: int) -> None:
        time.sleep(moment)
        os.rename(folder / "out", folder / "moved")

    ending = run_forked(partial(work, task, folder), folder / "message", disturb)
    return folder / "moved", ending


def read_only(task: str, folder: Path, rng: np.random.Generator) -> tuple[Path, Ending]:
    """The folder of the output may not be written to."""
    (folder / "out").chmod(0o555)

    def become_nobody() -> None:
        if not os.getuid():
            os.setgid(NOBODY)
            os.setuid(NOBODY)

    work_of = partial(work, task, folder)
    ending = run_forked(work_of, folder / "message", before=become_nobody)
    (folder / "out").chmod(0o755)
    return folder / "out", ending


Fault = Callable[[str, Path, np.random.Generator], tuple[Path, Ending]]
FAULTS_BY_NAME: dict[str, Fault] = {
    "signal": stopped,
    "no room": no_room,
    "folder gone": folder_gone,
    "read-only": read_only,
}
