"""Files of rows and of labels: damaged, cut, lying, hostile, or changing while they are read.

Allowed: an error that names the file, or rows of the shape that it has, read twice with the same
result. Whatever a file refers to outside stays unread, and nothing in it is run.
"""

from __future__ import annotations

import gzip
import json
import os
import pickle
import shutil
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import zarr

import lsec
from benchmarks.attack.case import REFUSED, WORKED, accepted, check_labels, require
from benchmarks.attack.mutate import mutate_bytes
from lsec.cli.label_tables import read_labels

ERRORS = (ValueError, OSError, MemoryError)
SECRET = 123456.0  # in files that others refer to; no file of rows has it


def prepare(folder: Path) -> None:
    """Load the libraries that decode files."""
    warnings.simplefilter("ignore")
    (folder / "canary").unlink(missing_ok=True)
    for store in STORES:
        use(store(fresh(folder), rows(np.random.default_rng(0))), folder)


def fresh(folder: Path) -> Path:
    """An empty folder for a case."""
    place = folder / "case"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    return place


def rows(rng: np.random.Generator) -> Any:
    n, d = int(rng.integers(5, 300)), int(rng.integers(1, 5))
    return rng.integers(-40, 40, (n, d)) / 8


def attack(case: int, rng: np.random.Generator, folder: Path) -> str:
    """One file, in one of four ways."""
    way = case % 8
    if way == 7:
        return changed_while_read(rng, folder)
    if way == 6:
        return label_table(rng, folder)
    if way == 5:
        return hostile(rng, folder)
    stored = STORES[int(rng.integers(len(STORES)))](fresh(folder), rows(rng))
    inside = [file for file in (folder / "case").rglob("*") if file.is_file()]
    spoil(inside[int(rng.integers(len(inside)))], rng)
    return use(stored, folder)


def use(stored: Any, folder: Path) -> str:
    """Cluster rows of files, and label them again."""
    model = lsec.LightKMeans(2, random_state=0, n_jobs=1)
    fitted = accepted(lambda: model.fit(stored), *ERRORS)
    require(not (folder / "canary").exists(), "code in a file was run")
    if fitted is None:
        return REFUSED
    source = lsec.open_rows(stored)
    check_labels(model.labels_, source.shape[0], 2)
    require(np.array_equal(model.predict(stored), model.labels_), "predict differs from labels_")
    values = np.concatenate([source.block(i) for i in range(source.n_blocks)])
    require(np.isfinite(values).all(), "NaN or infinity was read")
    require(SECRET not in values, "another file was read")
    return WORKED


def spoil(file: Path, rng: np.random.Generator) -> None:
    """Damage a file, or put something else in its place."""
    way = int(rng.integers(10))
    content = file.read_bytes()
    if way == 0:
        file.unlink()
    elif way == 1:
        file.write_bytes(b"")
    elif way == 2:
        file.unlink()
        os.symlink(file, file)  # a link to itself
    elif way == 3:
        file.unlink()
        os.mkfifo(file)
    elif way == 4:
        file.unlink()
        file.mkdir()
    elif way == 5:
        head = content[:400]
        file.write_bytes(mutate_bytes(head, rng) + content[400:])
    else:
        file.write_bytes(mutate_bytes(content, rng))


def changed_while_read(rng: np.random.Generator, folder: Path) -> str:
    """Another thread writes to a file while it is read."""
    X = np.tile(rows(rng), (100, 1))
    stored = STORES[int(rng.integers(len(STORES)))](fresh(folder), X)
    inside = sorted(file for file in (folder / "case").rglob("*") if file.is_file())
    file, done = inside[int(rng.integers(len(inside)))], threading.Event()
    content, others = file.read_bytes(), np.random.default_rng(rng.integers(2**32))

    def change() -> None:
        while not done.is_set():
            file.write_bytes(mutate_bytes(content, others))
            done.wait(0.001)
            file.write_bytes(content)

    thread = threading.Thread(target=change)
    thread.start()
    try:
        model = lsec.LightKMeans(2, random_state=0, n_jobs=1)
        fitted = accepted(lambda: model.fit(stored), *ERRORS)
    finally:
        done.set()
        thread.join()
    if fitted is None:
        return REFUSED
    check_labels(model.labels_, len(model.labels_), 2)
    return WORKED


