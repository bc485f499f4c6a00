"""Rows in memory that are refused before NumPy or scikit-learn see them, or made plain arrays."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

NUMERIC = re.compile(r"u?int\d|float|double|half|bool|decimal|complex|sparse|null|object", re.I)
"""Beginnings of the names of types of columns, in pandas, polars and pyarrow."""


def numeric_rows(X: Any) -> Any:
    """The rows, a matrix as an array; dates, masked values and lazy frames are refused.

    So are columns of a data frame that share a name or hold anything but numbers.
    """
    if callable(getattr(X, "collect", None)):
        raise ValueError("X is a lazy frame. Pass X.collect(), or the path of a file.")
    if isinstance(X, np.ndarray):
        return _plain(X)
    names: set[Any] = set()
    for name, kind in _columns(X):
        if name in names:
            raise ValueError(f"X has several columns with the name {name!r}. Rename all but one.")
        names.add(name)
        if not NUMERIC.match(kind) or (kind.lower() == "object" and not _are_numbers(X[name])):
            raise ValueError(
                f"Column {name!r} of X has the type {kind}. Convert it to numbers, or leave it out."
            )
    return X


def _plain(X: Any) -> Any:
    if X.dtype.kind in "mM":
        raise ValueError(
            f"X has the type {X.dtype}. Convert dates and durations to numbers, such as seconds."
        )
    if X.dtype.names is not None:
        raise ValueError(
            f"X is a structured array with the fields {', '.join(X.dtype.names)}. Pass "
            f"numpy.lib.recfunctions.structured_to_unstructured(X)."
        )
    if isinstance(X, np.ma.MaskedArray):
        if np.ma.is_masked(X):
            raise ValueError("X has masked values. Remove or impute such rows.")
        return np.asarray(X)
    return np.asarray(X) if isinstance(X, np.matrix) else X


def _are_numbers(column: Any) -> bool:
    """Whether NumPy makes numbers of a column of objects."""
    try:
        np.asarray(column, np.float64)
    except (TypeError, ValueError):
        return False
    return True


def _columns(X: Any) -> Iterator[tuple[Any, str]]:
    """Name and type of every column of a pandas, polars or pyarrow table; none of other rows."""
    names, kinds = getattr(X, "columns", None), getattr(X, "dtypes", ())
    if callable(getattr(X, "itercolumns", None)):
        names, kinds = X.schema.names, X.schema.types
    if names is not None:
        for name, kind in zip(names, kinds, strict=False):
            yield name, str(kind)
