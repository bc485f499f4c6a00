"""Records on disk: one compressed table per study, and the lines of the run that is under way.

::

    FOLDER/NAME.csv.gz    one row per record; a column is a path into the record ("timings.labels")
    FOLDER/NAME.jsonl     records since then, a line each, written as soon as a run is done

A record is a dict of values that JSON can hold. Reading a table gives the records that were
written, and writing the same records gives the same bytes.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

Record = dict[str, Any]
KEY = "key"


class Records(Mapping[str, Record]):
    """The records of a study by key.

    Parameters
    ----------
    name : str
        Name of the files.
    folder : Path or None
        Their folder; None keeps the records in memory only.
    """

    def __init__(self, name: str, folder: Path | None = None):
        self.name = name
        self._folder = folder
        self._records: dict[str, Record] = {}
        self._changed = False
        self._whole: int | None = None  # bytes of whole lines, until the first is added
        if folder is not None:
            self._records = read_table(self._table) if self._table.is_file() else {}
            self._changed = self._lines.is_file()
            if self._changed:
                self._read_lines()

    def __getitem__(self, key: str) -> Record:
        return self._records[key]

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._records))

    def __len__(self) -> int:
        return len(self._records)

    @property
    def _table(self) -> Path:
        assert self._folder is not None
        return self._folder / f"{self.name}.csv.gz"

    @property
    def _lines(self) -> Path:
        assert self._folder is not None
        return self._folder / f"{self.name}.jsonl"

    def add(self, key: str, record: Record) -> None:
        """Keep a record, in place of one with the same key."""
        self._append(key, record)
        self._records[key] = record

    def remove(self, keys: Iterable[str]) -> None:
        """Forget records."""
        for key in [key for key in keys if key in self._records]:
            self._append(key, None)
            del self._records[key]

    def replace(self, records: Mapping[str, Record]) -> None:
        """Keep these records, and no others."""
        self._records = dict(records)
        self._changed = True

    def compact(self) -> None:
        """Move the lines of the run into the table."""
        if self._folder is not None and self._changed:
            write_table(self._table, self)
            self._lines.unlink(missing_ok=True)
            self._changed = False

    def _append(self, key: str, record: Record | None) -> None:
        if self._folder is None:
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        with open(self._lines, "ab") as file:
            if self._whole is not None:
                file.truncate(self._whole)
            file.write(json.dumps([key, record]).encode() + b"\n")
        self._whole = None
        self._changed = True

    def _read_lines(self) -> None:
        """Read the lines of a run that did not end; one it was killed in is dropped."""
        text = self._lines.read_bytes()
        whole = text[: text.rfind(b"\n") + 1]
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                key, record = json.loads(line)
            except ValueError as error:
                raise ValueError(
                    f"{self._lines}, line {number} is not a record ({error}). Remove the line, and "
                    "its run will be repeated."
                ) from error
            if record is None:
                self._records.pop(key, None)
            else:
                self._records[key] = record
        self._whole = len(whole)


def write_table(path: Path, records: Mapping[str, Record]) -> None:
    """Write records sorted by key; the file appears when it is complete."""
    rows = [{KEY: key, **_flat(records[key])} for key in sorted(records)]
    columns = dict.fromkeys(name for row in rows for name in row)
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(columns), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.part")
    with (
        open(unfinished, "wb") as file,
        gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed,
    ):
        packed.write(text.getvalue().encode())
    os.replace(unfinished, path)


def read_table(path: Path) -> dict[str, Record]:
    """Read the records of a table by key."""
    try:
        with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
            return {row.pop(KEY): _nested(row) for row in csv.DictReader(file)}
    except (OSError, EOFError, KeyError, ValueError) as error:
        raise ValueError(
            f"{path} is not a table of records ({error}). Restore or remove it."
        ) from error


def _flat(record: Record, prefix: str = "") -> dict[str, str]:
    """The leaves of a record as text, by their paths."""
    leaves: dict[str, str] = {}
    for name, value in record.items():
        if "." in name:
            raise ValueError(f"A name in a record must have no dot; got {name!r}.")
        if isinstance(value, dict) and value:
            leaves |= _flat(value, f"{prefix}{name}.")
        else:
            leaves[prefix + name] = _encode(value)
    return leaves


def _nested(row: Mapping[str, str]) -> Record:
    """The record with these leaves; an empty one was not in it."""
    record: Record = {}
    for path, text in row.items():
        if text:
            *above, name = path.split(".")
            place = record
            for part in above:
                place = place.setdefault(part, {})
            place[name] = _decode(text)
    return record


def _encode(value: Any) -> str:
    """A value as JSON, but text as it is if it cannot be taken for something else."""
    if isinstance(value, str) and value and _decode(value) == value:
        return value
    return json.dumps(value)


@lru_cache(maxsize=10_000)
def _decode(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
