"""Tables with categorical columns as features: numbers, and zeros and ones for categories."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lsec.rows.categories import Categories
from lsec.sources.source import Source
from lsec.typing import AnyArray, Int64, RawRows

MOST_LEVELS = 20  # shown of a column: the most frequent ones


class Indicators(Source):
    """The numeric columns of a table, and an indicator of every frequent category.

    A missing value has no indicator.

    Parameters
    ----------
    rows : Source
        The numeric columns, with the codes of the others.
    categories : Categories
    names : sequence of str
        Of all columns of the table.
    """

    kind = "indicators"

    def __init__(self, rows: Source, categories: Categories, names: Sequence[str]):
        assert rows.codes is not None
        numeric = np.setdiff1d(np.arange(len(names)), categories.positions)
        pairs = [
            (j, level)
            for j, n_levels in enumerate(categories.n_levels.tolist())
            for level in _most_frequent(rows.codes[:, j], n_levels)
        ]
        super().__init__((rows.shape[0], len(numeric) + len(pairs)))
        self._rows, self._codes, self._n_numeric = rows, rows.codes, len(numeric)
        self._column, self._level = np.array(pairs).T
        titles = [names[position] for position in categories.positions]
        self.columns = [names[position] for position in numeric]
        self.columns += [f"{titles[j]} = {categories.levels[j][level]}" for j, level in pairs]
        if rows.scales is not None:
            self.scales = np.append(rows.scales, np.ones(len(pairs)))

    def _identity(self) -> dict[str, Any]:
        return {"of": self._rows.fingerprint()}

    def _read(self, span: slice) -> RawRows:
        return self._with_indicators(self._rows._read(span), self._codes[span])

    def _gather(self, which: Int64) -> RawRows:
        return self._with_indicators(self._rows.take(which), self._codes[which])

    def _with_indicators(self, values: RawRows, codes: AnyArray) -> AnyArray:
        marks = codes[:, self._column] == self._level
        return np.hstack([values[:, : self._n_numeric], marks])


def _most_frequent(codes: AnyArray, n_levels: int) -> list[int]:
    """The most frequent values of a column of codes (n,), ascending."""
    counts = np.bincount(codes, minlength=n_levels)[:n_levels]
    found: list[int] = np.sort(np.argsort(-counts, kind="stable")[:MOST_LEVELS]).tolist()
    return found
