"""Raw results on disk: one JSON file per study."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
RESULTS_FOLDER = HERE / "results"


@dataclass
class Results:
    """What a study has measured.

    Attributes
    ----------
    study : str
        Name of the study.
    machine : dict
        What it was measured on.
    cells : dict of dict
        Runs by key; each holds the date and the commit it was measured at.
    """

    study: str
    machine: dict[str, str]
    cells: dict[str, dict] = field(default_factory=dict)


class OtherMachine(RuntimeError):
    """Results to continue were measured elsewhere."""


def read(study: str, folder: Path = RESULTS_FOLDER) -> Results | None:
    """The results of a study, or None where it has none."""
    path = folder / f"{study}.json"
    return Results(**json.loads(path.read_text())) if path.is_file() else None


def write(results: Results, folder: Path = RESULTS_FOLDER) -> None:
    """Replace the file of a study in one step."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{results.study}.json"
    unfinished = path.with_suffix(".part")
    unfinished.write_text(json.dumps(asdict(results), indent=1) + "\n")
    os.replace(unfinished, path)


def resume(study: str, machine: dict[str, str], folder: Path = RESULTS_FOLDER) -> Results:
    """Results to continue; numbers of different machines are never mixed."""
    stored = read(study, folder)
    if stored is None:
        return Results(study, machine)
    if stored.machine != machine:
        changed = ", ".join(k for k in machine if stored.machine.get(k) != machine[k])
        raise OtherMachine(
            f"The stored results of {study} were measured on another machine or with other "
            f"versions ({changed} differ). Pass --fresh to start over."
        )
    return stored
