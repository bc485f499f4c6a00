"""Label files: .npy, .csv or .parquet, written part by part."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import StringIO
from os import PathLike, fspath
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from lsec.output.atomic import open_atomically
from lsec.sources.npy import write_header
from lsec.sources.row_names import RowNames
from lsec.typing import AnyArray, Float32, Int32

LABEL_FORMATS = (".npy", ".csv", ".parquet")
ROW_GROUP = 2**20
LINES_AT_ONCE = 65_536
WITH_CONFIDENCE = np.dtype([("label", np.int32), ("confidence", np.float32)])


@dataclass(frozen=True)
class LabelTable(PathLike[str]):
    """A label file with more columns: names of the rows, and the confidence of their labels."""

    path: Path
    row_names: RowNames | None = None
    confidence: bool = False

    def __fspath__(self) -> str:
        return fspath(self.path)


def with_confidence(labels: AnyArray, confidence: Float32) -> AnyArray:
    """Return labels (n,) and their confidence (n,) as one array of records."""
    records = np.empty(len(labels), WITH_CONFIDENCE)
    records["label"], records["confidence"] = labels, confidence
    return records


def write_labels(
    path: Path, parts: Iterable[AnyArray], n_rows: int, row_names: RowNames | None = None
) -> Int32 | None:
    """Write labels, or records with their confidence, in parts (b,) of `n_rows` in all.

    A .npy file, which holds labels alone, is returned as an int32 memmap (n_rows,).
    """
    suffix = path.suffix.lower()
    with open_atomically(path) as file:
        if suffix == ".npy":
            _write_npy(file, parts, n_rows)
        else:
            write = _write_csv if suffix == ".csv" else _write_parquet
            write(file, parts, row_names)
    return np.load(path, mmap_mode="r") if suffix == ".npy" else None


def _write_npy(file: BinaryIO, parts: Iterable[AnyArray], n_rows: int) -> None:
    write_header(file, (n_rows,), "<i4")
    for part in parts:
        file.write(np.ascontiguousarray(part, "<i4").data)


def _write_csv(file: BinaryIO, parts: Iterable[AnyArray], row_names: RowNames | None) -> None:
    header = list(row_names.names) if row_names else []
    for number, part in enumerate(parts):
        columns = _columns(part)
        if not number:
            file.write(_lines([[name] for name in header + list(columns)]))
        for start in range(0, len(part), LINES_AT_ONCE):
            rows = slice(start, min(start + LINES_AT_ONCE, len(part)))
            names = row_names.take(rows.stop - rows.start) if row_names else []
            file.write(_lines(names + [_texts(column[rows]) for column in columns.values()]))


def _texts(values: AnyArray) -> list[Any]:
    """Return what is written of numbers, float32 with as few digits as it takes."""
    return values.tolist() if values.dtype.kind == "i" else list(map(str, values))


def _lines(columns: list[Any]) -> bytes:
    """Return columns as lines of text."""
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerows(zip(*columns, strict=True))
    return text.getvalue().encode()


def _write_parquet(file: BinaryIO, parts: Iterable[AnyArray], row_names: RowNames | None) -> None:
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

    writer = None
    try:
        for group in _joined(parts):
            columns: dict[str, Any] = {}
            if row_names:
                kinds = row_names.types or [pa.string()] * len(row_names.names)
                taken = row_names.take(len(group))
                for name, kind, values in zip(row_names.names, kinds, taken, strict=True):
                    columns[name] = pa.array(values, kind)
            table = pa.table(columns | _columns(group))
            writer = writer or ParquetWriter(file, table.schema)
            writer.write_table(table)
    finally:
        if writer is not None:
            writer.close()


def _columns(part: AnyArray) -> dict[str, AnyArray]:
    """Return the columns of a part: labels, and perhaps their confidence."""
    if part.dtype.names is None:
        return {"label": part.astype(np.int32, copy=False)}
    return {name: np.ascontiguousarray(part[name]) for name in part.dtype.names}


def _joined(parts: Iterable[AnyArray]) -> Iterator[AnyArray]:
    """Join small parts to groups of at least `ROW_GROUP` rows."""
    waiting: list[AnyArray] = []
    for part in parts:
        waiting.append(part)
        if sum(map(len, waiting)) >= ROW_GROUP:
            yield np.concatenate(waiting)
            waiting.clear()
    if waiting:
        yield np.concatenate(waiting)
