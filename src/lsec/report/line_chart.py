"""Line charts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lsec.report import svg
from lsec.report.axis import Axis, axis_over, label

WIDTH, HEIGHT = 360.0, 260.0
LEFT, RIGHT, TOP, BOTTOM = 44.0, 350.0, 30.0, 222.0

MOST_VALUES = 8  # up to here every value on the x axis is written


@dataclass(frozen=True)
class Point:
    """A mean with its standard deviation, and what it says when pointed at."""

    x: float
    y: float
    sd: float
    hint: str


@dataclass(frozen=True)
class Series:
    """Points of one kind; `style` is the class that gives color and mark."""

    points: Sequence[Point]
    style: str
    marks: bool = True


def line_chart(
    title: str,
    series: Sequence[Series],
    x_name: str,
    *,
    log_x: bool = False,
    log_y: bool = False,
) -> str:
    """Draw lines through the points of every series, with bars of one standard deviation."""
    points = [point for one in series for point in one.points]
    x = axis_over([point.x for point in points], LEFT, RIGHT, log_x)
    ends = [max(0.0, point.y + side * point.sd) for point in points for side in (-1, 0, 1)]
    y = axis_over(ends, BOTTOM, TOP, log_y)
    parts = [
        _grid(x, y, sorted({point.x for point in points})),
        svg.text(x_name, (LEFT + RIGHT) / 2, HEIGHT - 6, class_="name"),
    ]
    parts += [_draw(one, x, y) for one in reversed(series)]  # the first lies on top
    return svg.chart(title, "".join(parts), WIDTH, HEIGHT)


def _grid(x: Axis, y: Axis, values: list[float]) -> str:
    parts = []
    for value in y.ticks():
        parts.append(svg.line(LEFT, y.at(value), RIGHT, y.at(value), "grid"))
        parts.append(
            svg.text(label(value), LEFT - 6, y.at(value) + 4, class_="tick", text_anchor="end")
        )
    parts.append(svg.line(LEFT, BOTTOM, RIGHT, BOTTOM, "axis"))
    for value in values if len(values) <= MOST_VALUES else x.ticks():
        parts.append(svg.line(x.at(value), BOTTOM, x.at(value), BOTTOM + 4, "axis"))
        parts.append(
            svg.text(label(value), x.at(value), BOTTOM + 18, class_="tick", text_anchor="middle")
        )
    return "".join(parts)


def _draw(series: Series, x: Axis, y: Axis) -> str:
    if not series.points:
        return ""
    places = [(x.at(point.x), y.at(point.y)) for point in series.points]
    path = "M" + "L".join(f"{across:.1f},{up:.1f}" for across, up in places)
    parts = [svg.element("path", d=path, class_="line")]
    if series.marks:
        for point, (across, up) in zip(series.points, places, strict=True):
            if point.sd:
                low, high = y.at(point.y - point.sd), y.at(point.y + point.sd)
                parts.append(svg.line(across, low, across, high, "deviation"))
            parts.append(svg.mark(series.style, across, up, point.hint))
    return svg.element("g", "".join(parts), class_=series.style)
