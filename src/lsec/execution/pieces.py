"""Pieces of the rows, copied to a device while the kernels of the pieces before them run.

Rows on the host pass through two slots of pinned memory: one is read and copied while the device
works on the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import cycle, islice
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from lsec.execution.threads import Workers
from lsec.sources import Source
from lsec.typing import AnyArray, RawRows

if TYPE_CHECKING:
    from lsec.kernels.cuda.device import Device


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
