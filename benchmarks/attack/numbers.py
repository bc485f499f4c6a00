"""Numbers: the labels of a fixed set of fits, on processors that lack some instructions.

Libraries choose their code by the processor. Variables of the environment make them choose that of
older ones, for BLAS, for kernels and for NumPy. Allowed: the same labels.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

import lsec
from benchmarks.attack.case import WORKED, require

NUMPY = "AVX2 FMA3 AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR"
GENERIC = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
PROCESSORS: tuple[dict[str, str], ...] = (
    {"OPENBLAS_CORETYPE": "Nehalem"},
    {"NPY_DISABLE_CPU_FEATURES": NUMPY},
    GENERIC,
    {"OPENBLAS_CORETYPE": "Prescott"},
    {"OPENBLAS_CORETYPE": "Sandybridge"},
    {"OPENBLAS_CORETYPE": "Haswell"},
    {**GENERIC, "OPENBLAS_CORETYPE": "Nehalem", "NPY_DISABLE_CPU_FEATURES": NUMPY},
)
N_ROWS = 2000
EXPECTED: dict[str, str] = {}


def rows(n_columns: int, dtype: str = "float64") -> Any:
    rng = np.random.default_rng(n_columns)
    centers = 3 * rng.normal(size=(6, n_columns))
    return (centers[rng.integers(0, 6, N_ROWS)] + rng.normal(size=(N_ROWS, n_columns))).astype(
        dtype
    )


def digests() -> dict[str, str]:
    """A digest of the labels of every fit."""
    warnings.simplefilter("ignore")
    few = {"n_base": 6, "n_landmarks": 200, "random_state": 0, "n_jobs": 1}
    single = {"n_landmarks": 200, "random_state": 0, "n_jobs": 1}
    X = rows(2)
    fits = {
        "narrow": lsec.LSEC(6, **few).fit(X),
        "auto": lsec.LSEC("auto", **few).fit(X),
        "wide": lsec.LSEC(6, **few).fit(rows(100, "float32")),
        "cosine": lsec.LSEC(6, metric="cosine", **few).fit(rows(30)),
        "paper": lsec.LSEC.paper(6, **{**few, "n_landmarks": 300}).fit(X),
        "dncsc": lsec.DnCSC(6, **single).fit(X),
        "usenc": lsec.USENC(6, **few).fit(X),
        "pool": lsec.EnsembleClustering(6, n_base=6, random_state=0, n_jobs=1).fit(X),
        "light": lsec.LightKMeans(6, random_state=0, n_jobs=1).fit(X),
    }
    return {name: blake2b(fit.labels_.tobytes()).hexdigest() for name, fit in fits.items()}


def prepare(folder: Path) -> None:
    """The labels on this processor as it is."""
    EXPECTED.update(digests())


def attack(case: int, rng: np.random.Generator, folder: Path) -> str:
    """The same fits in a process that takes the processor for another one."""
    given = PROCESSORS[case % len(PROCESSORS)]
    cached = {"NUMBA_CACHE_DIR": str(folder / f"kernels{case % len(PROCESSORS)}")}
    command = [sys.executable, "-m", "benchmarks.attack.numbers"]
    environment = {**os.environ, **given, **(cached if "NUMBA_CPU_NAME" in given else {})}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    require(done.returncode == 0, f"{given}: ended with {done.returncode}: {done.stderr[-200:]}")
    found = json.loads(done.stdout.splitlines()[-1])
    others = [name for name, digest in found.items() if digest != EXPECTED[name]]
    require(not others, f"{given}: other labels of {', '.join(others)}")
    return WORKED


if __name__ == "__main__":
    print(json.dumps(digests()))
