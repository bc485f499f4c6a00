"""Ways to spoil files of rows: functions (folder) -> what to open, and what must be said of it."""

import gzip
import os

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.sources.stores import hdf5, hdf5_named, npy, numbers, parquet, zarr_array


def text(folder, content, name="rows.csv"):
    (folder / name).write_text(content)
    return folder / name


def cut(path, keep):
    """The file without its end."""
    path.write_bytes(path.read_bytes()[:keep])
    return path


def overwritten(path, at, content):
    """The file with other bytes at a place."""
    with open(path, "r+b") as file:
        file.seek(at)
        file.write(content)
    return path


def scrambled(folder):
    """A Parquet file with zeros for rows, and a good footer."""
    return overwritten(parquet(folder, numbers(9000)), 4, bytes(9000))


def wrong_sum(folder):
    """A Parquet file with one bit of a row changed, which its checksum tells."""
    path = folder / "rows.parquet"
    table = pa.table({"a": np.arange(5000.0)})
    options = {"compression": "none", "use_dictionary": False, "write_page_checksum": True}
    pq.write_table(table, path, row_group_size=1000, **options)
    content = path.read_bytes()
    return overwritten(path, content.index(np.float64(2345).tobytes()), b"\1")


def with_null(folder, value):
    column = [value] * 13 + [None] + [value] * 6
    pq.write_table(pa.table({"a": range(20), "b": column}), folder / "x.parquet", row_group_size=6)
    return [parquet(folder, numbers(5, 2)), folder / "x.parquet"]


def twice_named(folder):
    table = pa.table([[1.0], [2.0]], names=["a", "a"])
    pq.write_table(table, folder / "rows.parquet")
    return folder / "rows.parquet"


def text_in_one(folder):
    pq.write_table(pa.table({"a": ["high"] * 9}), folder / "2.parquet")
    return [parquet(folder, numbers(9, 1), "1.parquet"), folder / "2.parquet"]


def nan_in_shard(folder, store, ending):
    X = numbers(60)
    X[41, 2] = np.nan
    return [store(folder, part, f"{i}{ending}") for i, part in enumerate(np.split(X, 3))]


def two_widths(folder, store, ending):
    return [store(folder, numbers(9, d), f"{d}{ending}") for d in (3, 2)]


def nan_far_inside(folder):
    """A file of 16 blocks, hardly any of it on disk."""
    X = np.lib.format.open_memmap(folder / "rows.npy", "w+", np.float32, (2**20, 2))
    X[654_321, 1] = np.nan
    return folder / "rows.npy"


def packed(folder, store):
    path = store(folder, numbers(20))
    path.write_bytes(gzip.compress(path.read_bytes()))
    return path


def hdf5_damaged(folder):
    with pytest.importorskip("h5py").File(folder / "rows.h5", "w") as file:
        rows = file.create_dataset("X", data=numbers(100), chunks=(10, 3), compression="gzip")
        place = rows.id.get_chunk_info(4).byte_offset
    return overwritten(folder / "rows.h5", place, bytes(30))


def zarr_without(folder, chunk):
    path = zarr_array(folder, numbers(40))
    found = [os.path.join(at, name) for at, _, names in os.walk(path) for name in names]
    os.remove(sorted(name for name in found if not name.endswith(("json", ".zattrs")))[chunk])
    return path


def zarr_damaged(folder):
    path = zarr_array(folder, numbers(40))
    found = [os.path.join(at, name) for at, _, names in os.walk(path) for name in names]
    cut(folder / sorted(name for name in found if not name.endswith(("json", ".zattrs")))[3], 9)
    return path


def zarr_metadata(folder):
    path = zarr_array(folder, numbers(40))
    (folder / "rows.zarr" / "zarr.json").write_text("{")
    return path


def pipe(folder, name):
    os.mkfifo(folder / name)
    return folder / name


def link_to_nothing(folder):
    os.symlink(folder / "gone.npy", folder / "rows.npy")
    return folder / "rows.npy"


def named_like_a_file(folder):
    (folder / "rows.npy").mkdir()
    return folder / "rows.npy"


def empty_shards(folder):
    return [npy(folder, numbers(0), f"{i}.npy") for i in range(2)]


