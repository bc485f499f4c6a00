"""Section: measured growth of the time in N, d, p, K and m, beside the expected one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.pages.axis import label
from benchmarks.pages.charts import Point, Series, line_chart
from benchmarks.pages.names import METHODS, data_entry, data_name, in_order
from benchmarks.pages.numbers import NONE, seconds
from benchmarks.pages.outcome import Outcome
from benchmarks.pages.results import Cell, Results
from benchmarks.pages.table import Entry, Figure, Section, Table, Tone
from benchmarks.paper.printed import Growth, data_sets, growth_rates

SLACK = 0.1  # what the noise of a timing may add to an exponent
UNKNOWN = Growth("", math.inf, "")


@dataclass(frozen=True)
class Curve:
    """Times of a method on a data set while one parameter grows."""

    parameter: str
    data: str
    method: str
    points: list[Point]

    @property
    def expected(self) -> Growth:
        """How fast the method may grow with the parameter."""
        return growth_rates().get((self.parameter, self.method), UNKNOWN)

    @property
    def exponent(self) -> float | None:
        """The fitted power, or None with fewer than two values."""
        return fit_exponent([(point.x, point.y) for point in self.points])


def fit_exponent(points: Sequence[tuple[float, float]]) -> float | None:
    """Fit the power b of y = a x**b by least squares of the logarithms.

    >>> fit_exponent([(1, 2), (10, 200), (100, 20_000)])
    2.0
    """
    logs = [(math.log(x), math.log(y)) for x, y in points if x > 0 and y > 0]
    if len({x for x, _ in logs}) < 2:
        return None
    middle_x = sum(x for x, _ in logs) / len(logs)
    middle_y = sum(y for _, y in logs) / len(logs)
    across = sum((x - middle_x) ** 2 for x, _ in logs)
    return round(sum((x - middle_x) * (y - middle_y) for x, y in logs) / across, 10)


def growth_section(results: Results) -> Section:
    """Draw every curve with the expected power, and list the exponents."""
    curves = _curves(results)
    parts: list[Table | Figure] = []
    if curves:
        parts = [_figure(results, curves), _table(results, curves)]
    return Section(
        "growth",
        "Growth of the time",
        "The time while one parameter grows and all others stay. The expected powers are those of "
        "the costs of the method's steps; what does not depend on the parameter flattens the "
        "measured curve, so that they are upper bounds.",
        parts,
    )


def _curves(results: Results) -> list[Curve]:
    found: dict[tuple[str, str, str], dict[float, list[Cell]]] = {}
    for cell in results.runs("growth"):
        if cell.varied:
            key = (cell.varied[0], cell.data, cell.method)
            found.setdefault(key, {}).setdefault(_size(cell.varied[1]), []).append(cell)
    known = dict.fromkeys(parameter for parameter, _ in growth_rates())
    order = in_order({parameter for parameter, _, _ in found}, known)
    ranked = in_order({data for _, data, _ in found}, data_sets())
    methods = in_order({method for _, _, method in found}, METHODS)
    keys = sorted(found, key=lambda k: (order.index(k[0]), ranked.index(k[1]), methods.index(k[2])))
    curves = [Curve(*key, _points(key[0], found[key])) for key in keys]
    return [curve for curve in curves if curve.points]


def _size(value: object) -> float:
    """Return a value as a number; of a list of neighbors the largest counts."""
    return float(max(value)) if isinstance(value, list) else float(str(value))


def _points(parameter: str, sizes: dict[float, list[Cell]]) -> list[Point]:
    points = []
    for size in sorted(sizes):
        if ours := Outcome(sizes[size]).spread("seconds"):
            hint = f"{parameter} = {label(size)}, seconds: {ours.sentence(seconds)}"
            points.append(Point(size, ours.mean, ours.sd, hint))
    return points


def _figure(results: Results, curves: list[Curve]) -> Figure:
    panels = [
        line_chart(
            f"{curve.method} on {data_name(results, curve.data, 'growth', curve.parameter)}, "
            f"{_power_text(curve)}",
            [Series(curve.points, "s0"), Series(_guide(curve), "guide", marks=False)],
            curve.parameter,
            log_x=True,
            log_y=True,
        )
        for curve in curves
    ]
    return Figure(
        "Seconds against each parameter, both in log scale",
        panels,
        "Solid: measured, mean over the seeds. Dashed: the expected power through the last point.",
        [("s0", "measured"), ("guide", "expected")],
    )


def _power_text(curve: Curve) -> str:
    if curve.exponent is None:
        return f"one value of {curve.parameter}"
    return f"power of {curve.parameter}: {curve.exponent:.2f}"


def _guide(curve: Curve) -> list[Point]:
    """Return the line of the expected power that ends where the curve ends."""
    most = curve.expected.most
    first, last = curve.points[0], curve.points[-1]
    if not math.isfinite(most) or first.x == last.x or min(first.x, last.y) <= 0:
        return []
    start = last.y * (first.x / last.x) ** most
    return [Point(first.x, start, 0.0, ""), Point(last.x, last.y, 0.0, "")]


def _table(results: Results, curves: list[Curve]) -> Table:
    rows: list[tuple[Entry, ...]] = []
    for curve in curves:
        expected = curve.expected
        most = f"{expected.most:g}" if math.isfinite(expected.most) else NONE
        times = ", ".join(f"{label(point.x)}: {seconds(point.y)}" for point in curve.points)
        rows.append(
            (
                Entry(curve.parameter),
                Entry(expected.meaning),
                data_entry(results, curve.data, "growth", curve.parameter),
                Entry(curve.method),
                _exponent_entry(curve, expected),
                Entry(most, expected.most),
                Entry(expected.term),
                Entry(times),
            )
        )
    return Table(
        "Exponents",
        ("", "parameter", "data", "method", "fitted", "at most", "largest cost", "value: seconds"),
        rows,
        words=(0, 1, 2, 3, 6, 7),
        caption=f"Worse: more than {SLACK:g} above the expected power.",
    )


def _exponent_entry(curve: Curve, expected: Growth) -> Entry:
    if curve.exponent is None:
        return Entry(NONE, tone=Tone.MISSING)
    tone = Tone.WORSE if curve.exponent > expected.most + SLACK else Tone.LEVEL
    return Entry(f"{curve.exponent:.2f}", curve.exponent, tone=tone)