def label_table(rng: np.random.Generator, folder: Path) -> str:
    """A damaged table of base labels, for `lsec consensus`."""
    place, labels = fresh(folder), rng.integers(-1, 9, (int(rng.integers(3, 200)), 4))
    path = place / f"labels{rng.choice(['.npy', '.csv', '.parquet'])}"
    if path.suffix == ".npy":
        np.save(path, labels)
    elif path.suffix == ".csv":
        np.savetxt(path, labels, "%d", ",", header="a,b,c,d", comments="")
    else:
        pq.write_table(pa.table({"abcd"[j]: column for j, column in enumerate(labels.T)}), path)
    spoil(path, rng)

    def join() -> Any:
        return lsec.consensus(read_labels(path), 2, "kcc", random_state=0, n_jobs=1)

    found = accepted(join, *ERRORS)
    if found is None:
        return REFUSED
    check_labels(found, len(found), 2)
    return WORKED


# Ways to store rows: functions (folder, X) -> what is passed to `fit`


def npy(folder: Path, X: Any) -> Any:
    np.save(folder / "rows.npy", X)
    return folder / "rows.npy"


def npy_folder(folder: Path, X: Any) -> Any:
    for i, part in enumerate(np.array_split(X, 3)):
        np.save(folder / f"{i}.npy", part)
    return folder


def csv(folder: Path, X: Any) -> Any:
    header = ",".join(f"x{j}" for j in range(X.shape[1]))
    np.savetxt(folder / "rows.csv", X, "%g", ",", header=header, comments="")
    return folder / "rows.csv"


def packed_csv(folder: Path, X: Any) -> Any:
    content = csv(folder, X).read_bytes()
    (folder / "rows.csv").unlink()
    (folder / "rows.csv.gz").write_bytes(gzip.compress(content))
    return folder / "rows.csv.gz"


def parquet(folder: Path, X: Any) -> Any:
    table = pa.table({f"x{j}": column for j, column in enumerate(X.T)})
    pq.write_table(table, folder / "rows.parquet", row_group_size=50)
    return folder / "rows.parquet"


def hdf5(folder: Path, X: Any) -> Any:
    with h5py.File(folder / "rows.h5", "w") as file:
        file.create_dataset("X", data=X, chunks=(min(20, len(X)), X.shape[1]), compression="gzip")
    return folder / "rows.h5"


def zarr_array(folder: Path, X: Any) -> Any:
    path = str(folder / "rows.zarr")
    zarr.open(path, mode="w", shape=X.shape, chunks=(50, X.shape[1]), dtype=X.dtype)[:] = X
    return path


STORES = (npy, npy, npy_folder, csv, packed_csv, parquet, hdf5, zarr_array)


# Files made to do harm: functions (folder, canary, rng) -> what is passed to `fit`


class Canary:
    """Makes a file if it is unpickled."""

    def __init__(self, path: Path):
        self.path = path

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.path),)


def hostile(rng: np.random.Generator, folder: Path) -> str:
    """A file made to run code, to read other files, or to take all memory."""
    make = HOSTILE[int(rng.integers(len(HOSTILE)))]
    stored = make(fresh(folder), folder / "canary", rng)
    ending = use(stored, folder)
    require(ending == REFUSED, f"{make.__name__} was accepted")
    return ending


def objects(folder: Path, canary: Path, rng: np.random.Generator) -> Any:
    np.save(folder / "rows.npy", np.full((9, 2), Canary(canary)), allow_pickle=True)
    return folder / "rows.npy"


