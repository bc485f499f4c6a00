"""Base labels in any form: arrays, memory maps, data frames, lists of label vectors."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from lsec.consensus.text_labels import (
    TextLabels,
    as_objects,
    coded_column,
    from_codes,
    from_objects,
    has_text,
)
from lsec.typing import AnyArray

BLOCK_ROWS = 65_536
MANY_CLUSTERINGS = 10  # times as many columns as rows: the matrix may be transposed
TEXT_KINDS = "OSUT"  # of NumPy's types
NOT_INTEGERS = "Labels must be integers or text; negative numbers and NaN mean no label."


class LabelMatrix:
    """Base labels of n rows in m clusterings, read block by block as unsigned codes.

    A code is the label itself; a missing label is coded as the largest number of the codes' type.

    Parameters
    ----------
    labels : array-like of shape (n, m), data frame, or list or dictionary of m label vectors
        Integers, floats with whole values, text or categories. Negative, NaN or None: no label.
    """

    def __init__(self, labels: Any):
        self._parts: list[AnyArray] = []
        self.texts: dict[int, AnyArray] = {}  # of the codes, for columns whose labels are text
        for part in _as_parts(labels):
            if isinstance(part, TextLabels):
                self.texts[sum(one.shape[1] for one in self._parts)] = part.texts
                part = part.codes
            self._parts.append(part)
        self.shape = len(self._parts[0]), sum(part.shape[1] for part in self._parts)
        if 0 in self.shape:
            raise ValueError(
                f"The label matrix must have a row per object and a column per base clustering; "
                f"got shape {self.shape}."
            )
        if question := about_orientation(self.shape):
            every = (
                "Every column of an array is a base clustering, and so is every entry of a list."
            )
            warnings.warn(f"{question} {every}", stacklevel=4)
        largest, self.has_missing = self._scan()
        if largest + self.has_missing >= 2**64:
            raise ValueError(
                f"Every label must be below 2**64 - 1; got {largest}. Number them anew."
            )
        self.dtype: np.dtype[Any] = np.min_scalar_type(largest + self.has_missing)
        self.missing = 2 ** (8 * self.dtype.itemsize) - 1

    def spans(self) -> Iterator[slice]:
        """Row ranges of the blocks."""
        for low in range(0, self.shape[0], BLOCK_ROWS):
            yield slice(low, min(low + BLOCK_ROWS, self.shape[0]))

    def codes(self, rows: slice) -> AnyArray:
        """Codes of a range of rows, unsigned (n, m)."""
        out = np.empty((rows.stop - rows.start, self.shape[1]), self.dtype)
        column = 0
        for part in self._parts:
            block, target = part[rows], out[:, column : column + part.shape[1]]
            column += part.shape[1]
            if block.dtype.kind in "ub":
                target[:] = block
                continue
            without = np.isnan(block) | (block < 0) if block.dtype.kind == "f" else block < 0
            if without.any():
                block = np.where(without, 0, block)
            target[:] = block  # NaN is gone: its cast is undefined
            target[without] = self.missing
        return out

    def _scan(self) -> tuple[int, bool]:
        """Largest label (or an upper bound), and whether any label is missing."""
        largest, has_missing, column = 0, False, 0
        for part in self._parts:
            if part.dtype.kind == "b" or (part.dtype.kind == "u" and part.itemsize <= 2):
                largest = max(largest, 1 if part.dtype.kind == "b" else np.iinfo(part.dtype).max)
            else:
                for rows in self.spans():
                    top, without = _largest(part[rows], rows.start, column)
                    largest, has_missing = max(largest, top), has_missing or without
            column += part.shape[1]
        return largest, has_missing


def about_orientation(shape: tuple[int, int]) -> str:
    """A question about label matrices (n, m) with far more columns than rows, else empty."""
    n, m = shape
    if m < MANY_CLUSTERINGS * n:
        return ""
    return (
        f"The label matrix has {n:,} rows and {m:,} base clusterings: did you mean its transpose?"
    )


def _largest(block: AnyArray, first_row: int, first_column: int) -> tuple[int, bool]:
    """Largest label of a block (n, m), and whether any label is missing."""
    if block.dtype.kind in "iu":
        return max(int(block.max()), 0), bool(block.min() < 0)
    block = block.astype(np.float64)
    wrong = ~(np.isnan(block) | (block == np.floor(block))) | np.isinf(block) | (block >= 2.0**64)
    if wrong.any():
        row, column = (int(i) for i in np.argwhere(wrong)[0])
        raise ValueError(
            f"{NOT_INTEGERS} Row {first_row + row}, column {first_column + column} is "
            f"{block[row, column]}."
        )
    without = np.isnan(block) | (block < 0)
    return int(np.where(without, 0, block).max()), bool(without.any())


def _as_parts(labels: Any) -> list[AnyArray | TextLabels]:
    """Column blocks (n, ·) of the matrix, without a copy where possible."""
    if isinstance(labels, Mapping):
        labels, names = list(labels.values()), [f"label vector {name!r}" for name in labels]
    elif isinstance(labels, (list, tuple)):
        names = [f"label vector {i}" for i in range(len(labels))]
    if isinstance(labels, (list, tuple)):
        parts = [_vector(column, name) for column, name in zip(labels, names, strict=True)]
        lengths = {len(part) for part in parts}
        if len(lengths) > 1:
            raise ValueError(
                f"All label vectors must label the same rows; got lengths {sorted(lengths)}."
            )
        return parts or [np.empty((0, 0), np.uint8)]
    if hasattr(labels, "column_names"):  # a pyarrow table
        return _as_parts([labels.column(i) for i in range(labels.num_columns)])
    if hasattr(labels, "columns") and hasattr(labels, "iloc"):  # pandas; names may occur twice
        return _as_parts([labels.iloc[:, i] for i in range(labels.shape[1])])
    if hasattr(labels, "columns") and hasattr(labels, "to_numpy"):  # polars
        return _as_parts([labels[name] for name in labels.columns])
    values = np.asanyarray(labels)
    if values.ndim != 2:
        raise ValueError(
            f"The label matrix must be 2-D, one row per object and one column per base "
            f"clustering; got shape {values.shape}. A single clustering is labels[:, None], "
            f"several label vectors go into a list."
        )
    if values.dtype.kind in TEXT_KINDS:
        return _as_parts(list(values.T))
    return [_numbers(values, "the label matrix")]


def _vector(column: Any, name: str) -> AnyArray | TextLabels:
    """One base clustering as an array (n, 1), or as text."""
    coded = coded_column(column)
    if coded is not None:
        return _column(from_codes(*coded, name), name)
    values = as_objects(column) if has_text(column) else np.asanyarray(_without_nulls(column))
    if values.ndim != 1:
        raise ValueError(
            f"{name} must be 1-D, a label per row; got shape {values.shape}. A list stands for "
            f"label vectors; pass label rows as an array."
        )
    if values.dtype.kind in TEXT_KINDS:
        return _column(from_objects(as_objects(values), name), name)
    return _column(values, name)


def _column(values: AnyArray | TextLabels, name: str) -> AnyArray | TextLabels:
    return values if isinstance(values, TextLabels) else _numbers(values, name)[:, None]


def _without_nulls(column: Any) -> Any:
    """A data frame column with nulls replaced: by -1 in signed integers, else by NaN."""
    kind = str(getattr(column, "dtype", getattr(column, "type", "")))
    signed = kind.lower().startswith("int")
    if signed and hasattr(column, "fill_null"):  # polars, pyarrow
        return column.fill_null(-1).to_numpy()
    if signed and hasattr(column, "fillna"):  # pandas
        return column.fillna(-1).to_numpy()
    if hasattr(getattr(column, "dtype", None), "na_value") and column.isna().any():
        return column.to_numpy(np.float64, na_value=np.nan)
    return column.to_numpy() if hasattr(column, "to_numpy") else column


def _numbers(values: AnyArray, name: str) -> AnyArray:
    if values.dtype.kind not in "biuf":
        raise ValueError(f"{NOT_INTEGERS} {name} has the type {values.dtype}.")
    if isinstance(values, np.ma.MaskedArray):
        return np.asarray(np.ma.filled(values.astype(np.float64), np.nan))
    return values if isinstance(values, np.memmap) else np.asarray(values)
