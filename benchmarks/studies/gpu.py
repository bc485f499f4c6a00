"""A GPU against the CPU.

`LSEC(device="cuda")` fits rows that live on the device and rows of the host; the CPU engine fits
the same rows with all cores and with two, and k-means (Lloyd steps in CuPy, from random rows, until
no center moves by more than 1e-4 of the spread, at most 300) runs on the same card. Times are
medians of whole fits after a first one that compiles everything. Kernels are timed on the 20
million rows of FL, for one landmark set of 1000 landmarks and six neighbors, and one member.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks.harness.data import DATA, DataSet
from benchmarks.harness.embeddings import make_unit_clusters
from benchmarks.pages.numbers import number
from benchmarks.pages.table import Table
from benchmarks.studies.figures import NOT_YET, absence, at_most, holds, runs_of, table
from benchmarks.studies.study import Cells, NotLoaded, Session

RESUMABLE = True
DEVICE, HOST, FILE = "rows on the GPU", "rows on the host", "a .npy file"
ALL, TWO, KMEANS = "CPU, all cores", "CPU, two cores", "k-means on the GPU"
PREDICT = "predict on the GPU"
PLACES = (DEVICE, HOST, FILE, ALL, TWO, KMEANS, PREDICT)
FLOWER, FLOWER_DEFAULT = "FL-20M, 1000 landmarks", "FL-20M, default"
BILLION, DIGITS, WIDE = "CG-1B", "MNIST", "5M x 256, 4000 landmarks"
SPARED = {  # runs that take long, and tell nothing new
    FLOWER_DEFAULT: (TWO, KMEANS, PREDICT),
    BILLION: (HOST, ALL, TWO, KMEANS),
    WIDE: (TWO, HOST, KMEANS),
}
TARGETS = {
    (FLOWER, DEVICE): 1.2,
    (FLOWER, HOST): 1.4,
    (FLOWER, PREDICT): 0.3,
    (BILLION, DEVICE): 25.0,
    (DIGITS, HOST): 2.0,
    (WIDE, DEVICE): 6.0,
}
FLOORS = {"nearest landmarks": 35.0, "Gram sums": 13.0, "base labels": 3.1, "distinct rows": 12.0}
KERNELS = {
    "nearest_by_routes": "nearest landmarks",
    "add_to_gram": "Gram sums",
    "label_rows": "base labels",
    "enter_rows": "distinct rows",
}
SAME = ("tb", "sf", "cc", "cg", "pendigits", "letters", "usps", "usps_balanced", "covertype")
SPECTRUM = {"n_features": 384, "n_clusters": 20, "length": 0.5, "decay": 0.5, "random_state": 0}
EMBEDDINGS = DataSet(
    "embeddings",
    "embeddings",
    100_000,
    384,
    20,
    "make_unit_clusters",
    {"n_samples": 100_000, **SPECTRUM},
)
COMPARED = {**{key: DATA[key] for key in SAME}, EMBEDDINGS.key: EMBEDDINGS}
TOLERANCE, MOST_STEPS = 1e-4, 300
STAGES = ("landmarks", "neighbors", "Gram", "eigenvectors", "labels", "consensus")


# Rows


def flower(session: Session) -> np.ndarray:
    return made("make_flower", session.plan.pick(20_000_000, 20_000))


def billion(session: Session) -> np.ndarray:
    return made("make_circles_gaussians", session.plan.pick(1_000_000_000, 50_000))


def digits(session: Session) -> np.ndarray:
    return loaded(session.plan.pick("mnist", "pendigits"))


def wide(session: Session) -> np.ndarray:
    """Fifty Gaussian clusters, noise the same in all directions."""
    n, rng = session.plan.pick(5_000_000, 20_000), np.random.default_rng(0)
    centers = 0.7 * rng.standard_normal((50, 256), np.float32)
    rows = np.empty((n, 256), np.float32)
    for low in range(0, n, 500_000):
        part = rows[low : low + 500_000]
        rng.standard_normal(out=part, dtype=np.float32)
        part += centers[rng.integers(0, 50, len(part))]
    return rows


def made(maker: str, n_rows: int) -> np.ndarray:
    from lsec import datasets

    return getattr(datasets, maker)(n_rows, random_state=0)[0]


def loaded(key: str) -> np.ndarray:
    from lsec import datasets

    data = EMBEDDINGS if key == EMBEDDINGS.key else DATA[key]
    if data is EMBEDDINGS:
        with tempfile.TemporaryDirectory() as folder:
            return np.array(make_unit_clusters(**data.options, out=Path(folder) / "rows.npy")[0])
    if data.made:
        return made(data.source, data.n_rows)
    try:
        return getattr(datasets, data.source)(**data.options).data
    except FileNotFoundError as error:
        raise NotLoaded(str(error).split(". Looked for")[0][:200]) from error


CASES: dict[str, tuple[Callable[[Session], np.ndarray], int, dict[str, Any]]] = {
    FLOWER: (flower, 13, {"n_landmarks": 1000}),
    FLOWER_DEFAULT: (flower, 13, {}),
    DIGITS: (digits, 10, {}),
    WIDE: (wide, 50, {"n_landmarks": 4000}),
    BILLION: (billion, 11, {}),
}


# Measurements


def run(session: Session) -> None:
    with session.attempt("gpu"):
        card = find_card()
        for name, (make, n_clusters, options) in CASES.items():
            places = [place for place in PLACES if place not in SPARED.get(name, ())]
            if name != BILLION:
                places.remove(FILE)
            if all(f"{name}/{place}/0" in session.cells for place in places):
                continue
            options = {**session.plan.parameters("LSEC"), **options, "random_state": 0}
            with session.attempt(name):
                measure_case(session, name, make(session), n_clusters, options, places, card)
        for key in session.plan.chosen(list(COMPARED)):
            with session.attempt(f"same/{key}"):
                session.cell(f"same/{key}", lambda key=key: compare(session, key))


def find_card() -> str:
    """Name of the GPU."""
    from lsec.kernels.cuda.device import open_device

    try:
        xp = open_device(0).xp
    except (ImportError, OSError) as error:
        raise NotLoaded(str(error)) from error
    name: str = xp.cuda.runtime.getDeviceProperties(0)["name"].decode()
    return name


def measure_case(
    session: Session,
    name: str,
    rows: np.ndarray,
    n_clusters: int,
    options: dict[str, Any],
    places: list[str],
    card: str,
) -> None:
    """Fit the same rows in every place."""
    import cupy

    from lsec import LSEC

    there, fitted = cupy.asarray(rows), {}

    def fit(place: str, repeat: int) -> dict:
        given = there if place == DEVICE else rows
        two = {"n_jobs": 2} if place == TWO else {}
        device = "cpu" if place in (ALL, TWO) else "cuda"
        with stored(given) if place == FILE else as_it_is(given) as X:
            model = LSEC(n_clusters, device=device, **two, **options)
            seconds, _ = timed(lambda: model.fit(X))
        found = {"labels": digest(model.labels_), "stages": model.timings_}
        if place == DEVICE:
            fitted[DEVICE] = model
        return {"seconds": seconds, "n_rows": len(rows), "card": card, **found}

    def measure(place: str, repeat: int) -> dict:
        if place == KMEANS:
            seconds, n_steps = timed(lambda: lloyd(there, n_clusters))
            return {"seconds": seconds, "steps": n_steps, "card": card, "n_rows": len(rows)}
        if place == PREDICT:
            seconds, labels = timed(lambda: fitted[DEVICE].predict(there))
            return {"seconds": seconds, "labels": digest(labels), "card": card, "n_rows": len(rows)}
        return fit(place, repeat)

    for place in places:
        often = place in (DEVICE, HOST, PREDICT, KMEANS) and name != BILLION
        if place != FILE and place not in (ALL, TWO):
            measure(place, 0)  # compiles
        for repeat in range(3 if often and not session.plan.small else 1):
            key = f"{name}/{place}/{repeat}"
            session.cell(key, lambda place=place, repeat=repeat: measure(place, repeat))
    if name == FLOWER:
        session.cell("kernels", lambda: kernel_times(lambda: fit(DEVICE, 0)))


@contextmanager
def as_it_is(rows: Any) -> Iterator[Any]:
    yield rows


@contextmanager
def stored(rows: np.ndarray) -> Iterator[Path]:
    """The rows in a file."""
    with tempfile.TemporaryDirectory() as folder:
        np.save(f"{folder}/rows.npy", rows)
        yield Path(folder) / "rows.npy"


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of some work, until the device is idle."""
    import cupy

    start = time.perf_counter()
    result = work()
    cupy.cuda.runtime.deviceSynchronize()
    return time.perf_counter() - start, result


