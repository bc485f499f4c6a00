"""What runs in a measured process: each function times its laps and returns plain values.

Heavy modules are imported inside the functions, since `import_time` wants none of them loaded.
"""

from __future__ import annotations

import hashlib
import importlib
import sys


def stage(clock, **asked) -> dict:
    """Write a data set to ``X.npy`` and ``y.npy``, or say why it cannot be loaded."""
    from lsec.bench import tasks

    return tasks.stage(clock, **asked)


def fit(clock, folder: str, estimator: str, parameters: dict, thorough: bool) -> dict:
    """Fit an estimator once, warm."""
    from lsec.bench.tasks import load_rows, scores

    X = load_rows(folder)
    _warm(estimator, parameters, X, thorough)
    with clock.lap("fit"):
        model = _build(estimator, parameters).fit(X)
    return {
        "n_rows": X.shape[0],
        "input_bytes": X.nbytes,
        "labels": hashlib.sha256(model.labels_.tobytes()).hexdigest()[:16],
        "timings": getattr(model, "timings_", {}),
        **scores(folder, model.labels_),
    }


def fit_and_predict(
    clock, folder: str, new_folder: str, estimator: str, parameters: dict, thorough: bool
) -> dict:
    """Fit an estimator, then label rows that it has not seen."""
    from lsec.bench.tasks import MORE_ROWS, load_rows, scores

    X, new = load_rows(folder), load_rows(new_folder)
    _warm(estimator, parameters, X, thorough).predict(new[:MORE_ROWS])
    with clock.lap("fit"):
        model = _build(estimator, parameters).fit(X)
    with clock.lap("predict"):
        labels = model.predict(new)
    return {
        "n_rows": X.shape[0],
        "n_new_rows": new.shape[0],
        "input_bytes": X.nbytes + new.nbytes,
        **scores(new_folder, labels),
    }


def interleave(
    clock, folder: str, settings: dict[str, dict], eigh_threads: dict[str, int | None], repeats: int
) -> dict:
    """Time a dense eigenproblem and some estimators in turn, in one warm process."""
    import numpy as np
    from scipy.linalg import eigh
    from threadpoolctl import threadpool_limits

    from lsec.bench.tasks import load_rows, scores

    X = load_rows(folder)
    matrix = np.random.default_rng(0).normal(size=(1000, 1000))
    matrix += matrix.T
    with threadpool_limits(1, user_api="blas"):
        eigh(matrix, subset_by_index=[960, 999])
    for name, parameters in settings.items():
        _build(name, parameters).fit(X)
    found = {}
    for _ in range(repeats):
        for lap, n_threads in eigh_threads.items():
            with threadpool_limits(n_threads, user_api="blas"), clock.lap(lap):
                eigh(matrix, subset_by_index=[960, 999])
        for name, parameters in settings.items():
            with clock.lap(name):
                model = _build(name, parameters).fit(X)
            found[name] = scores(folder, model.labels_)
    return {"scores": found, "input_bytes": X.nbytes}


def import_time(clock, module: str, name: str | None) -> dict:
    """Import a module, or a name from it."""
    with clock.lap("import"):
        loaded = importlib.import_module(module)
        if name is not None:
            getattr(loaded, name)
    return {"numba": "numba" in sys.modules}


def first_fit(clock, n_rows: int, n_features: int, parameters: dict) -> dict:
    """Fit LSEC twice in a process that has not loaded numba."""
    from lsec import LSEC
    from lsec.datasets import make_flower

    X = make_flower(n_rows, random_state=0)[0]
    if n_features != X.shape[1]:
        X = _round_clusters(n_rows, n_features)
    for lap in ("first", "second"):
        with clock.lap(lap):
            LSEC(13, random_state=0, **parameters).fit(X)
    return {"input_bytes": X.nbytes}


def _round_clusters(n_rows: int, n_features: int):
    """Thirteen Gaussian clusters."""
    import numpy as np

    rng = np.random.default_rng(0)
    centers = 5 * rng.normal(size=(13, n_features))
    return centers[rng.integers(0, 13, n_rows)] + rng.normal(size=(n_rows, n_features))


def _build(estimator: str, parameters: dict):
    if estimator == "KMeans":
        from sklearn.cluster import KMeans

        return KMeans(n_init=1, **parameters)
    import lsec

    return getattr(lsec, estimator)(**parameters)


def _warm(estimator: str, parameters: dict, X, thorough: bool):
    """Fit a few rows, lightly and, if thorough, with the parameters to be timed."""
    from lsec.bench.tasks import FEW_ROWS, warm_up

    light = warm_up(lambda: _build(estimator, parameters), X)
    return _build(estimator, parameters).fit(X[:FEW_ROWS]) if thorough else light
