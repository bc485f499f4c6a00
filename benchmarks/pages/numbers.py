"""Numbers of several runs: mean, standard deviation and count, and how they are written."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import mean, stdev

TIMES = "\N{MULTIPLICATION SIGN}"
MINUS = "\N{MINUS SIGN}"  # as wide as the plus sign
NONE = "\N{EN DASH}"  # in place of a number


def signed(change: float) -> str:
    """Write a difference of two scores.

    >>> signed(0.5), len(signed(-12.25))
    ('+0.50', 6)
    """
    return f"{change:+.2f}".replace("-", MINUS)


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


def number(value: float, digits: int = 3) -> str:
    """Write a number with some significant digits and without an exponent.

    >>> number(0.01234), number(12.345), number(17112.1)
    ('0.0123', '12.3', '17,112')
    """
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    return f"{value:,.{decimals}f}"


seconds = number


def numbers(values: Sequence[float]) -> str:
    """Write all of some numbers."""
    return ", ".join(map(number, values))


def percent(values: Sequence[float]) -> str:
    """Write the mean and the standard deviation of some percentages.

    >>> percent([79.0, 81.0]), percent([80.0])
    ('80.00 ± 1.41', '80.00')
    """
    found = f" ± {stdev(values):.2f}" if len(values) > 1 else ""
    return f"{mean(values):.2f}{found}"


def mebibytes(size: float) -> str:
    """Write a number of bytes in MiB."""
    return f"{size / 2**20:,.0f} MiB"


def gibibytes(size: float) -> str:
    """Write a number of bytes in GiB."""
    return f"{size / 2**30:.2f} GiB"


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
