"""Model files: every value and array of valid files is changed, and files are damaged as bytes.

Allowed: a `ValueError` that names the file, or a model that predicts. Loading may take no more
memory than twice the file, beside what any small file takes.
"""

from __future__ import annotations

import json
import tracemalloc
import warnings
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import numpy as np
from scipy import sparse

import lsec
from benchmarks.attack.case import (
    REFUSED,
    WORKED,
    Broken,
    accepted,
    check_labels,
    require,
)
from benchmarks.attack.mutate import hostile_value, mutate_array, mutate_bytes, nodes_of
from lsec.model_files.archive import read_archive, write_archive

N_ROWS = 300
SLACK_BYTES = 2**21  # beside twice the file: the document as objects, the directory of the archive
SMALL = {"random_state": 0, "n_jobs": 1}
FEW = {**SMALL, "n_base": 3, "base_clusters": (4, 8), "n_landmarks": 24}


def models() -> dict[str, Any]:
    """Small models of every kind of content that a file may have."""
    return {
        "linkage": lsec.LSEC(3, consensus="linkage", noise=0.05, **FEW),
        "bipartite": lsec.LSEC("auto", consensus="bipartite", n_neighbors=(3,), **FEW),
        "cosine": lsec.USENC(3, metric="cosine", **FEW),
        "single": lsec.DnCSC(3, n_landmarks=24, n_neighbors=3, **SMALL),
        "kmeans": lsec.LightKMeans(3, **SMALL),
        "pool": lsec.EnsembleClustering(3, generator="kmeans", n_base=3, **SMALL),
        "table": lsec.LSEC(3, categorical_features=[0], scale_numeric=True, **FEW),
        "sparse": lsec.LightKMeans(3, **SMALL),
    }


def rows(name: str) -> Any:
    """Rows that a model is fitted to; those of "single" are wide, so that it has no routes."""
    width = {"single": 24, "table": 3}.get(name, 2)
    rng = np.random.default_rng(1)
    X = rng.normal(size=(N_ROWS, width)) + 6 * rng.integers(0, 3, (N_ROWS, 1))
    if name == "table":
        X[:, 0] = X[:, 0].round()  # categories
    return sparse.csr_matrix(X) if name == "sparse" else X


def prepare(folder: Path) -> None:
    """Fit and save the models once."""
    warnings.simplefilter("ignore")
    for name, model in models().items():
        path = folder / f"{name}.lsec"
        if not path.exists():
            model.fit(rows(name)).save(path)
        lsec.load(path).predict(rows(name))


def attack(case: int, rng: np.random.Generator, folder: Path) -> str:
    """Change a file and try to use it."""
    names = list(models())
    name = names[case % len(names)]
    content = (folder / f"{name}.lsec").read_bytes()
    changed = WAYS[int(rng.integers(len(WAYS)))](content, rng)
    path = folder / f"attacked-{case}.lsec"
    path.write_bytes(changed)
    try:
        model = load(path, len(changed))
        if model is None:
            return REFUSED
        use(model, rows(name))
        return WORKED
    finally:
        path.unlink()


def load(path: Path, n_bytes: int) -> Any:
    """The model of a file, or None if it is refused; checks the memory that it takes."""
    allowed = 2 * n_bytes + SLACK_BYTES
    for _ in range(2):  # modules that are imported on the way count only once
        tracemalloc.start()
        try:
            model = accepted(lambda: lsec.load(path), ValueError, names=path.name)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        if peak <= allowed:
            return model
    raise Broken(f"load of {n_bytes} bytes took {peak}")


def use(model: Any, X: Any) -> None:
    """Predict, twice: labels are in range and the same."""
    if model.n_features_in_ != X.shape[1]:
        X = np.resize(rows("single"), (20, model.n_features_in_))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            labels, again = model.predict(X), model.predict(X)
    except Exception as error:
        problem = f"{type(error).__name__}: {str(error)[:200]}"
        raise Broken(f"an accepted model does not predict: {problem}") from error
    n_clusters = getattr(model, "n_clusters_", model.n_clusters)
    check_labels(labels, X.shape[0], n_clusters, getattr(model, "noise", None) is not None)
    require(np.array_equal(labels, again), "labels change from one call to the next")


