"""Fit of MNIST against KMeans.

`LSEC(10)` and `KMeans(10, n_init=1)` fit 70,000 x 784 pixels in turns, as loaded (uint8) and as
float32; on float32 `LSEC(10, n_landmarks=1000)` takes its turn as well. The iterations of KMeans
depend on the seed, so the ratio is that of the medians over all seeds.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

from benchmarks.harness.data import DATA
from benchmarks.pages.numbers import number
from benchmarks.pages.table import Table, Verdict
from benchmarks.studies.figures import (
    NOT_YET,
    absence,
    at_most,
    column,
    runs_of,
    runs_table,
    targets_table,
)
from benchmarks.studies.study import Cells, Session

TARGET, AIM = 1.0, 2.0
FEW_LANDMARKS = 1000
TYPES = ("uint8", "float32")


@dataclass(frozen=True)
class Variant:
    """A way to fit LSEC, and the types of rows that it is fitted to."""

    title: str
    types: tuple[str, ...]
    is_judged: bool


VARIANTS = {
    "LSEC": Variant("LSEC", TYPES, is_judged=False),
    "LSEC-1000": Variant(f"LSEC, {FEW_LANDMARKS} landmarks", ("float32",), is_judged=True),
}


def run(session: Session) -> None:
    plan = session.plan
    raw = DATA[plan.pick("mnist", "pendigits")]
    few = {"n_landmarks": plan.pick(FEW_LANDMARKS, 100)}
    with session.attempt("mnist"):
        for name, data in zip(TYPES, (raw, raw.as_float32()), strict=True):
            for seed in plan.seeds():
                session.fit(f"{name}/LSEC/{seed}", data, "LSEC", seed)
                if name in VARIANTS["LSEC-1000"].types:
                    session.fit(f"{name}/LSEC-1000/{seed}", data, "LSEC", seed, **few)
                session.fit(f"{name}/KMeans/{seed}", data, "KMeans", seed)


def tables(cells: Cells) -> list[Table]:
    if "mnist/not run" in cells:
        return [targets_table([("MNIST", absence(cells, "mnist"), f"at most {TARGET}", "-")])]
    rows, groups = [], {}
    for name in TYPES:
        theirs = runs_of(cells, f"{name}/KMeans")
        for key, variant in VARIANTS.items():
            if name in variant.types:
                ours = runs_of(cells, f"{name}/{key}")
                rows.append((f"{variant.title} / KMeans, {name}", *ratio(ours, theirs, variant)))
                groups[f"{variant.title}, {name}"] = ours
        groups[f"KMeans, {name}"] = theirs
    return [targets_table(rows), runs_table("Runs", "method and input", groups)]


def ratio(ours: list[dict], theirs: list[dict], variant: Variant) -> tuple[str, str, Verdict | str]:
    """Ratio of the median times, its target and the verdict."""
    goal = f"at most {TARGET}" if variant.is_judged else f"none, aim {AIM}"
    if not ours or not theirs:
        return NOT_YET, goal, "-"
    value = median(column(ours, "seconds")) / median(column(theirs, "seconds"))
    return number(value), goal, at_most(value, TARGET) if variant.is_judged else "-"
