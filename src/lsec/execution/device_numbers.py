"""Distinct rows of labels on a device, and the number of every row among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np

from lsec.execution.distinct import UNCOUNTED, Counted, NumberedRows
from lsec.execution.threads import Workers
from lsec.kernels.cuda.device import NOTHING
from lsec.typing import AnyArray

if TYPE_CHECKING:
    from lsec.kernels.cuda.device import Device

FIRST_SLOTS = 2**20
LAST = np.iinfo(np.int64).max
SLOT_BYTES, TASK_BYTES = 2**24, 2**21  # of pinned memory, and of what a thread copies at a time


@dataclass(frozen=True)
class RowsOnDevice(NumberedRows):
    """Distinct labels of rows whose numbers are on a device, too."""

    pieces: Sequence[Any]  # distinct row of every row, piece after piece, int32 on the device
    device: Device
    workers: Workers
    stays: bool  # whether values of the rows stay on the device

    def look_up(self, values: AnyArray) -> Any:
        """Values (n, ...) of all rows from those (n', ...) of the distinct rows."""
        xp, low = self.device.xp, 0
        with self.device.active():
            table = self.device.upload(values)
            out = xp.empty((self.n_rows, *values.shape[1:]), values.dtype)
            for numbers in self.pieces:
                out[low : low + len(numbers)] = table[numbers]
                low += len(numbers)
            return out if self.stays else fetch(out, self.device, self.workers)


def fetch(values: Any, device: Device, workers: Workers, out: AnyArray | None = None) -> AnyArray:
    """Copy a contiguous array from a device, to `out` if there is one.

    Threads take it from pinned memory: a copy by the driver waits for every page of new memory.
    """
    target = np.empty(values.shape, values.dtype) if out is None else out
    if target.nbytes <= SLOT_BYTES:
        return device.download(values, out=target)
    given, taken = values.reshape(-1).view(np.uint8), target.reshape(-1).view(np.uint8)
    slots = cycle([device.pinned(SLOT_BYTES), device.pinned(SLOT_BYTES)])

    def take(low: int, slot: AnyArray, received: Any) -> None:
        device.wait(received)
        part = taken[low : low + SLOT_BYTES]

        def copy(start: int) -> None:
            part[start : start + TASK_BYTES] = slot[start : start + TASK_BYTES][: len(part) - start]

        workers.map(copy, range(0, len(part), TASK_BYTES))

    coming: list[tuple[int, AnyArray, Any]] = []
    for low, slot in zip(range(0, len(taken), SLOT_BYTES), slots, strict=False):
        part = given[low : low + SLOT_BYTES]
        coming.append((low, slot, device.receive(part, slot[: len(part)])))
        if len(coming) == 2:
            take(*coming.pop(0))
    take(*coming.pop())
    return target


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
