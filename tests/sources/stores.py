"""Ways to store rows in files, and what every source of them must hold."""

import os
import pickle

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_array_equal

from lsec.sources import ArraySource

try:
    from cloudpickle import dumps as cloud_dumps
except ImportError:
    cloud_dumps = pickle.dumps

BLOCK = 16


def set_blocks(patch):
    patch.setattr("lsec.sources.source.MOST_BLOCK_ROWS", BLOCK)
    patch.setattr("lsec.sources.source.LEAST_BLOCK_ROWS", BLOCK)


def numbers(n_rows, n_features=3):
    """Rows on the grid of eighths: exact in every float type and in text."""
    return np.random.default_rng(n_rows).integers(-90, 90, (n_rows, n_features)) / 8


# Ways to store rows: functions (folder, X) -> what `open_rows` and `fit` take


def npy(folder, X, name="rows.npy"):
    np.save(folder / name, X)
    return folder / name


def npy_fortran(folder, X):
    return str(npy(folder, np.asfortranarray(X)))


def npy_shards(folder, X):
    parts = np.split(X, [0, 1, 2, 2, max(2, len(X) // 2)])  # in an order that is not by name
    return [npy(folder, part, f"{9 - i}.npy") for i, part in enumerate(parts)]


def npy_folder(folder, X):
    for i, part in enumerate(np.array_split(X, 4)):
        npy(folder, part, f"part-{i}.npy")
    return folder


def parquet(folder, X, name="rows.parquet"):
    (folder / name).parent.mkdir(exist_ok=True)
    table = pa.table({"abcdefgh"[j]: X[:, j] for j in range(X.shape[1])})
    pq.write_table(table, folder / name, row_group_size=max(7, len(X) // 30))
    return folder / name


def parquet_folder(folder, X):
    for part, name in zip(np.array_split(X, 4), ["a", "b/1", "b/2", "c"], strict=True):
        parquet(folder, part, f"{name}.parquet")
    return str(folder)


def zarr_array(folder, X):
    path, chunks = str(folder / "rows.zarr"), (max(5, len(X) // 30), X.shape[1])
    zarr = pytest.importorskip("zarr")
    zarr.open(path, mode="w", shape=X.shape, chunks=chunks, dtype=X.dtype)[:] = X
    return path


def hdf5(folder, X):
    with pytest.importorskip("h5py").File(folder / "rows.h5", "w") as file:
        file.create_dataset("X", data=X, chunks=(min(5, len(X)), X.shape[1]))
        file["y"] = np.arange(len(X))
    return folder / "rows.h5"


def hdf5_named(folder, X):
    with pytest.importorskip("h5py").File(folder / "rows.hdf5", "w") as file:
        file["train/X"], file["test/X"] = X, X[:1]
    return f"{folder / 'rows.hdf5'}::train/X"


def csv(folder, X, header=""):
    np.savetxt(folder / "rows.csv", X, "%.17g", ",", header=header, comments="")
    return folder / "rows.csv"


def csv_header(folder, X):
    return csv(folder, X, ",".join(f'"x{j}"' for j in range(X.shape[1])))


STORES = [npy, npy_fortran, npy_shards, npy_folder, parquet, parquet_folder]
STORES += [zarr_array, hdf5, hdf5_named, csv, csv_header]


def in_memory(folder, X):
    return ArraySource(X)


def sent(source):
    """The source as another process gets it."""
    return pickle.loads(cloud_dumps(pickle.loads(pickle.dumps(source))))


def files_of(stored):
    """All files of what was stored."""
    for one in stored if isinstance(stored, list) else [stored]:
        path = str(one).partition("::")[0]
        inside = [
            os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names
        ]
        yield from inside or [path]


def assert_holds(source, X):
    """Shape, borders of blocks, blocks, and rows by position are those of the array."""
    n = len(X)
    assert source.shape == X.shape
    spans = [source.span(block) for block in range(source.n_blocks)]
    assert spans == [slice(low, min(low + BLOCK, n)) for low in range(0, n, BLOCK)]
    for block, span in enumerate(spans):
        assert_array_equal(source.block(block), X[span])
    rng = np.random.default_rng(0)
    some = [np.flatnonzero(rng.random(n) < share) for share in (0.05, 0.5)]
    for which in [np.arange(n), np.array([0]), np.array([n - 1]), np.array([0, n - 1]), *some]:
        which = np.unique(which)
        if n and which.size:
            assert_array_equal(source.take(which), X[which])