BAD = {
    # Not there, or not a file
    "missing": (lambda f: f / "no.npy", r"no\.npy.*No such file|No such file.*no\.npy"),
    "missing in list": (lambda f: [npy(f, numbers(3)), f / "no.npy"], r"No such file"),
    "link to nothing": (link_to_nothing, "No such file"),
    "pipe .npy": (lambda f: pipe(f, "rows.npy"), r"rows\.npy is not a file"),
    "pipe .parquet": (lambda f: pipe(f, "rows.parquet"), r"rows\.parquet is not a file"),
    "pipe .csv": (lambda f: pipe(f, "rows.csv"), r"rows\.csv is not a file"),
    "pipe .h5": (lambda f: pipe(f, "rows.h5"), r"rows\.h5 is not a file"),
    "folder .npy": (named_like_a_file, r"rows\.npy holds neither \.parquet nor \.npy files"),
    "empty folder": (lambda f: f, "holds neither .parquet nor .npy files"),
    "ending": (lambda f: text(f, "1,2", "rows.xlsx"), r"must be in a \.npy, .*got the ending '.xl"),
    # No rows
    "no rows .npy": (lambda f: npy(f, numbers(0)), r"rows\.npy: there are no rows"),
    "no rows Parquet": (lambda f: parquet(f, numbers(0)), r"rows\.parquet: there are no rows"),
    "no rows Zarr": (lambda f: zarr_array(f, numbers(0)), r"rows\.zarr: there are no rows"),
    "no rows HDF5": (lambda f: hdf5_named(f, numbers(0)), r"train/X: there are no rows"),
    "no rows in shards": (empty_shards, r"0\.npy and \S*1\.npy: there are no rows"),
    "no columns": (lambda f: npy(f, np.empty((5, 0))), "at least one column"),
    # .npy
    "cut .npy": (lambda f: cut(npy(f, numbers(99)), 500), r"rows\.npy is not a whole \.npy file"),
    "empty .npy": (lambda f: text(f, "", "a.npy"), r"a\.npy is not a whole \.npy file"),
    "1-D .npy": (lambda f: npy(f, np.ones(9)), r"rows\.npy must hold a 2-D .* shape \(9,\)"),
    "complex .npy": (lambda f: npy(f, np.ones((9, 2)) * 1j), "real numbers; got complex128"),
    "object .npy": (lambda f: npy(f, np.full((9, 2), None)), r"rows\.npy is not .* of numbers"),
    "gzip .npy": (lambda f: packed(f, npy), r"rows\.npy is compressed with gzip\. Unpack it"),
    "widths": (lambda f: two_widths(f, npy, ".npy"), r"3\.npy has 3, \S*2\.npy has 2"),
    "NaN in shard": (lambda f: nan_in_shard(f, npy, ".npy"), r"row 1, column 2 of \S*/2\.npy is n"),
    "NaN far inside": (nan_far_inside, r"row 654321, column 1 of \S*/rows\.npy is nan"),
    # Parquet
    "cut Parquet": (lambda f: cut(parquet(f, numbers(99)), 700), r"rows\.parquet is not a whole P"),
    "cut at the end": (lambda f: cut(parquet(f, numbers(99)), -1), r"rows\.parquet is not a whole"),
    "cut to 3 bytes": (lambda f: cut(parquet(f, numbers(99)), 3), r"rows\.parquet is not a whole"),
    "no Parquet": (lambda f: text(f, "1,2\n" * 9, "a.parquet"), r"a\.parquet is not a whole Parq"),
    "scrambled Parquet": (scrambled, r"Rows 0 to 8999 of \S*rows\.parquet cannot be read"),
    "wrong checksum": (wrong_sum, r"Rows 0 to 4999 of \S*rows\.parquet cannot .* CRC checksum"),
    "null": (lambda f: with_null(f, 0.5), r"row 13, column 'b' of \S*/x\.parquet is nan"),
    "integer null": (lambda f: with_null(f, 3), r"row 13, column 'b' of \S*/x\.parquet is nan"),
    "boolean null": (lambda f: with_null(f, True), r"row 13, column 'b' of \S*/x\.parquet"),
    "NaN in Parquet": (lambda f: nan_in_shard(f, parquet, ".parquet"), r"row 1, .*/2\.parquet is"),
    "columns": (lambda f: two_widths(f, parquet, ".parquet"), r"2\.parquet has no column 'c'"),
    "two columns of a name": (twice_named, r"rows\.parquet has several columns 'a'"),
    "text in one": (text_in_one, r"'a' of \S*2\.parquet holds string, not numbers"),
    "gzip Parquet": (lambda f: packed(f, parquet), r"rows\.parquet is compressed with gzip"),
    # HDF5 and Zarr
    "cut HDF5": (lambda f: cut(hdf5(f, numbers(99)), -900), r"rows\.h5 is not a whole HDF5 file"),
    "no HDF5": (lambda f: text(f, "1,2", "a.h5"), r"a\.h5 is not a whole HDF5 file"),
    "damaged HDF5": (hdf5_damaged, r"Rows 0 to 99 of \S*rows\.h5::X cannot be read"),
    "Zarr lacks a chunk": (lambda f: zarr_without(f, 3), r"lacks 1 of its 8 chunks.* at row 15\."),
    "damaged Zarr": (zarr_damaged, r"Rows 0 to 39 of \S*rows\.zarr cannot be read"),
    "Zarr metadata": (zarr_metadata, r"rows\.zarr is not a Zarr array"),
    # CSV
    "text in csv": (lambda f: text(f, "1,2\n" * 5 + "1,x\n"), r"rows\.csv must .* 'x'.* row 5"),
    "text later": (lambda f: text(f, "1,2\n" * 50 + "1,x\n"), r"rows\.csv must .* 'x'.* row 50"),
    "gap in csv": (lambda f: text(f, "1,2\n3,\n"), r"rows\.csv must hold numbers"),
    "ragged csv": (lambda f: text(f, "1,2\n" * 5 + "1\n"), r"rows\.csv .* from 2 to 1 at row 6"),
    "ragged later": (lambda f: text(f, "1,2\n" * 45 + "1\n"), r"csv .* from 2 to 1 at row 46"),
    "ragged block": (lambda f: text(f, "1,2\n" * 20 + "1\n"), r"from 20 on have 1 .* have 2"),
    "NaN in csv": (lambda f: text(f, "1,2\n3,nan\n"), r"row 1, column 1 of .*rows\.csv is nan"),
    "empty csv": (lambda f: text(f, ""), r"rows\.csv has no rows"),
    "header alone": (lambda f: text(f, "a,b\n"), r"rows\.csv has no rows"),
}