def promises(folder: Path, canary: Path, rng: np.random.Generator) -> Any:
    """A .npy file whose header promises far more rows than there are."""
    shape = [(2**40, 2), (2**62, 2**3), (10**9, 10**9), (3, 2**33)][int(rng.integers(4))]
    header = {"descr": "<f8", "fortran_order": bool(rng.integers(2)), "shape": shape}
    with open(folder / "rows.npy", "wb") as file:
        np.lib.format.write_array_header_2_0(file, header)
        file.write(bytes(800))
    return folder / "rows.npy"


def codec(folder: Path, canary: Path, rng: np.random.Generator) -> Any:
    about: dict[str, Any] = {"zarr_format": 2, "shape": [20, 2], "chunks": [20, 2], "dtype": "<f8"}
    about |= {"compressor": {"id": "pickle"}, "fill_value": 0, "order": "C", "filters": None}
    if rng.integers(2):
        about |= {"compressor": None, "filters": [{"id": "pickle", "protocol": 5}]}
    (folder / "rows.zarr").mkdir()
    (folder / "rows.zarr" / ".zarray").write_text(json.dumps(about))
    (folder / "rows.zarr" / "0.0").write_bytes(pickle.dumps(Canary(canary)))
    return folder / "rows.zarr"


def zarr_of_exabytes(folder: Path, canary: Path, rng: np.random.Generator) -> Any:
    path = zarr_array(folder, np.ones((20, 2)))
    about = json.loads((folder / "rows.zarr" / "zarr.json").read_text())
    about["shape"] = [2**50, 2]
    if rng.integers(2):
        about["chunk_grid"]["configuration"]["chunk_shape"] = [2**50, 2]
    (folder / "rows.zarr" / "zarr.json").write_text(json.dumps(about))
    return path


def outside(folder: Path, canary: Path, rng: np.random.Generator) -> Any:
    """An HDF5 data set whose rows lie in another file."""
    secret = np.full((20, 2), SECRET)
    secret.tofile(folder / "secret")
    with h5py.File(folder / "other.h5", "w") as file:
        file["X"] = secret
    other = str(folder / "other.h5")
    with h5py.File(folder / "rows.h5", "w") as file:
        way = int(rng.integers(4))
        if way == 0:
            file["X"] = h5py.ExternalLink(other, "X")
        elif way == 1:
            place = [(str(folder / "secret"), 0, secret.nbytes)]
            file.create_dataset("X", shape=(20, 2), dtype="f8", external=place)
        elif way == 2:
            layout = h5py.VirtualLayout((20, 2), "f8")
            layout[:] = h5py.VirtualSource(other, "X", (20, 2))
            file.create_virtual_dataset("X", layout)
        else:
            file["G"] = h5py.ExternalLink(other, "/")
            file["X"] = h5py.SoftLink("/G/X")
    return f"{folder / 'rows.h5'}::X"


def hdf5_of_exabytes(folder: Path, canary: Path, rng: np.random.Generator) -> Any:
    """A data set of which nothing is stored: all values are those that fill it."""
    chunks = (2**20, 2) if rng.integers(2) else None
    with h5py.File(folder / "rows.h5", "w") as file:
        file.create_dataset("X", shape=(2**48, 2), dtype="f8", chunks=chunks or (16, 2))
    return folder / "rows.h5"


def bomb(folder: Path, canary: Path, rng: np.random.Generator) -> Any:
    """A packed line that does not fit into memory."""
    with gzip.open(folder / "rows.csv.gz", "wb", compresslevel=1) as file:
        file.write(b"1,2\n")
        for _ in range(400):
            file.write(b"0" * 2**23)
    return folder / "rows.csv.gz"


def device(folder: Path, canary: Path, rng: np.random.Generator) -> Any:
    os.symlink(rng.choice(["/dev/zero", "/dev/random", "/proc/self/mem"]), folder / "rows.npy")
    return folder / "rows.npy"


Maker = Callable[[Path, Path, np.random.Generator], Any]
HOSTILE: tuple[Maker, ...] = (
    objects, promises, codec, zarr_of_exabytes, outside, hdf5_of_exabytes, bomb, device,
)  # fmt: skip
