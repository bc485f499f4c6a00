"""Results of finished stages, kept so that an interrupted fit can go on from them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from lsec.output.atomic import open_atomically

Arrays = dict[str, np.ndarray]
IDENTITY = "fit.json"


class Checkpoint:
    """Keeps nothing: every stage is computed."""

    folder: Path | None = None

    def has(self, stage: str) -> bool:
        """Whether an earlier run finished a stage."""
        return False

    def remember(self, stage: str, compute: Callable[[], Arrays]) -> Arrays:
        """What a stage computes, from an earlier run if that finished it."""
        return compute()

    def remember_each(
        self, stages: Mapping[int, str], compute: Callable[[list[int]], dict[int, Arrays]]
    ) -> dict[int, Arrays]:
        """What several stages compute, by number; those not finished before, all in one go.

        Each is kept by itself: how many are computed at once may depend on the memory that is
        free, which may be other when an interrupted fit goes on.
        """
        missing = [number for number, stage in stages.items() if not self.has(stage)]
        computed = compute(missing) if missing else {}
        return {
            number: self.remember(stage, partial(computed.__getitem__, number))
            for number, stage in stages.items()
        }


class FolderCheckpoint(Checkpoint):
    """Keeps finished stages of one fit in a folder, each in a file that is complete or not there.

    Parameters
    ----------
    folder : Path
        Made if it is not there.
    identity : dict
        What is fitted to what, as JSON values. Stages that were kept for another fit are
        an error that names the difference.
    """

    def __init__(self, folder: Path, identity: dict[str, Any]):
        self.folder: Path = folder
        folder.mkdir(exist_ok=True)
        identity = json.loads(json.dumps(identity))
        place = folder / IDENTITY
        if place.exists():
            _require_same(folder, _read_json(place), identity)
        else:
            with open_atomically(place) as file:
                file.write(json.dumps(identity, indent=1).encode())

    def remember(self, stage: str, compute: Callable[[], Arrays]) -> Arrays:
        """What a stage computes, from an earlier run if that finished it."""
        kept = self._read(stage)
        if kept is not None:
            return kept
        arrays = compute()
        with open_atomically(self._place(stage)) as file:
            np.savez(file, **arrays)  # type: ignore[arg-type]
        return arrays

    def has(self, stage: str) -> bool:
        """Whether an earlier run finished a stage."""
        return self._read(stage) is not None

    def _read(self, stage: str) -> Arrays | None:
        """What is kept of a stage; None where nothing is, or where it is no longer whole."""
        try:
            with np.load(self._place(stage), allow_pickle=False) as kept:
                return dict(kept)
        except (OSError, ValueError, EOFError, BadZipFile):
            return None

    def _place(self, stage: str) -> Path:
        return self.folder / f"{stage}.npz"


def _read_json(place: Path) -> Any:
    try:
        return json.loads(place.read_text())
    except ValueError:
        return None


def _require_same(folder: Path, before: Any, now: dict[str, Any]) -> None:
    """Raise a ValueError that names what is other than it was."""
    if before == now:
        return
    known = before if isinstance(before, dict) else {}
    other = next((key for key in now if known.get(key) != now[key]), "something")
    raise ValueError(
        f"{folder} keeps the stages of another fit: {other} was {known.get(other)!r} and is now "
        f"{now.get(other)!r}. Remove the folder to start anew, or repeat that fit."
    )
