"""Block functions on a GPU: sums and counts of pieces of the rows that fit into its memory.

A *piece* is a run of whole blocks. Rows on the host are copied, those that live on the device are
read where they are.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from lsec.execution.device_numbers import RowsOnDevice, count_rows, fetch
from lsec.execution.distinct import DistinctLabels, NumberedRows, merge
from lsec.execution.executor import (
    BlockFunction,
    Labeler,
    Placed,
    Sums,
    ThreadExecutor,
    ValuesByKey,
)
from lsec.execution.memory import MemoryPlan
from lsec.execution.pieces import Feed, Piece, PieceFunction
from lsec.execution.threads import Progress, Workers
from lsec.output.labels import MemorySpool, Spool
from lsec.sources import Source
from lsec.sources.device import DeviceSource

if TYPE_CHECKING:
    from lsec.kernels.cuda.device import Device

Result = TypeVar("Result")
MOST_ROWS = 2**26  # of a piece: rows are numbered with 32 bits
PIECES = 8  # that rows are copied in, at least, if pieces are neither very small nor very large:
LEAST_COPIED, MOST_COPIED = 2**25, 2**29  # bytes of a piece in float64
BUSY_ROWS = 2**18  # with fewer, a large device has idle threads; up to four times `MOST_COPIED`
COUNTED_BYTES = 64  # of a row while it is counted: its slots in a table, and its number
NUMBER_BYTES = 4  # of a row


class DeviceCache:
    """Values of pieces that stay on the device between sweeps, as long as there is room."""

    def __init__(self, room: int):
        self._room = room  # bytes
        self._kept: dict[tuple[Hashable, int], Any] = {}

    def has(self, key: Hashable, piece: int) -> bool:
        """Whether a value is kept."""
        return (key, piece) in self._kept

    def get(self, key: Hashable, piece: int) -> Any:
        """A value; None if it was not kept."""
        return self._kept.get((key, piece))

    def keep(self, key: Hashable, piece: int, value: Any) -> None:
        """Keep a value, which has `nbytes`, if there is room."""
        if value.nbytes <= self._room:
            self._kept[key, piece] = value
            self._room -= value.nbytes

    def clear(self) -> None:
        """Forget everything."""
        self._room += sum(value.nbytes for value in self._kept.values())
        self._kept.clear()


class CudaExecutor:
    """Runs block functions on a device; what has no kernel there, on threads."""

    holds_rows = True

    def __init__(self, device: Device, workers: Workers, progress: Progress, memory: MemoryPlan):
        self._device = device
        self._workers = workers
        self._progress = progress
        self._budget = memory.on_device
        self._threads = ThreadExecutor(workers, progress, memory)
        self._cache = DeviceCache(self._budget // 2)
        self._rows_per_piece: dict[Source, int] = {}

    def map(self, source: Source, function: BlockFunction[Result], stage: str) -> Iterator[Result]:
        """Yield the value of every block, in the order of the blocks; on threads."""
        return self._threads.map(source, function, stage)

    def reduce(
        self, source: Source, function: ValuesByKey, sums: Sums, stages: tuple[str, str]
    ) -> dict[Any, Any]:
        """Add up values over all blocks, as many sums in one sweep as the device has room for."""
        found: dict[Any, Any] = {}
        with self._device.active():
            work = function.on_device(self._device, self._cache)
            for keys in self._batches(sums):
                spans = self._spans(source, work)
                for stage in stages:
                    self._progress.announce(stage, len(spans) * len(keys), source.shape[0])
                totals = {key: sums[key].zero_on(self._device) for key in keys}
                for piece in self._pieces(source, work, spans):
                    self._add(work, piece, totals, stages)
                found |= {key: total.take() for key, total in totals.items()}
        return found

    def _add(
        self, work: Any, piece: Piece, totals: dict[Any, Any], stages: tuple[str, str]
    ) -> None:
        """Add the values of a piece to the totals, one after the other."""
        values = iter(work(piece, list(totals)))
        for _ in totals:
            with self._step(stages[0]):
                key, value = next(values)
            with self._step(stages[1]):
                totals[key].add(value)

    @contextmanager
    def _step(self, stage: str) -> Iterator[None]:
        """Time one step of a stage on the device."""
        with self._progress.step(stage, side_by_side=1):
            yield
            self._device.synchronize()

    def distinct(
        self, source: Source, labeler: Labeler, stage: str, spool: Spool | None = None
    ) -> DistinctLabels:
        """Count the distinct rows of labels, and keep a number for every row in the spool."""
        assert spool is not None
        if not labeler.runs_on_device(source):
            return self._threads.distinct(source, labeler, stage, spool)
        stays = isinstance(spool, MemorySpool)
        stays &= NUMBER_BYTES * source.shape[0] <= self._budget // 8
        parts, ends, pieces = [], [], []
        with self._device.active():
            work = labeler.on_device(self._device, self._cache)
            spans = self._spans(source, work)
            self._progress.announce(stage, len(spans), source.shape[0])
            for piece in self._pieces(source, work, spans):
                with self._step(stage):
                    first_row = source.first_row + piece.span.start
                    counts = count_rows(work(piece), piece.weights, first_row, self._device)
                    counted, numbers = counts
                    if stays:
                        pieces.append(numbers)
                    else:
                        spool.write(piece.span, self._device.download(numbers))
                parts.append(counted)
                ends.append((piece.span.start, piece.span.stop, piece.number))
        merged, numbers_of = merge(parts)
        labels = merged.labels(labeler.n_columns, labeler.dtype)
        rows = NumberedRows(labels, merged, numbers_of, np.array(ends), spool)
        if stays:
            with self._progress.timed(stage):
                return self._settled(rows, pieces, stays=source.device == self._device.number)
        return rows.settled() if isinstance(spool, MemorySpool) else rows

    def _settled(self, rows: NumberedRows, pieces: list[Any], *, stays: bool) -> RowsOnDevice:
        """The rows with their final numbers on the device and in the spool, which is in memory."""
        device, spool = self._device, rows.spool
        assert isinstance(spool, MemorySpool)
        with device.active():
            for i, (start, stop, _) in enumerate(rows.spans.tolist()):
                pieces[i] = device.upload(rows.numbers[i])[pieces[i]]
                fetch(pieces[i], device, self._workers, out=spool.values[start:stop])
        here = np.arange(len(rows.labels), dtype=np.int32)
        spans = rows.spans * np.array([1, 1, 0])
        counted = rows.labels, rows.counted
        return RowsOnDevice(*counted, [here], spans, spool, pieces, device, self._workers, stays)

    def place(self, problem: Placed) -> Any:
        """Solve a problem between the sweeps with the help of the device."""
        return problem.on_device(self._device)

    # Pieces

    def _batches(self, sums: Sums) -> list[list[Any]]:
        """Keys of sums whose totals fit into a quarter of the memory together."""
        most = max(1, self._budget // 4 // max(one.n_bytes_on_device for one in sums.values()))
        keys = list(sums)
        return [keys[low : low + most] for low in range(0, len(keys), most)]

    def _spans(self, source: Source, work: PieceFunction) -> list[slice]:
        """Rows of the pieces, which stay the same from sweep to sweep if that is possible."""
        copied = 0 if self._reads_in_place(source, work) else 8 * source.shape[1]
        most = self._budget // 8 // (work.row_bytes + 2 * copied + COUNTED_BYTES)
        if copied:
            share = source.shape[0] * copied // PIECES
            wanted = min(max(share, LEAST_COPIED), MOST_COPIED) // copied
            most = min(most, max(wanted, min(BUSY_ROWS, 4 * MOST_COPIED // copied)))
        step = source.rows_per_block
        most = max(min(most, MOST_ROWS) // step, 1) * step
        if self._rows_per_piece.get(source, 0) // 2 > most or source not in self._rows_per_piece:
            self._cache.clear()
            self._rows_per_piece[source] = most
        step, n = self._rows_per_piece[source], source.shape[0]
        return [slice(low, min(low + step, n)) for low in range(0, n, step)]

    def _reads_in_place(self, source: Source, work: PieceFunction) -> bool:
        return source.device == self._device.number and work.in_place

    def _pieces(self, source: Source, work: PieceFunction, spans: list[slice]) -> Iterator[Piece]:
        """Yield pieces whose rows are on the device, or are copied while the last one is used."""
        if isinstance(source, DeviceSource) and self._reads_in_place(source, work):
            pieces: Iterator[Piece] = (
                Piece(number, span, partial(source.values, span), copied=False)
                for number, span in enumerate(spans)
            )
        else:
            pieces = Feed(source, work, self._device, self._workers).pieces(spans)
        for piece in pieces:
            if source.weights is None:
                yield piece
            else:
                yield replace(piece, weights=self._device.upload(source.weights[piece.span]))
