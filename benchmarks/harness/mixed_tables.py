"""Tables of known groups with numeric and categorical columns, and clusterings of them.

pandas, scikit-learn and kmodes are imported inside the functions, by the process of a task.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.harness.tasks import agreement

if TYPE_CHECKING:
    from benchmarks.harness.process import Clock

N_GROUPS, N_VALUES = 8, 6
TABLES = {
    "numeric": {"n_numeric": 6, "n_categorical": 0, "spread": 2.0},
    "categorical": {"n_numeric": 0, "n_categorical": 8},
    "both": {"n_numeric": 6, "n_categorical": 8},
    "20 % missing": {"n_numeric": 6, "n_categorical": 8, "missing": 0.2},
}
NUMERIC_PART = "numeric part"  # of "both"
METHODS = ("LSEC", "one-hot + KMeans", "k-prototypes")


def draw(
    n_rows: int,
    seed: int,
    n_numeric: int,
    n_categorical: int,
    spread: float = 1.0,
    missing: float = 0.0,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Numbers float32 (n, a), codes int64 (n, b), -1 where missing, and groups int64 (n,).

    A group is a normal distribution around its center, and has its own frequencies of values.
    """
    rng = np.random.default_rng(seed)
    group = rng.integers(0, N_GROUPS, n_rows)
    centers = rng.normal(size=(N_GROUPS, n_numeric)) * spread
    numbers = (centers[group] + rng.normal(size=(n_rows, n_numeric))).astype(np.float32)
    codes = np.empty((n_rows, n_categorical), np.int64)
    for column in codes.T:
        ends = rng.dirichlet(np.full(N_VALUES, 0.3), N_GROUPS).cumsum(axis=1)[:, :-1]
        column[:] = (rng.random(n_rows)[:, None] > ends[group]).sum(axis=1)
        column[rng.random(n_rows) < missing] = -1
    return numbers, codes, group


def missing_package(method: str) -> str:
    """Why a method cannot be run; empty if it can."""
    package = "kmodes" if method == "k-prototypes" else "pandas"
    return "" if find_spec(package) else f"{package} is not installed"


def cluster_table(clock: Clock, table: str, n_rows: int, method: str, seed: int) -> dict[str, Any]:
    """Cluster a table by one method, after a smaller one that compiles and loads all it needs."""
    numbers, codes, group = draw(n_rows, seed, **TABLES["both" if table == NUMERIC_PART else table])
    codes = codes[:, :0] if table == NUMERIC_PART else codes
    run = {"LSEC": by_lsec, "one-hot + KMeans": by_kmeans, "k-prototypes": by_prototypes}[method]
    run(numbers[:500], codes[:500], seed)
    with clock.lap():
        labels = run(numbers, codes, seed)
    size = {"n_rows": n_rows, "input_bytes": numbers.nbytes + codes.nbytes}
    return {**size, **agreement(group, labels)}


def by_lsec(numbers: np.ndarray, codes: np.ndarray, seed: int) -> np.ndarray:
    """`LSEC` with default parameters on a data frame."""
    import pandas as pd

    from lsec import LSEC

    table = pd.DataFrame(numbers, columns=[f"number {j}" for j in range(numbers.shape[1])])
    names = [f"value {i}" for i in range(N_VALUES)]
    for j, column in enumerate(codes.T):
        table[f"category {j}"] = pd.Categorical.from_codes(column, names)
    return LSEC(N_GROUPS, categorical_features="from_dtype", random_state=seed).fit(table).labels_


def by_kmeans(numbers: np.ndarray, codes: np.ndarray, seed: int) -> np.ndarray:
    """KMeans on scaled numbers and one column per value; a missing value is a row of zeros."""
    from sklearn.cluster import KMeans

    columns = [scaled(numbers)]
    columns += [(column[:, None] == np.arange(N_VALUES)).astype(np.float32) for column in codes.T]
    return KMeans(N_GROUPS, n_init=5, random_state=seed).fit_predict(np.hstack(columns))


def by_prototypes(numbers: np.ndarray, codes: np.ndarray, seed: int) -> np.ndarray:
    """KPrototypes, KModes or KMeans; a missing value is a value of its own."""
    if not codes.shape[1]:
        return by_kmeans(numbers, codes, seed)
    if not numbers.shape[1]:
        from kmodes.kmodes import KModes

        return KModes(N_GROUPS, n_init=3, random_state=seed).fit_predict(codes.astype(str))
    from kmodes.kprototypes import KPrototypes

    table = np.hstack([scaled(numbers).astype(object), codes.astype(str).astype(object)])
    positions = list(range(numbers.shape[1], table.shape[1]))
    model = KPrototypes(N_GROUPS, n_init=1, random_state=seed)
    return model.fit_predict(table, categorical=positions)


def scaled(numbers: np.ndarray) -> np.ndarray:
    """Columns divided by their standard deviations."""
    return (numbers - numbers.mean(axis=0)) / numbers.std(axis=0)
