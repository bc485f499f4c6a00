"""Fuzz: files grow from those that reached lines of the readers that no file before had reached.

Model files, .npy headers and tables of text are mutated as bytes. A file that makes a reader enter
a new line joins the corpus, from which the next ones are drawn. Allowed: what the areas of models
and files allow.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

import lsec
from benchmarks.attack.case import REFUSED, WORKED, accepted
from benchmarks.attack.mutate import mutate_bytes

FILES_PER_CASE = 200
MOST_KEPT = 200  # files of a corpus
HOME = str(Path(lsec.__file__).parent)
WATCHED = ("model_files", "sources")
CORPUS: dict[str, list[bytes]] = {}
SEEN: dict[str, set[tuple[str, int]]] = {}


def prepare(folder: Path) -> None:
    """A corpus of one or two valid files of every kind."""
    warnings.simplefilter("ignore")
    rows = np.random.default_rng(0).normal(size=(60, 2))
    few = {"n_base": 2, "base_clusters": (3, 4), "n_landmarks": 12, "random_state": 0, "n_jobs": 1}
    lsec.LSEC(2, **few).fit(rows).save(folder / "seed.lsec")
    lsec.LightKMeans(2, random_state=0).fit(rows).save(folder / "light.lsec")
    np.save(folder / "seed.npy", rows)
    np.save(folder / "ints.npy", np.asfortranarray((10 * rows).astype(np.int16)))
    (folder / "seed.csv").write_text("x,y\n" + "".join(f"{a},{b}\n" for a, b in rows))
    (folder / "plain.csv").write_text("".join(f"{a:.1f};{b:.1f}\n" for a, b in rows))
    for name in READERS:
        seeds = [path for path in sorted(folder.glob(f"*.{name}")) if path.stem != "fuzzed"]
        CORPUS[name] = [path.read_bytes() for path in seeds]
        SEEN[name] = set()


def attack(case: int, rng: np.random.Generator, folder: Path) -> str:
    """Some files of one kind, each from one of the corpus."""
    name = list(READERS)[case % len(READERS)]
    corpus, path, worked = CORPUS[name], folder / f"fuzzed.{name}", False
    for _ in range(FILES_PER_CASE):
        content = mutate_bytes(corpus[int(rng.integers(len(corpus)))], rng)
        path.write_bytes(content)
        lines: set[tuple[str, int]] = set()
        found = traced(lambda: accepted(lambda: READERS[name](path), ValueError, OSError), lines)
        worked |= found is not None
        if not lines <= SEEN[name] and len(corpus) < MOST_KEPT:
            corpus.append(content)
        SEEN[name] |= lines
    return WORKED if worked else REFUSED


def traced(function: Callable[[], Any], lines: set[tuple[str, int]]) -> Any:
    """The result of a function; `lines` takes the lines of the readers that it entered."""

    def watch(frame: FrameType, event: str, argument: Any) -> Any:
        name = frame.f_code.co_filename
        inside = name.startswith(HOME) and any(f"/{room}/" in name for room in WATCHED)
        return note if inside else None

    def note(frame: FrameType, event: str, argument: Any) -> Any:
        lines.add((frame.f_code.co_filename, frame.f_lineno))
        return note

    sys.settrace(watch)
    try:
        return function()
    finally:
        sys.settrace(None)


def read_model(path: Path) -> Any:
    return lsec.load(path)


def read_rows(path: Path) -> Any:
    source = lsec.open_rows(path)
    return [source.block(number) for number in range(min(source.n_blocks, 3))]


READERS: dict[str, Callable[[Path], Any]] = {
    "lsec": read_model,
    "npy": read_rows,
    "csv": read_rows,
}
