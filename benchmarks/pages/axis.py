"""Axes: where a value lies, and which values are written beside it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Axis:
    """An axis from `low` at pixel `start` to `high` at pixel `end`."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def at(self, value: float) -> float:
        """Return the pixel of a value; values outside lie on the border."""
        low, high, value = self._scaled(self.low), self._scaled(self.high), self._scaled(value)
        share = (value - low) / (high - low)
        return self.start + min(1.0, max(0.0, share)) * (self.end - self.start)

    def _scaled(self, value: float) -> float:
        return math.log10(max(value, 1e-12)) if self.log else value

    def ticks(self) -> list[float]:
        """Return round values along the axis."""
        return _log_ticks(self.low, self.high) if self.log else _ticks(self.low, self.high)


def axis_over(values: Sequence[float], start: float, end: float, log: bool = False) -> Axis:
    """Return an axis that holds all values with some room around them."""
    found = [value for value in values if not log or value > 0] or [1.0]
    low, high = min(found), max(found)
    if log:
        room = max(1.15, (high / low) ** 0.06)
        return Axis(low / room, high * room, start, end, log=True)
    room = 0.06 * (high - low) or max(1.0, 0.1 * abs(high))
    bottom = 0.0 if 0 <= low < room else low - room  # nothing here is negative
    return Axis(bottom, high + room, start, end)


def _ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Return multiples of 1, 2 or 5 times a power of ten.

    >>> _ticks(0, 100)
    [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]
    """
    step = 10 ** math.floor(math.log10((high - low) / about))
    step *= next(factor for factor in (1, 2, 5, 10) if (high - low) / (step * factor) <= about)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(float(number * step), 10) for number in range(first, last + 1)]


def _log_ticks(low: float, high: float) -> list[float]:
    """Return powers of ten, and some multiples of them where there are few.

    >>> _log_ticks(0.5, 2000)
    [1.0, 10.0, 100.0, 1000.0]
    >>> _log_ticks(3, 30)
    [3.0, 10.0, 30.0]
    """
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    for factors in ((1,), (1, 3), (1, 2, 5)):
        found = [f * 10.0**power for power in range(first, last + 1) for f in factors]
        inside = [value for value in found if low <= value <= high]
        if len(inside) >= 3:
            return _every(inside, 6)
    return _ticks(low, high)


def _every(values: list[float], most: int) -> list[float]:
    return values[:: math.ceil(len(values) / most)]


def label(value: float) -> str:
    """Write a value beside an axis.

    >>> label(0.05), label(20.0), label(1000.0), label(2_000_000)
    ('0.05', '20', '1,000', '2M')
    """
    for size, name in ((1e6, "M"), (1e4, "k")):
        if abs(value) >= size:
            return f"{value / (1e6 if name == 'M' else 1e3):g}{name}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:g}"
