"""Block functions on a GPU: sums and counts of pieces of the rows that fit into its memory.

A *piece* is a run of whole blocks. Rows on the host are copied through two slots of pinned memory:
while the kernels of a piece run, the next one is read and copied. Rows that live on the device are
read where they are.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import cycle, islice
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from lsec.execution.distinct import UNCOUNTED, Counted, DistinctLabels, NumberedRows, merge
from lsec.execution.executor import (
    BlockFunction,
    Labeler,
    Sums,
    ThreadExecutor,
    ValuesByKey,
)
from lsec.execution.memory import MemoryPlan
from lsec.execution.threads import Progress, Workers
from lsec.kernels.cuda.device import NOTHING
from lsec.output.labels import MemorySpool, Spool
from lsec.sources import Source
from lsec.sources.device import DeviceSource
from lsec.typing import AnyArray, RawRows

if TYPE_CHECKING:
    from lsec.kernels.cuda.device import Device

Result = TypeVar("Result")
MOST_ROWS = 2**26  # of a piece: rows are numbered with 32 bits
PIECES = 8  # that rows are copied in, at least, if pieces are neither very small nor very large:
LEAST_COPIED, MOST_COPIED = 2**25, 2**29  # bytes of a piece in float64
BUSY_ROWS = 2**18  # with fewer, a large device has idle threads; up to four times `MOST_COPIED`
COUNTED_BYTES = 64  # of a row while it is counted: its slots in a table, and its number
FIRST_SLOTS = 2**20
LAST = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Piece:
    """A run of rows on the device."""

    number: int
    span: slice
    read: Callable[[], Any]  # raw rows (n, d), or what a function's `prepare` made of them
    copied: bool  # whether they had to be copied
    weights: Any = None  # of the rows, int64 (n,) on the device; None if every row counts once


class PieceFunction(Protocol):
    """What an executor asks of a block function on a device, beside calling it."""

    @property
    def in_place(self) -> bool:
        """Whether raw rows on the device can be read where they are."""

    @property
    def row_bytes(self) -> int:
        """Memory that a row takes while its piece is worked on."""

    def prepare(self, raw: RawRows) -> AnyArray:
        """Turn a block of raw rows on the host into what is copied."""

    def needs(self, piece: Piece) -> bool:
        """Whether the rows of a piece have to be read."""


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
        parts, ends = [], []
        with self._device.active():
            work = labeler.on_device(self._device, self._cache)
            spans = self._spans(source, work)
            self._progress.announce(stage, len(spans), source.shape[0])
            for piece in self._pieces(source, work, spans):
                with self._step(stage):
                    first_row = source.first_row + piece.span.start
                    counts = count_rows(work(piece), piece.weights, first_row, self._device)
                    counted, numbers = counts
                    self._keep(numbers, piece.span, spool)
                parts.append(counted)
                ends.append((piece.span.start, piece.span.stop, piece.number))
        merged, numbers_of = merge(parts)
        labels = merged.labels(labeler.n_columns, labeler.dtype)
        rows = NumberedRows(labels, merged, numbers_of, np.array(ends), spool)
        return rows.settled() if isinstance(spool, MemorySpool) else rows

    def _keep(self, numbers: Any, rows: slice, spool: Spool) -> None:
        """Copy the numbers of some rows into a spool."""
        if isinstance(spool, MemorySpool):
            self._device.download(numbers, out=spool.values[rows])
        else:
            spool.write(rows, self._device.download(numbers))

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


class Slot:
    """Pinned memory and memory of the device that pieces pass through, one after the other."""

    def __init__(self, device: Device):
        self._device = device
        self._pinned: AnyArray = np.empty(0, np.uint8)
        self._buffer: Any = None
        self.sent: Any = None  # event: the copy has ended
        self.used: Any = None  # event: the kernels that read the rows have ended

    def room(self, shape: tuple[int, int], dtype: np.dtype[Any]) -> AnyArray:
        """Pinned memory for an array, once what it held is copied."""
        if self.sent is not None:
            self._device.wait(self.sent)
        n_bytes = shape[0] * shape[1] * dtype.itemsize
        if n_bytes > len(self._pinned):
            self._pinned = self._device.pinned(n_bytes)
            if self.used is not None:
                self._device.wait(self.used)
            self._buffer = self._device.xp.empty(n_bytes, np.uint8)
            self._device.synchronize()
        return self._pinned[:n_bytes].view(dtype).reshape(shape)

    def send(self, values: AnyArray) -> Any:
        """Begin to copy the pinned array; returns it as it will be on the device."""
        if self.used is not None:
            self._device.hold(self.used)
        target = self._buffer[: values.nbytes].view(values.dtype).reshape(values.shape)
        self.sent = self._device.send(values, target)
        return target


class Feed:
    """Reads pieces on the host while the device works on those before, and copies them to it."""

    def __init__(self, source: Source, work: PieceFunction, device: Device, workers: Workers):
        self._source = source
        self._work = work
        self._device = device
        self._workers = workers
        self._coming: dict[int, Future[tuple[Slot, Any]]] = {}

    def pieces(self, spans: Sequence[slice]) -> Iterator[Piece]:
        """Yield pieces in order; those that are needed are copied, two at a time."""
        pieces = [
            Piece(number, span, partial(self._receive, number), copied=True)
            for number, span in enumerate(spans)
        ]
        slots = cycle([Slot(self._device), Slot(self._device)])
        turns = zip([piece for piece in pieces if self._work.needs(piece)], slots, strict=False)

        with ThreadPoolExecutor(1) as reader:

            def begin() -> None:
                for piece, slot in islice(turns, 1):
                    self._coming[piece.number] = reader.submit(self._send, piece.span, slot)

            begin()
            for piece in pieces:
                if piece.number in self._coming:
                    begin()  # the other slot, whose piece has been worked on
                yield piece
                self._release(piece.number)

    def _send(self, span: slice, slot: Slot) -> tuple[Slot, Any]:
        """Read a piece into a slot, block by block on all threads, and begin to copy it."""
        step, source = self._source.rows_per_block, self._source
        with self._device.active():
            numbers = range(span.start // step, -(-span.stop // step))
            blocks = self._workers.map(lambda b: self._work.prepare(source.block(b)), numbers)
            dtype = np.result_type(*{block.dtype for block in blocks})
            room = slot.room((span.stop - span.start, blocks[0].shape[1]), dtype)

            def copy(i: int) -> None:
                room[i * step : i * step + len(blocks[i])] = blocks[i]

            self._workers.map(copy, range(len(blocks)))
            return slot, slot.send(room)

    def _receive(self, number: int) -> Any:
        """Rows of a piece on the device; kernels wait for the end of the copy."""
        slot, rows = self._coming[number].result()
        self._device.follow(slot.sent)
        return rows

    def _release(self, number: int) -> None:
        """Let later copies wait for all kernels that read a piece."""
        if number in self._coming:
            slot, _ = self._coming.pop(number).result()
            slot.used = self._device.done()


def count_rows(words: Any, weights: Any, first_row: int, device: Device) -> tuple[Counted, Any]:
    """Distinct rows of label words (n, w) on a device, and the number of every row among them.

    They are in the order in which they first occur; the numbers, int32 (n,), stay there.
    """
    xp, (n, width) = device.xp, words.shape
    most, size = 1 << (2 * n - 1).bit_length(), FIRST_SLOTS
    constants = {"W": width, "WEIGHTED": int(weights is not None), "UNCOUNTED": f"{UNCOUNTED}ull"}
    while True:
        size = min(size, most)
        slots, counts = xp.full(size, -1, np.int32), xp.zeros(size, np.int64)
        firsts, n_taken = xp.full(size, LAST, np.int64), xp.zeros(1, np.uint32)
        slot_of = xp.empty(n, np.int32)
        table = slots, n_taken, counts, firsts, slot_of
        sizes = np.uint64(size - 1), np.int32(size // 2)
        given = words, NOTHING if weights is None else weights, *sizes, *table
        device.launch("distinct", "enter_rows", n, *given, **constants)
        if int(device.download(n_taken)[0]) <= size // 2:
            break
        size *= 8
    taken = xp.flatnonzero(slots >= 0)
    taken = taken[xp.argsort(firsts[taken])]
    number = xp.empty(size, np.int32)
    number[taken] = xp.arange(len(taken), dtype=np.int32)
    arrays = words[slots[taken]], counts[taken], firsts[taken] + first_row
    return Counted(*map(device.download, arrays)), number[slot_of]
