"""Rows of Zarr arrays; the only place that imports zarr."""

from __future__ import annotations

import os
import re
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any

from lsec.sources.chunks import ChunkedSource
from lsec.sources.stored import one_line

METADATA = {"zarr.json", ".zarray"}
CHUNK = re.compile(r"(?:c[/.])?(\d+)[/.](\d+)")


class ZarrSource(ChunkedSource):
    """Rows of a Zarr array in a folder.

    Parameters
    ----------
    path : Path
    """

    def __init__(self, path: Path):
        self._folder = _Folder.of(path)
        array = _open_array(path)
        super().__init__(array, str(path))
        _require_all_chunks(path, array)

    def fingerprint(self) -> dict[str, Any]:
        """What tells that rows are the same as those of an earlier run, as JSON values."""
        return {"kind": "zarr", "shape": list(self.shape), "files": [asdict(self._folder)]}

    def _open(self) -> Any:
        path = Path(self._folder.path)
        if _Folder.of(path) != self._folder:
            raise OSError(
                f"{self._name} changed while its rows were used. Start again when the array is "
                "complete."
            )
        return _open_array(path)


@dataclass(frozen=True)
class _Folder:
    """The files of an array, and what tells whether they are still the same."""

    path: str
    n_files: int
    size: int
    mtime_ns: int

    @classmethod
    def of(cls, path: Path) -> _Folder:
        found = [os.stat(file) for file in _files(path)]
        return cls(
            os.path.abspath(path),
            len(found),
            sum(one.st_size for one in found),
            max((one.st_mtime_ns for one in found), default=0),
        )


def is_zarr(folder: Path) -> bool:
    """Whether a folder is a Zarr array."""
    return not METADATA.isdisjoint(os.listdir(folder))


def _open_array(path: Path) -> Any:
    try:
        import zarr
    except ImportError as error:
        raise ImportError(
            f"Reading {path} needs zarr. Install it with: pip install 'lsec[io]'"
        ) from error
    try:
        opened = zarr.open(str(path), mode="r")
    except Exception as error:
        raise ValueError(f"{path} is not a Zarr array: {one_line(error)}.") from error
    if not hasattr(opened, "chunks"):
        raise ValueError(f"{path} is a Zarr group. Name the array inside it, such as {path}/X.")
    return opened


def _require_all_chunks(path: Path, array: Any) -> None:
    """Refuse an array of which chunks are missing, as after a writer that was interrupted.

    Zarr reads them as the fill value, mostly zero: rows that nobody wrote.
    """
    found = {
        (int(match[1]), int(match[2]))
        for file in _files(path)
        if (match := CHUNK.fullmatch(os.path.relpath(file, path).replace(os.sep, "/")))
    }
    steps = getattr(array, "shards", None) or array.chunks
    grid = [range(-(-n // step)) for n, step in zip(array.shape, steps, strict=True)]
    missing = [chunk for chunk in product(*grid) if chunk not in found]
    if missing:
        first = missing[0][0] * steps[0]
        raise ValueError(
            f"{path} lacks {len(missing)} of its {len(grid[0]) * len(grid[1])} chunks, the first "
            f"at row {first}. Write the array again; if these rows hold nothing but the fill "
            f"value {array.fill_value}, with write_empty_chunks=True."
        )


def _files(path: Path) -> list[str]:
    return [os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names]
