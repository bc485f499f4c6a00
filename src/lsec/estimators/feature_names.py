"""Names of the columns of files: kept by `fit`, matched by `predict`."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from lsec.sources import Source
from lsec.sources.columns import ColumnChoice, select_columns


def match_columns(model: Any, source: Source, *, reset: bool) -> Source:
    """Return the rows of files with the columns that the model was fitted on, in their order.

    With `reset`, the model is fitted on these rows, and keeps the names of their columns.
    """
    if reset:
        if source.columns is not None:
            model.feature_names_in_ = np.array(source.columns, dtype=object)
        return source
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        return source
    place = " and ".join(source.files[:2])
    if source.columns is None:
        if place:  # rows of an array lost their names when they were opened
            warnings.warn(
                f"{place} has no column names, but {type(model).__name__} was fitted on columns "
                f"of names: its columns are taken in their order.",
                stacklevel=5,
            )
        return source
    return select_columns(source, ColumnChoice(tuple(names), of_fit=True), place)
