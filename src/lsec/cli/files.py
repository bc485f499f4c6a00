"""What commands share about files."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lsec.output.label_files import open_labels

LINES_AT_ONCE = 65_536


def map_npy(path: Path) -> NDArray:
    """Map a ``.npy`` file of real numbers (n, d) into memory; its values are not looked at."""
    try:
        rows = np.lib.format.open_memmap(path, mode="r")
    except ValueError as error:
        raise ValueError(f"{path} is not a .npy file of numbers: {error}") from error
    if rows.ndim != 2 or rows.dtype.kind not in "biuf":
        raise ValueError(
            f"{path} must hold a 2-D array of real numbers; got {rows.dtype} of shape {rows.shape}."
        )
    return rows


def check_output(path: Path, allowed: tuple[str, ...], others: tuple[Path, ...] = ()) -> None:
    """Refuse a file that could not be written at the end, before the work begins."""
    if path.suffix.lower() not in allowed:
        raise ValueError(f"{path} must end in {' or '.join(allowed)}; got {path.suffix!r}.")
    if not path.parent.is_dir():
        raise ValueError(f"{path}: the folder {path.parent} does not exist. Make it first.")
    if path.is_dir() or not os.access(path.parent, os.W_OK):
        raise ValueError(f"{path} cannot be written: it is a folder, or in one that is read-only.")
    if path.resolve() in [other.resolve() for other in others]:
        raise ValueError(f"{path} is named twice. Choose another name for the output.")


def write_labels(path: Path, labels: NDArray[np.integer]) -> None:
    """Write labels of shape (n_samples,) as ``.npy``, ``.csv`` or ``.parquet``.

    The file appears under its name when it is complete.
    """
    with open_labels(path, len(labels)) as write:
        for start in range(0, len(labels), LINES_AT_ONCE):
            write(labels[start : start + LINES_AT_ONCE])
