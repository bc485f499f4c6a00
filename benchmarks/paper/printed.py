"""The printed numbers, read from the files in ``published``."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path
from typing import NamedTuple

PUBLISHED = Path(__file__).with_name("published")


class Printed(NamedTuple):
    """A printed mean and its standard deviation.

    `misprint` marks a mean, and `doubtful` a deviation, that cannot be right.
    """

    mean: float
    sd: float
    misprint: bool = False
    doubtful: bool = False


class PaperCell(NamedTuple):
    """What the LSEC paper prints for a method on a data set; None where it prints nothing."""

    acc: Printed | None
    nmi: Printed | None
    seconds: float | None
    note: str

    def score(self, name: str) -> Printed | None:
        """Return the printed ``"acc"`` or ``"nmi"``."""
        return self.acc if name == "acc" else self.nmi


class UsencCell(NamedTuple):
    """What the U-SENC paper prints for a method on a data set, under the names of our records."""

    nmi_max: Printed
    purity: Printed
    seconds: float


class DataSet(NamedTuple):
    """A data set of the paper."""

    title: str
    rows: int
    synthetic: bool


class OctaveRun(NamedTuple):
    """A run of the authors' code under GNU Octave; `load` is that of the machine."""

    data: str
    method: str
    setting: str
    load: str
    acc: float
    nmi: float
    seconds: float
    cpu_seconds: float
    largest_peak_mib: float


class Growth(NamedTuple):
    """How fast the time may grow with a parameter: at most with this power."""

    meaning: str
    most: float
    term: str


def _lines(name: str) -> list[dict[str, str]]:
    with open(PUBLISHED / name, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _printed(line: dict[str, str], name: str) -> Printed | None:
    """Read a score; the column ``doubt`` names the numbers that cannot be right."""
    if not line[f"{name}_mean"]:
        return None
    doubt = line.get("doubt", "").split()
    mean, sd = float(line[f"{name}_mean"]), float(line[f"{name}_sd"])
    return Printed(mean, sd, misprint=name in doubt, doubtful=f"{name}_sd" in doubt)


@cache
def data_sets() -> dict[str, DataSet]:
    """The ten data sets, in the order of the paper."""
    return {
        line["data"]: DataSet(line["title"], int(line["rows"]), line["synthetic"] == "yes")
        for line in _lines("sets.csv")
    }


@cache
def lsec_paper() -> dict[tuple[str, str], PaperCell]:
    """The printed numbers of the LSEC paper by data set and method."""
    return {
        (line["data"], line["method"]): PaperCell(
            _printed(line, "acc"),
            _printed(line, "nmi"),
            float(line["seconds"]) if line["seconds"] else None,
            line["note"],
        )
        for line in _lines("lsec_paper.csv")
    }


@cache
def usenc_paper() -> dict[tuple[str, str], UsencCell]:
    """The printed numbers of the U-SENC paper by data set and method.

    Only those that are run here, too: no WCT, and not USPS, which has other rows there.
    """
    found = {}
    for line in _lines("usenc_paper.csv"):
        nmi_max, purity = _printed(line, "nmi_max"), _printed(line, "purity")
        assert nmi_max and purity, "all cells are printed"
        place = line["data"], line["method"]
        found[place] = UsencCell(nmi_max, purity, float(line["seconds"]))
    return found


@cache
def lsec_paper_summary() -> dict[tuple[str, str, str], float]:
    """The printed summary rows by score, row (``"average"``, ``"rank"``) and method."""
    return {
        (line["score"], line["row"], line["method"]): float(line["value"])
        for line in _lines("lsec_paper_summary.csv")
    }


@cache
def octave_runs() -> list[OctaveRun]:
    """The runs of the authors' code under GNU Octave."""
    texts, numbers = ("data", "method", "setting", "load"), OctaveRun._fields[4:]
    return [
        OctaveRun(*(line[name] for name in texts), *(float(line[name]) for name in numbers))
        for line in _lines("octave_reference.csv")
    ]


@cache
def growth_rates() -> dict[tuple[str, str], Growth]:
    """The expected growth of the time, by parameter and method."""
    return {
        (line["parameter"], line["method"]): Growth(
            line["meaning"], float(line["most"]), line["term"]
        )
        for line in _lines("growth.csv")
    }


@cache
def pools() -> dict[str, dict[str, float]]:
    """Return the printed NMI (by the maximum) on pools of base clusterings, by pool and function.

    `lw_`: D. Huang, C.-D. Wang, J.-H. Lai, "Locally weighted ensemble clustering", IEEE TCYB 48(5),
    2018, Table V (`bipartite`: its HBGF; for MF its SEC and KCC repeat another data set's and are
    left out). `pt_`: D. Huang, J.-H. Lai, C.-D. Wang, "Robust ensemble clustering using probability
    trajectories", IEEE TKDE 28(5), 2016, Table 9 (average linkage).
    """
    found: dict[str, dict[str, float]] = {}
    for line in _lines("pools.csv"):
        found.setdefault(line["pool"], {})[line["function"]] = float(line["nmi_max"])
    return found