def digest(labels: Any) -> str:
    """A name for labels, on any device."""
    import cupy

    return blake2b(cupy.asnumpy(labels).astype(np.int32).data, digest_size=8).hexdigest()


def lloyd(rows: Any, n_clusters: int) -> int:
    """k-means in CuPy; the number of steps."""
    import cupy as cp

    spread = float(rows.var(axis=0, dtype=cp.float64).mean())
    drawn = np.random.default_rng(0).choice(len(rows), n_clusters, replace=False)
    centers = rows[cp.asarray(drawn)].astype(cp.float32)
    step, shift = 0, np.inf
    while step < MOST_STEPS and shift > TOLERANCE * spread:
        step += 1
        squares = (centers * centers).sum(axis=1)
        labels = cp.empty(len(rows), cp.int32)
        for low in range(0, len(rows), 2**24):
            part = rows[low : low + 2**24].astype(cp.float32, copy=False)
            labels[low : low + 2**24] = (squares - 2 * part @ centers.T).argmin(axis=1)
        counts = cp.maximum(cp.bincount(labels, minlength=n_clusters), 1)
        features = [cp.bincount(labels, rows[:, f], n_clusters) for f in range(rows.shape[1])]
        moved = (cp.stack(features, axis=1) / counts[:, None]).astype(cp.float32)
        centers, shift = moved, ((moved - centers) ** 2).sum()
    return step