# Ways to change a file: functions (content, rng) -> content


def values(content: bytes, rng: np.random.Generator) -> bytes:
    """Change one to three values of the document."""
    document, arrays = read_archive(BytesIO(content))
    for _ in range(int(rng.integers(1, 4))):
        nodes = list(nodes_of(document))
        holder, key = nodes[int(rng.integers(len(nodes)))]
        way = rng.random()
        if way < 0.1:
            del holder[key]
        elif way < 0.2:
            other, place = nodes[int(rng.integers(len(nodes)))]
            if holder is not other[place]:  # a loop could not be written
                holder[key] = json.loads(json.dumps(other[place]))
        elif way < 0.3 and isinstance(holder, dict):
            holder[str(hostile_value(0, rng))[:50]] = hostile_value(0, rng)
        else:
            holder[key] = hostile_value(holder[key], rng)
    return written(document, arrays)


def one_array(content: bytes, rng: np.random.Generator) -> bytes:
    """Change one or two arrays."""
    document, arrays = read_archive(BytesIO(content))
    for _ in range(int(rng.integers(1, 3))):
        number = int(rng.integers(len(arrays)))
        others = list(arrays.values())
        arrays[number] = mutate_array(arrays[number], others, rng)
    return written(document, arrays)


def values_and_arrays(content: bytes, rng: np.random.Generator) -> bytes:
    """Change both, since one may vouch for the other."""
    return one_array(values(content, rng), rng) if rng.random() < 0.5 else twins(content, rng)


def twins(content: bytes, rng: np.random.Generator) -> bytes:
    """Drop or repeat the same positions of all arrays of a length."""
    document, arrays = read_archive(BytesIO(content))
    length = len(arrays[int(rng.integers(len(arrays)))])
    kept = rng.integers(0, length, max(1, length + int(rng.integers(-2, 3))))
    kept = np.sort(kept) if rng.random() < 0.5 else np.arange(len(kept)) % length
    for number, array in arrays.items():
        if len(array) == length and rng.random() < 0.9:
            arrays[number] = array[kept]
    return written(document, arrays)


def written(document: Any, arrays: Any) -> bytes:
    """The bytes of a document and arrays, also of such as `save` would never write."""
    file = BytesIO()
    try:
        write_archive(file, document, [arrays[number] for number in sorted(arrays)])
    except ValueError:  # NaN in the document
        with ZipFile(file := BytesIO(), "w") as archive:
            archive.writestr("model.json", json.dumps(document))
    return file.getvalue()


def damaged(content: bytes, rng: np.random.Generator) -> bytes:
    """Bytes that are changed, lost, or repeated."""
    return mutate_bytes(content, rng)


def entries(content: bytes, rng: np.random.Generator) -> bytes:
    """Entries that are changed, renamed, lost, repeated or compressed, with good checksums."""
    with ZipFile(BytesIO(content)) as archive:
        found = [(name, archive.read(name)) for name in archive.namelist()]
    place = int(rng.integers(len(found)))
    name, data = found[place]
    way = int(rng.integers(6))
    if way <= 1:
        found[place] = name, mutate_bytes(data, rng)
    elif way == 2:
        found[place] = str(rng.choice(["../x", "/etc/x", "model.json", "arrays/99.npy", ""])), data
    elif way == 3:
        del found[place]
    elif way == 4:
        found.append((name, data))
    else:
        found[place] = name, bytes(int(rng.integers(2**20)))  # shrinks to nothing
    kind = ZIP_DEFLATED if way == 5 or rng.random() < 0.1 else ZIP_STORED
    file = BytesIO()
    with ZipFile(file, "w", kind) as archive:
        for entry, data in found:
            archive.writestr(entry or "x", data)
    return file.getvalue()


Way = Callable[[bytes, np.random.Generator], bytes]
WAYS: tuple[Way, ...] = (values, values, one_array, one_array, values_and_arrays, damaged, entries)
