"""Numbers of several seeds: mean, standard deviation and count, and how they are written."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import mean, stdev

from lsec.report.signs import TIMES

Write = Callable[[float], str]


@dataclass(frozen=True)
class Spread:
    """Mean and standard deviation (of a sample; 0 for a single value) of some values."""

    mean: float
    sd: float
    values: tuple[float, ...]

    @property
    def n(self) -> int:
        """How many values there are."""
        return len(self.values)

    def deviation(self, write: Write) -> str:
        """Write standard deviation and count; the deviation with the decimals of the mean.

        >>> Spread(0.0162, 0.00123, (0.015, 0.0174)).deviation(seconds)
        '±0.0012 ×2'
        """
        count = f"{TIMES}{self.n}"
        decimals = len(write(self.mean).partition(".")[2])
        return f"±{self.sd:,.{decimals}f} {count}" if self.n > 1 else count

    def sentence(self, write: Write) -> str:
        """Write all of it, for a point of a chart.

        >>> Spread(80.0, 1.0, (79.0, 81.0)).sentence(score)
        '80.00 ±1.00, 2 seeds'
        """
        deviation = f" ±{write(self.sd)}" if self.n > 1 else ""
        return f"{write(self.mean)}{deviation}, {self.seeds()}"

    def seeds(self) -> str:
        """Write how many values there are."""
        return f"{self.n} seed{'s' * (self.n > 1)}"


def spread(values: Sequence[float]) -> Spread | None:
    """Summarize the values of all seeds, or return None if there are none."""
    if not values:
        return None
    return Spread(mean(values), stdev(values) if len(values) > 1 else 0.0, tuple(values))


def score(value: float) -> str:
    """Write a score in percent as the paper does, halves rounded up.

    >>> score(55.435), score(9.0)
    ('55.44', '9.00')
    """
    return f"{rounded(value):.2f}"


def rounded(value: float) -> float:
    """Round to two decimals, halves up; the sum of decimals may lie a little off the half."""
    return math.floor(value * 100 + 0.5 + 1e-9) / 100


def seconds(value: float) -> str:
    """Write a time with three significant digits.

    >>> seconds(0.01234), seconds(12.345), seconds(17112.1)
    ('0.0123', '12.3', '17,112')
    """
    if value <= 0 or not math.isfinite(value):
        return f"{value:g}"
    decimals = max(0, 2 - math.floor(math.log10(value)))
    return f"{value:,.{decimals}f}"


def ratio(value: float) -> str:
    """Write how many times faster, with two significant digits below 10.

    >>> ratio(0.52), ratio(3.42), ratio(56.7), ratio(1234.5)
    ('0.52×', '3.4×', '57×', '1,234×')
    """
    if value < 1:
        return f"{value:.2g}{TIMES}"
    return f"{value:.1f}{TIMES}" if value < 10 else f"{value:,.0f}{TIMES}"


def reached(value: float) -> str:
    """Write how many times faster, cut off: a target that was missed by little is not reached.

    >>> reached(29.97), reached(153.2)
    ('29.9×', '153.2×')
    """
    return f"{math.floor(10 * value) / 10:,.1f}{TIMES}"


def whole(value: float) -> str:
    """Write a number without decimals.

    >>> whole(1234.5)
    '1,234'
    """
    return f"{value:,.0f}"
