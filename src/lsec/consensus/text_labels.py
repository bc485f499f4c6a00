"""Labels that are text or categories, as numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from lsec.checks import quoted
from lsec.typing import AnyArray, Int64

MISSING = -1


@dataclass(frozen=True)
class TextLabels:
    """A base clustering whose labels are text, numbered in alphabetical order."""

    codes: Int64  # (n, 1), -1 for missing labels
    texts: AnyArray  # str objects (c,), ascending

    def __len__(self) -> int:
        return len(self.codes)


def coded_column(column: Any) -> tuple[Any, Any] | None:
    """Codes (n,) and values (c,) of a column that has them: categories, and text of pandas.

    Codes of missing values are -1.
    """
    kind = str(getattr(column, "dtype", ""))
    if kind == "category":
        categorical = getattr(column, "cat", column)
        return np.asarray(categorical.codes), np.asarray(categorical.categories)
    if kind in ("str", "string") and hasattr(column, "factorize"):
        codes, values = column.factorize()
        return codes, np.asarray(values, object)
    return None


def has_text(column: Any) -> bool:
    """Whether a list holds text: NumPy would turn its other values, such as NaN, into text.

    Or a column of Arrow, whose nulls NumPy would not see.
    """
    if hasattr(column, "to_pylist"):
        return str(column.type).startswith(("string", "large_string", "dictionary"))
    return isinstance(column, (list, tuple)) and any(isinstance(value, str) for value in column)


def as_objects(values: Any) -> AnyArray:
    """Values (n,) as Python objects; bytes of NumPy become text."""
    if isinstance(values, np.ndarray):
        if values.dtype.kind == "S":
            values = np.char.decode(values, "utf-8")
        found: AnyArray = values.astype(object)
        return found
    if hasattr(values, "to_pylist"):
        values = values.to_pylist()
    objects = np.empty(len(values), object)
    objects[:] = values
    return objects


def from_codes(codes: AnyArray, values: AnyArray, name: str) -> AnyArray | TextLabels:
    """Labels from codes (n,) of values (c,), which are text or numbers."""
    if values.dtype.kind in "biuf":
        if not (codes < 0).any():
            return values[codes]
        return np.where(codes < 0, np.nan, np.append(values, 0).astype(np.float64)[codes])
    _require_text(values, name)
    used, numbers = np.unique(codes[codes >= 0], return_inverse=True)
    texts = np.array([str(value) for value in values[used]], object)
    order = np.argsort(texts, kind="stable")
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    found = np.full((len(codes), 1), MISSING, np.int64)
    found[codes >= 0, 0] = rank[numbers]
    return TextLabels(found, texts[order])


def from_objects(values: AnyArray, name: str) -> AnyArray | TextLabels:
    """Labels (n,) that are text, or numbers among None and NaN."""
    known: dict[Any, int] = {}
    codes = np.fromiter(
        (MISSING if _is_missing(one) else known.setdefault(one, len(known)) for one in values),
        np.int64,
        len(values),
    )
    found = list(known)
    if all(isinstance(one, Real) for one in found):
        numbers = np.array([int(one) if one == one // 1 else one for one in found] or [0])
        return from_codes(codes, numbers, name)
    table = np.empty(len(found), object)
    table[:] = found
    return from_codes(codes, table, name)


def _is_missing(value: Any) -> bool:
    """Whether a value is None, NaN or another that does not equal itself, such as pandas.NA."""
    return value is None or type(value).__name__ in ("NAType", "NaTType") or value != value


def _require_text(values: Iterable[Any], name: str) -> None:
    for value in values:
        if not isinstance(value, str):
            raise ValueError(
                f"Labels of a clustering must be integers, or text; {name} has {quoted(value)} of "
                f"the type {type(value).__name__} among others. Convert all of them to text."
            )
