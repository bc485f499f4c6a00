"""Results of finished sweeps, kept so that an interrupted fit can go on from them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from lsec.output.atomic import open_atomically
from lsec.typing import AnyArray

Arrays = dict[str, AnyArray]
IDENTITY = "fit.json"
OWN_FILES = (IDENTITY, "*.npz", "numbers-*", ".*.tmp")


class Checkpoint:
    """Keeps the results of one fit in a folder, each in a file that is complete or absent.

    The identity describes the fit and its rows, as JSON values. A folder with the results of
    another fit is an error that names the difference.
    """

    def __init__(self, folder: Path, identity: dict[str, Any]):
        self.folder: Path = folder
        folder.mkdir(exist_ok=True)
        identity = json.loads(json.dumps(identity))
        place = folder / IDENTITY
        if place.exists():
            _require_same(folder, place.read_text(), identity)
        else:
            with open_atomically(place) as file:
                file.write(json.dumps(identity, indent=1).encode())

    def remember(self, name: str, compute: Callable[[], Arrays]) -> Arrays:
        """A result, from an earlier run if that kept it, else computed and kept."""
        kept = self._read(name)
        if kept is not None:
            return kept
        arrays = compute()
        with open_atomically(self._place(name)) as file:
            np.savez(file, **arrays)  # type: ignore[arg-type]
        return arrays

    def recall(
        self, names: Mapping[int, str], compute: Callable[[list[int]], dict[int, Arrays]]
    ) -> dict[int, Arrays]:
        """Several results by number; the missing ones are computed in one go, and kept apart.

        How many are computed at once may depend on the free memory, and differ in another run.
        """
        missing = [number for number, name in names.items() if self._read(name) is None]
        computed = compute(missing) if missing else {}
        return {
            number: self.remember(name, partial(computed.__getitem__, number))
            for number, name in names.items()
        }

    def _read(self, name: str) -> Arrays | None:
        """A kept result; None if there is none, or if its file is no longer complete."""
        try:
            with np.load(self._place(name), allow_pickle=False) as kept:
                return dict(kept)
        except (OSError, ValueError, EOFError, BadZipFile):
            return None

    def _place(self, name: str) -> Path:
        return self.folder / f"{name}.npz"


def has_stages(folder: Path) -> bool:
    """Whether a folder holds finished stages of a fit."""
    return any(folder.glob("*.npz"))


def remove_stages(folder: Path) -> None:
    """Remove a folder of stages, if there is one; a folder with anything else is an error."""
    if not folder.exists():
        return
    files = list(folder.iterdir())
    other = next((file for file in files if not _is_own(file)), None)
    if other is not None:
        raise ValueError(
            f"{folder} should hold the stages of an interrupted fit and holds {other.name!r}, "
            f"which lsec did not write. Move the folder away, or choose another output."
        )
    for file in files:
        file.unlink()
    folder.rmdir()


def _is_own(file: Path) -> bool:
    return file.is_file() and any(file.match(pattern) for pattern in OWN_FILES)


def _require_same(folder: Path, before: str, now: dict[str, Any]) -> None:
    """Raise a ValueError that names the first difference between two fits."""
    known: dict[str, Any] = {}
    with suppress(ValueError, TypeError):
        known = dict(json.loads(before))
    if known == now:
        return
    other = next((key for key in now if known.get(key) != now[key]), "something")
    raise ValueError(
        f"{folder} keeps the stages of another fit: {other} was {known.get(other)!r} and is now "
        f"{now.get(other)!r}. Remove the folder to start anew, or repeat that fit."
    )
