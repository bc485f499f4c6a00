"""Rows on Dask's workers, by their distinct base labels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from lsec.distributed import tasks as on_worker
from lsec.distributed.calls import call, fetch
from lsec.execution.distinct import DistinctLabels
from lsec.sources import Source
from lsec.sources.dask import DaskRows


@dataclass(frozen=True)
class SpreadRows(DistinctLabels):
    """Rows whose numbers stay on the workers.

    Attributes
    ----------
    numbers : list of int32
        For every part, the distinct row of each of its own distinct rows.
    held : list of Delayed
        What `label_part` gave for every part.
    source : Source
        The rows.
    client : distributed.Client or None
    """

    numbers: list[np.ndarray]
    held: list[Any]
    source: Source
    client: Any

    def parts(self, values: np.ndarray) -> Iterator[np.ndarray]:
        """Values of all rows, part by part, from those (n', ...) of the distinct rows."""
        for one in self._calls(values):
            yield fetch([one], self.client)[0]

    def look_up(self, values: np.ndarray) -> Any:
        """Values (n, ...) of all rows: a Dask array with the rows' chunks if they are one."""
        if not isinstance(self.source, DaskRows):
            return np.concatenate(list(self.parts(values)))
        from dask import array

        sizes = np.diff(self.source.borders).tolist()
        rest = values.shape[1:]
        whole = array.concatenate(
            [
                array.from_delayed(one, (size, *rest), values.dtype)
                for one, size in zip(self._calls(values), sizes, strict=True)
            ]
        )
        whole = whole.rechunk({0: self.source.array.chunks[0]})
        return whole.persist() if self.client is None else self.client.persist(whole)

    def of_row(self) -> np.ndarray:
        """Nothing: rows are elsewhere."""
        return np.empty(0, np.int32)

    def _calls(self, values: np.ndarray) -> list[Any]:
        return [
            call(on_worker.look_up, part, values[numbers])
            for part, numbers in zip(self.held, self.numbers, strict=True)
        ]
