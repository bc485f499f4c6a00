"""Tables in memory with numeric and categorical columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np
from scipy import sparse

from lsec.checks import quoted, short_errors
from lsec.rows.categories import Categories
from lsec.sources.source import Source, are_paths, is_dask, open_source
from lsec.sources.tables import CATEGORICAL, columns_of, numeric_rows
from lsec.typing import AnyArray, Float64, Int64

MOST_LEVELS = 10_000

Column = tuple[AnyArray, list[str | None]]
"""Number (n,) of every value, -1 if there is none, and the name of each number."""


def choose_columns(X: Any, wanted: Any) -> Int64:
    """Positions of the categorical columns of a table, by type, name or position."""
    columns = list(columns_of(X))
    if isinstance(wanted, str) and wanted == "from_dtype":
        if not columns:
            raise ValueError(
                "categorical_features='from_dtype' needs a data frame, whose columns have types of "
                "their own. Pass the positions of the categorical columns as a list."
            )
        return np.array([j for j, (_, kind) in enumerate(columns) if CATEGORICAL.match(kind)], int)
    names, width = [name for name, _ in columns], X.shape[1]
    found = {_position(one, names, width) for one in wanted}
    return np.array(sorted(found), int)


def _position(wanted: Any, names: Sequence[Any], width: int) -> int:
    """Position of a column by its name or its position."""
    if wanted in names:
        return names.index(wanted)
    is_number = isinstance(wanted, Integral) and not isinstance(wanted, bool)
    if is_number and 0 <= int(wanted) < width:
        return int(wanted)
    listed = f"the columns {', '.join(map(repr, names[:20]))}" if names else f"{width} columns"
    raise ValueError(
        f"categorical_features has {quoted(wanted)}, and X has {listed}. Correct the list."
    )


def read_columns(X: Any, positions: Int64) -> list[Column]:
    """The values of some columns as numbers, and their names."""
    return [_factorize(_column(X, int(j))) for j in positions]


def levels_of(columns: list[Column], X: Any, positions: Int64) -> list[list[str]]:
    """The names of the values that occur in every column, ascending."""
    titles = [name for name, _ in columns_of(X)] or list(range(X.shape[1]))
    levels = []
    for position, (_, names) in zip(positions, columns, strict=True):
        found = sorted({name for name in names if name is not None})
        if not 1 <= len(found) <= MOST_LEVELS:
            reason = "no values" if not found else f"{len(found)} values, as names or numbers have"
            raise ValueError(
                f"The categorical column {quoted(titles[position])} has {reason}. Leave it out."
            )
        levels.append(found)
    return levels


def table_of(X: Any) -> Any:
    """A table in memory: a data frame, or a 2-D array."""
    if is_dask(X) or are_paths(X) or isinstance(X, Source) or sparse.issparse(X):
        raise ValueError(
            f"categorical_features needs a data frame or an array in memory; got "
            f"{type(X).__name__}. Read files with pandas or polars before."
        )
    if callable(getattr(X, "collect", None)):
        raise ValueError("X is a lazy frame. Pass X.collect().")
    table = X if hasattr(X, "columns") and hasattr(X, "shape") else np.asarray(X, _kind_of(X))
    if len(table.shape) != 2 or 0 in table.shape:
        raise ValueError(f"X must have rows and columns; got the shape {tuple(table.shape)}.")
    return table


def _kind_of(X: Any) -> Any:
    """Type of an array of rows: objects, if they are a list that may mix texts and numbers."""
    return None if hasattr(X, "dtype") or hasattr(X, "__array__") else object


def learn_categories(X: Any, wanted: Any, *, scale: bool) -> Categories | None:
    """The categorical columns of a table with their values, or None if there are none.

    With `scale`, also the standard deviations of the numeric columns.
    """
    positions = choose_columns(X, wanted)
    if not len(positions):
        return None
    levels = levels_of(read_columns(X, positions), X, positions)
    categories = Categories(positions, levels)
    if not scale or len(positions) == X.shape[1]:
        return categories
    source = open_mixed(X, categories)
    values = source.take(np.arange(source.shape[0]))
    return replace(categories, scales=spread_of(values))


def open_mixed(X: Any, categories: Categories) -> Source:
    """The numeric columns of a table, with the codes of the categorical ones beside them."""
    part, names = numeric_part(X, categories)
    source = open_source(_finite(_as_numbers(numeric_rows(part)), names))
    if categories.scales is not None:
        source = open_source(source.take(np.arange(source.shape[0])) / categories.scales)
        source.scales = categories.scales
    source.columns = names
    source.codes = categories.codes(read_columns(X, categories.positions))
    return source


def _finite(values: AnyArray, names: Sequence[Any] | None) -> AnyArray:
    """The values of numeric columns, unless one has gaps."""
    bad = np.flatnonzero(~np.isfinite(values).all(axis=0))
    if bad.size:
        column = f"{names[bad[0]]!r}" if names else f"{bad[0]} of the numeric ones"
        raise ValueError(
            f"Input X contains NaN or infinity in the column {column}. Only categorical columns "
            f"may have gaps: remove or impute such rows before fitting."
        )
    return values


def _as_numbers(part: Any) -> AnyArray:
    """The values of numeric columns."""
    from sklearn.utils import check_array

    with short_errors():
        return np.asarray(check_array(part, dtype="numeric", ensure_all_finite=False))


def numeric_part(X: Any, categories: Categories) -> tuple[Any, list[Any] | None]:
    """The other columns of a table and their names; a column of zeros if there is none."""
    rest = np.setdiff1d(np.arange(X.shape[1]), categories.positions).tolist()
    names = [name for name, _ in columns_of(X)]
    if not rest:
        return np.zeros((X.shape[0], 1), np.float32), None
    if hasattr(X, "iloc"):
        part = X.iloc[:, rest]
    elif names and callable(getattr(X, "select", None)):  # polars, pyarrow
        part = X.select([names[j] for j in rest])
    else:
        part = X[:, rest]
    return part, [names[j] for j in rest] if names else None


def spread_of(values: AnyArray) -> Float64:
    """Standard deviation of every column, float64 (d,); 1 for columns of one value."""
    spread: Float64 = np.asarray(values.std(axis=0, dtype=np.float64))
    return np.where(spread > 0, spread, 1.0)


def _column(X: Any, j: int) -> Any:
    if hasattr(X, "iloc"):  # pandas
        return X.iloc[:, j]
    if hasattr(X, "to_series"):  # polars
        return X.to_series(j)
    return X.column(j).to_numpy() if hasattr(X, "column") else X[:, j]  # pyarrow, NumPy


def _factorize(column: Any) -> Column:
    """Number (n,) of every value of a column, and the name of each number."""
    if hasattr(column, "factorize"):  # pandas
        numbers, values = column.factorize()
        return np.asarray(numbers), [_name(value) for value in values.tolist()]
    if hasattr(column, "replace_strict"):  # polars
        if str(column.dtype).startswith(("Categorical", "Enum")):
            column = column.cast(str)
        values = column.drop_nulls().unique().to_list()
        numbers = np.full(len(column), -1)
        if values:
            numbers = column.replace_strict(values, list(range(len(values))), default=-1).to_numpy()
        return numbers, [_name(value) for value in values]
    array = np.asarray(column)
    if array.dtype.kind != "O":
        values, numbers = np.unique(array, return_inverse=True)
        return numbers, [_name(value) for value in values.tolist()]
    number_of: dict[str | None, int] = {}
    numbers = np.array([number_of.setdefault(_name(one), len(number_of)) for one in array])
    return numbers, list(number_of)


def _name(value: Any) -> str | None:
    """Name of a value: whole numbers have one, whatever their type; None if it is missing."""
    if value is None or value != value or str(value) == "<NA>":
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value)
