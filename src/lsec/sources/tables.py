"""Rows in memory that are refused before NumPy or scikit-learn see them, or made plain arrays."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from lsec.checks import quoted

MOST_KEYS = 8
NUMERIC = re.compile(r"u?int\d|float|double|half|bool|decimal|complex|sparse|null|object", re.I)
CATEGORICAL = re.compile(r"cat|str|bool|object|enum|utf8|large_string|dictionary", re.I)
"""Beginnings of the names of types of columns, in pandas, polars and pyarrow."""


def numeric_rows(X: Any) -> Any:
    """The rows, a matrix as an array; lazy frames, dates, complex and masked values are refused.

    So are columns of a data frame that share a name or hold anything but numbers.
    """
    if callable(getattr(X, "collect", None)):
        raise ValueError("X is a lazy frame. Pass X.collect(), or the path of a file.")
    kind = getattr(X, "dtype", None)
    if getattr(kind, "kind", None) == "c":
        raise ValueError(
            f"Complex data not supported: X has the type {kind}. Pass real numbers, such as X.real "
            f"and X.imag side by side."
        )
    if isinstance(X, np.ndarray):
        return _plain(X)
    _refuse_containers(X)
    names: set[Any] = set()
    for name, kind in columns_of(X):
        if name in names:
            raise ValueError(
                f"X has several columns with the name {quoted(name)}. Rename all but one."
            )
        names.add(name)
        if not NUMERIC.match(kind) or (kind.lower() == "object" and not _are_numbers(X[name])):
            vote = CATEGORICAL.match(kind)
            more = " LSEC(categorical_features='from_dtype') lets it vote." if vote else ""
            raise ValueError(
                f"Column {quoted(name)} of X has the type {kind}. Convert it to numbers, or leave "
                f"it out.{more}"
            )
    return X


def column_names(X: Any) -> list[str] | None:
    """Names of the columns of a data frame, for messages; None of other rows."""
    if isinstance(X, np.ndarray):
        return None
    return [str(name) for name, _ in columns_of(X)] or None


def _refuse_containers(X: Any) -> None:
    """Refuse what holds rows beside other things: which of them are meant is unknown.

    NumPy would convert an AnnData one value after the other.
    """
    if hasattr(X, "obsm") and hasattr(X, "n_vars"):
        tables = [f"X.obsm[{name!r}]" for name in X.obsm]
        raise ValueError(
            f"X is an {type(X).__name__}. Pass a matrix of it: {', '.join([*tables, 'X.X'])}."
        )
    if isinstance(X, Mapping):
        keys = ", ".join(map(repr, list(X)[:MOST_KEYS]))
        raise ValueError(f"X is a {type(X).__name__} of {keys}. Pass the table of rows in it.")


def _plain(X: Any) -> Any:
    if X.dtype.kind in "SU":
        raise ValueError(
            f"X holds strings ({X.dtype}). Convert them to numbers, as in X.astype(float)."
        )
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


def columns_of(X: Any) -> Iterator[tuple[Any, str]]:
    """Name and type of every column of a pandas, polars or pyarrow table; none of other rows."""
    names, kinds = getattr(X, "columns", None), getattr(X, "dtypes", ())
    if callable(getattr(X, "itercolumns", None)):
        names, kinds = X.schema.names, X.schema.types
    if names is not None:
        for name, kind in zip(names, kinds, strict=False):
            yield name, str(kind)
