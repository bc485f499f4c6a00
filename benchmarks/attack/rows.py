"""Rows: random inputs of every kind, type and size for every estimator and consensus function.

Allowed: an error of ours, or a fit that keeps the laws: labels from 0 to k - 1 without an empty
cluster, the same from `predict`, from two threads and from another kind of the same rows; the rows
unchanged; no warning from inside NumPy. Rows that hold NaN or infinity must be refused.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

import lsec
from benchmarks.attack.case import REFUSED, WORKED, Broken, accepted, check_labels, require
from lsec.consensus.consensus import METHODS

ERRORS = (ValueError, TypeError)
MOST_ROWS, MOST_COLUMNS = 250, 40
CATEGORICAL = [0]
SPECIAL = (np.nan, np.inf, -np.inf)


def prepare(folder: Path) -> None:
    """Compile what any case may call."""
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(0)
    for width in (2, 24):
        X = rng.normal(size=(100, width))
        for make in ESTIMATORS:
            for kind in (X, sparse.csr_matrix(X)):
                with suppress(ValueError):
                    make(rng).fit(kind).predict(kind)
    for method in METHODS:
        lsec.consensus(rng.integers(0, 4, (60, 5)), 2, method, random_state=0)


def attack(case: int, rng: np.random.Generator, folder: Path) -> str:
    """Fit one input, or join one label matrix."""
    if case % 5 == 4:
        return join(rng)
    values = ROWS[int(rng.integers(len(ROWS)))](rng)
    with np.errstate(all="ignore"):
        values = values.astype(rng.choice(["f8", "f8", "f8", "f4", "f2", "i8", "i2", "u1", "?"]))
    spoiled = values.dtype.kind == "f" and rng.random() < 0.06
    if spoiled:
        place = tuple(rng.integers(0, values.shape))
        values[place] = rng.choice(SPECIAL)
    kind = KINDS[int(rng.integers(len(KINDS)))]
    X, before = kind(values, folder), values.copy()
    model = ESTIMATORS[int(rng.integers(len(ESTIMATORS)))](rng)
    numeric = np.delete(values, CATEGORICAL, axis=1) if is_table(model) else values
    spoiled = values.dtype.kind == "f" and not np.isfinite(numeric).all()
    labels = accepted(lambda: model.fit(X).labels_, *ERRORS)
    if labels is None:
        return REFUSED
    require(not spoiled, "NaN or infinity was accepted")
    same = np.array_equal(np.asarray(dense(X)), before, equal_nan=before.dtype.kind == "f")
    require(same, "fit changed the rows")
    check_fit(model, X, values, labels)
    return WORKED


def check_fit(model: Any, X: Any, values: Any, labels: Any) -> None:
    """The laws of a fit that was accepted."""
    noise = getattr(model, "noise", None) is not None
    n_clusters = getattr(model, "n_clusters_", None) or model.n_clusters
    check_labels(labels, len(values), n_clusters, noise)
    found = len(np.unique(labels[labels >= 0]))
    full = found == n_clusters or noise or isinstance(model, lsec.LightKMeans)
    require(full, f"{found} of {n_clusters} clusters have rows")
    require(np.array_equal(kept(lambda: model.predict(X)), labels), "predict differs from labels_")
    others = (
        (values,) if is_table(model) else (values, in_sparse(sparse.csr_matrix, values, Path()))
    )
    for same in others:
        found = kept(lambda same=same: model.predict(same))
        require(np.array_equal(found, labels), "the kind of rows matters")
    one = {"n_jobs": 2 if model.n_jobs == 1 else 1}
    again = kept(lambda: type(model)(**{**model.get_params(), **one}).fit(X).labels_)
    require(np.array_equal(again, labels), "the number of threads matters")


def is_table(model: Any) -> bool:
    """Whether some columns are categorical."""
    return getattr(model, "categorical_features", None) is not None


def kept(function: Callable[[], Any]) -> Any:
    """The result of what has to work, since it did before."""
    result = accepted(function, *ERRORS)
    if result is None:
        raise Broken("an accepted input is refused the second time")
    return result


def dense(X: Any) -> Any:
    """The rows as an array."""
    if sparse.issparse(X):
        return X.toarray()
    return X.to_numpy() if hasattr(X, "to_numpy") else np.asarray(X)


# Values (n, d) as float64


def shape_of(rng: np.random.Generator) -> tuple[int, int]:
    n = int(
        rng.choice([1, 2, 3, 10, int(rng.integers(20, MOST_ROWS))], p=[0.03, 0.03, 0.04, 0.1, 0.8])
    )
    return n, int(rng.choice([1, 2, 3, 5, int(rng.integers(17, MOST_COLUMNS))]))


def usual(rng: np.random.Generator) -> Any:
    n, d = shape_of(rng)
    return rng.normal(size=(n, d)) + 5 * rng.integers(0, 4, (n, 1))


def constant(rng: np.random.Generator) -> Any:
    return np.full(shape_of(rng), rng.choice([0.0, -0.0, 1.0, 1e38, 1e-310, 1e300, -3.3]))


def duplicates(rng: np.random.Generator) -> Any:
    n, d = shape_of(rng)
    return (
        rng.normal(size=(int(rng.integers(1, 6)), d))[rng.integers(0, 1, n)]
        if n < 3
        else (rng.normal(size=(4, d))[rng.integers(0, 4, n)])
    )


def grid(rng: np.random.Generator) -> Any:
    return rng.integers(-2, 3, shape_of(rng)).astype(np.float64)


def scaled(rng: np.random.Generator) -> Any:
    powers = [-320.0, -310, -300, -200, -45, -38, -20, -6, 6, 20, 38, 150, 200, 300, 307]
    return usual(rng) * 10.0 ** rng.choice(powers)


def shifted(rng: np.random.Generator) -> Any:
    return usual(rng) + 10.0 ** rng.choice([3.0, 6, 8, 12, 16, 30, 200])


def outliers(rng: np.random.Generator) -> Any:
    X = usual(rng)
    some = rng.random(X.shape) < rng.choice([0.005, 0.05])
    X[some] = rng.choice([1e6, 1e12, -1e30, 1e38, 1e100, -1e300], int(some.sum()))
    return X


def mixed_columns(rng: np.random.Generator) -> Any:
    X = usual(rng)
    return X * 10.0 ** rng.uniform(-12, 12, X.shape[1])


def denormals(rng: np.random.Generator) -> Any:
    return rng.integers(0, 50, shape_of(rng)) * 5e-324


def almost_equal(rng: np.random.Generator) -> Any:
    return 1.0 + rng.integers(0, 4, shape_of(rng)) * np.finfo(np.float64).eps


def mostly_zero(rng: np.random.Generator) -> Any:
    X = usual(rng)
    return np.where(rng.random(X.shape) < 0.9, 0.0, X)


def line(rng: np.random.Generator) -> Any:
    n, d = shape_of(rng)
    return np.outer(np.linspace(-1, 1, n), np.ones(d)) * rng.choice([1.0, 1e9])


def largest(rng: np.random.Generator) -> Any:
    return rng.choice([-1.0, 1.0, 0.5], shape_of(rng)) * np.finfo(rng.choice(["f4", "f8"])).max


ROWS = (
    usual, usual, constant, duplicates, grid, scaled, scaled, shifted, outliers, mixed_columns,
    denormals, almost_equal, mostly_zero, line, largest,
)  # fmt: skip


# Kinds of rows: functions (values, folder) -> what is passed to `fit`


def mapped(values: Any, folder: Path) -> Any:
    np.save(folder / "rows.npy", values)
    return np.load(folder / "rows.npy", mmap_mode="r")


def every_second(values: Any, folder: Path) -> Any:
    return np.repeat(np.repeat(values, 2, 0), 2, 1)[::2, ::2]


def reversed_rows(values: Any, folder: Path) -> Any:
    return np.ascontiguousarray(values[::-1])[::-1]


def big_endian(values: Any, folder: Path) -> Any:
    return values.astype(values.dtype.newbyteorder(">"))


def read_only(values: Any, folder: Path) -> Any:
    values = values.copy()
    values.flags.writeable = False
    return values


def in_sparse(kind: Any, values: Any, folder: Path) -> Any:
    return kind(values if values.dtype != np.float16 else values.astype(np.float32))


def frame(values: Any, folder: Path) -> Any:
    import pandas

    return pandas.DataFrame(values, columns=[f"x{j}" for j in range(values.shape[1])])


def arrow(values: Any, folder: Path) -> Any:
    import polars

    return polars.DataFrame({f"x{j}": column for j, column in enumerate(values.T)})


KINDS: tuple[Callable[[Any, Path], Any], ...] = (
    lambda values, folder: values,
    lambda values, folder: np.asfortranarray(values),
    mapped,
    every_second,
    reversed_rows,
    big_endian,
    read_only,
    partial(in_sparse, sparse.csr_matrix),
    partial(in_sparse, sparse.csc_array),
    partial(in_sparse, sparse.coo_matrix),
    lambda values, folder: np.matrix(values),
    lambda values, folder: values.tolist(),
    frame,
)


# Estimators: functions (rng) -> an estimator with random parameters


def settings(rng: np.random.Generator) -> dict[str, Any]:
    return {
        "n_clusters": int(rng.choice([1, 2, 3, 5, 12])),
        "random_state": int(rng.integers(100)),
        "n_jobs": int(rng.choice([1, 2])),
    }


def few(rng: np.random.Generator) -> dict[str, Any]:
    some = {
        "n_landmarks": int(rng.choice([2, 8, 30, 400])),
        "metric": str(rng.choice(["euclidean", "euclidean", "cosine"])),
    }
    return settings(rng) | some


def joined(rng: np.random.Generator) -> dict[str, Any]:
    return few(rng) | {
        "n_base": int(rng.choice([1, 2, 4])),
        "consensus": str(rng.choice(["linkage", "bipartite", "lwgp", "eac", "kcc"])),
        "noise": None if rng.random() < 0.8 else 0.1,
        "min_cluster_size": int(rng.choice([1, 1, 1, 4])),
    }


def no_metric(some: dict[str, Any]) -> dict[str, Any]:
    return some | {"metric": "euclidean"}


ESTIMATORS: tuple[Callable[[np.random.Generator], Any], ...] = (
    lambda rng: lsec.LSEC(**joined(rng), n_neighbors=(2, 3)),
    lambda rng: lsec.LSEC(**joined(rng)),
    lambda rng: lsec.USENC(**few(rng), n_base=int(rng.choice([1, 2, 4]))),
    lambda rng: lsec.EnsembleClustering(**no_metric(joined(rng)), generator="kmeans"),
    lambda rng: lsec.EnsembleClustering(**joined(rng), generator="dncsc"),
    lambda rng: lsec.DnCSC(**few(rng)),
    lambda rng: lsec.USPEC(**few(rng)),
    lambda rng: lsec.LightKMeans(**settings(rng)),
    lambda rng: lsec.LSEC(**no_metric(joined(rng)), categorical_features=CATEGORICAL),
)


# Label matrices


def join(rng: np.random.Generator) -> str:
    """Join a random label matrix: labels are in range, and names of labels do not matter."""
    n, m = int(rng.integers(1, 120)), int(rng.integers(1, 12))
    labels = rng.integers(-1 if rng.random() < 0.3 else 0, int(rng.integers(1, 15)), (n, m))
    method, k = str(rng.choice(list(METHODS))), int(rng.choice([1, 2, 3, 7]))
    wanted = "auto" if rng.random() < 0.2 else k
    kind = rng.choice(["i8", "i4", "f4", "f8", "i2"])
    given = {"random_state": 0, "full_output": True}
    found = accepted(
        lambda: lsec.consensus(labels.astype(kind), wanted, method, n_jobs=1, **given), *ERRORS
    )
    if found is None:
        return REFUSED
    check_labels(found.labels, n, found.n_clusters)
    require(len(np.unique(found.labels)) == found.n_clusters, "a cluster is empty")
    require(wanted == "auto" or found.n_clusters == k, "not as many clusters as asked for")
    confidence, membership = found.confidence, found.membership
    require(((confidence > 0) & (confidence <= 1)).all(), "confidence is not from 0 to 1")
    require(np.allclose(membership.sum(axis=1), 1, atol=1e-5), "membership does not sum to 1")
    require((membership.argmax(axis=1) == found.labels).all(), "membership contradicts labels")
    require(np.array_equal(kept(lambda: found.predict(labels)), found.labels), "predict differs")
    names = rng.permutation(1000) * 7
    renamed = [np.where(column < 0, -5, names[column]) for column in labels.T]
    again = kept(lambda: lsec.consensus(renamed, wanted, method, n_jobs=2, **given))
    tied = m == 1  # any way to merge its clusters is as good as any other
    require(tied or np.array_equal(again.labels, found.labels), "names of labels or threads matter")
    return WORKED
