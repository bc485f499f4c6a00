"""Labels to files, a block at a time: .npy, .csv or .parquet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import numpy as np

from lsec.output.atomic import open_atomically

LABEL_FORMATS = (".npy", ".csv", ".parquet")
ROW_GROUP = 2**20

WriteLabels = Callable[[np.ndarray], None]


@contextmanager
def open_labels(path: Path, n_rows: int) -> Iterator[WriteLabels]:
    """A function that appends labels int32 (n,) to a file.

    The file appears under its name when all went well and `n_rows` labels are in it.
    """
    writers = {".npy": _npy_writer, ".csv": _csv_writer, ".parquet": _parquet_writer}
    make_writer = writers[path.suffix.lower()]
    with open_atomically(path) as file, make_writer(file, n_rows) as write:
        yield write


def check_labels_path(path: Path) -> None:
    """Refuse a file that could not be written at the end, before the work begins."""
    if path.suffix.lower() not in LABEL_FORMATS:
        raise ValueError(f"labels_out must end in .npy, .csv or .parquet; got {str(path)!r}.")
    if path.is_dir():
        raise ValueError(f"labels_out={str(path)!r} is a folder. Name a file.")
    if not path.parent.is_dir():
        raise ValueError(f"labels_out={str(path)!r}: the folder {path.parent} does not exist.")
    if path.suffix.lower() == ".parquet":
        try:
            import pyarrow.parquet  # noqa: F401
        except ImportError as error:
            raise ImportError(
                f"Writing {path} needs pyarrow. Install it with: pip install 'lsec[io]'"
            ) from error


@contextmanager
def _npy_writer(file: BinaryIO, n_rows: int) -> Iterator[WriteLabels]:
    header = {"descr": "<i4", "fortran_order": False, "shape": (n_rows,)}
    np.lib.format.write_array_header_1_0(file, header)

    def write(labels: np.ndarray) -> None:
        file.write(np.ascontiguousarray(labels, "<i4").data)

    yield write


@contextmanager
def _csv_writer(file: BinaryIO, n_rows: int) -> Iterator[WriteLabels]:
    def write(labels: np.ndarray) -> None:
        file.write("".join(f"{label}\n" for label in labels.tolist()).encode())

    yield write


@contextmanager
def _parquet_writer(file: BinaryIO, n_rows: int) -> Iterator[WriteLabels]:
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

    schema = pa.schema([("label", pa.int32())])
    waiting: list[np.ndarray] = []

    def flush(writer: ParquetWriter) -> None:
        if waiting:
            writer.write_table(pa.table({"label": np.concatenate(waiting)}, schema))
            waiting.clear()

    with ParquetWriter(file, schema) as writer:

        def write(labels: np.ndarray) -> None:
            waiting.append(labels.astype(np.int32))
            if sum(map(len, waiting)) >= ROW_GROUP:
                flush(writer)

        yield write
        flush(writer)