def kernel_times(fit: Callable[[], Any]) -> dict:
    """Milliseconds of each kernel, over all rows, for one landmark set or one member."""
    from lsec.kernels.cuda.device import Device

    launch, spent = Device.launch, {name: [] for name in KERNELS}

    def timed_launch(self, source, name, n, *arguments, **constants):
        self.synchronize()
        start = time.perf_counter()
        launch(self, source, name, n, *arguments, **constants)
        self.synchronize()
        spent.setdefault(name, []).append(1000 * (time.perf_counter() - start))

    Device.launch = timed_launch
    try:
        fit()
    finally:
        Device.launch = launch
    return {shown: median(spent[name]) for name, shown in KERNELS.items()}


def compare(session: Session, key: str) -> dict:
    """Labels of a data set on the GPU and on the CPU."""
    from lsec import LSEC

    rows = loaded(key)[: session.plan.pick(None, 5000)]
    options = {"random_state": 0, **session.plan.parameters("LSEC")}
    models = [
        LSEC(COMPARED[key].n_clusters, device=device, **options).fit(rows)
        for device in ("cuda", "cpu")
    ]
    same = all(
        np.array_equal(getattr(models[0], name), getattr(models[1], name))
        for name in ("labels_", "base_labels_")
    )
    return {"n_rows": len(rows), "n_features": rows.shape[1], "same": same}


# Tables


def tables(cells: Cells) -> list[Table]:
    if "gpu/not run" in cells:
        return [table("Fits", ("rows", "seconds"), [("all", absence(cells, "gpu"))])]
    return [fits_table(cells), stages_table(cells), kernels_table(cells), same_table(cells)]


def fits_table(cells: Cells) -> Table:
    """Seconds of whole fits, targets and verdicts."""
    shown = []
    for name in CASES:
        labels = {
            cell["labels"]
            for key, cell in cells.items()
            if key.startswith(f"{name}/") and "labels" in cell
        }
        for place in PLACES:
            runs = runs_of(cells, f"{name}/{place}")
            if not runs:
                continue
            seconds = median(run["seconds"] for run in runs)
            target = TARGETS.get((name, place))
            verdict = "-" if target is None else at_most(seconds, target)
            goal = "-" if target is None else f"at most {target:g}"
            same = "-" if place == KMEANS else ("same" if len(labels) == 1 else "differ")
            shown.append((name, place, number(seconds), goal, verdict, same))
    columns = ("rows", "place", "seconds", "target", "verdict", "labels")
    return table("Whole fits", columns, shown)


def stages_table(cells: Cells) -> Table:
    """Seconds of the stages of the fit of median time, in every place."""
    shown = []
    for name in CASES:
        for place in (DEVICE, HOST, FILE, ALL, TWO):
            runs = sorted(runs_of(cells, f"{name}/{place}"), key=lambda run: run["seconds"])
            if runs:
                stages = runs[len(runs) // 2]["stages"]
                shown.append((name, place, *(number(stages[stage]) for stage in STAGES)))
    return table("Stages", ("rows", "place", *STAGES), shown)


def kernels_table(cells: Cells) -> Table:
    """Milliseconds of kernels beside plain ones in Triton."""
    spent = cells.get("kernels", {})
    shown = [
        (name, number(spent[name]), number(floor), at_most(spent[name], 2 * floor))
        if name in spent
        else (name, NOT_YET, number(floor), "-")
        for name, floor in FLOORS.items()
    ]
    columns = ("kernel", "ms for 20M rows", "plain Triton kernel", "within twice")
    return table("Kernels", columns, shown)


def same_table(cells: Cells) -> Table:
    """Whether labels and base labels are those of the CPU, bit for bit."""
    shown = []
    for key, data in COMPARED.items():
        cell = cells.get(f"same/{key}")
        if cell is not None:
            size = f"{cell['n_rows']:,} x {cell['n_features']}"
            answer = "identical" if cell["same"] else "differ"
            shown.append((data.title, size, answer, holds(cell["same"])))
    return table("Labels of the GPU and of the CPU", ("data", "size", "labels", "verdict"), shown)
