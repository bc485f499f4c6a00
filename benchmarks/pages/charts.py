"""Bar and line charts; a bar or a point says its numbers when pointed at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from benchmarks.pages import svg
from benchmarks.pages.axis import Axis, axis_over, label

WIDTH, HEIGHT = 360.0, 260.0
LEFT, RIGHT, TOP = 44.0, 350.0, 30.0
BOTTOM = 222.0
BAR_BOTTOM = 210.0  # leaves room for names
LETTER = 6.0  # about the width of a letter of a name
SLANT = -40  # degrees, for names side by side that would run into each other
FILLED = 0.7  # share of a group's width that its bars take
WIDEST = 40.0
MOST_VALUES = 8  # up to here every value on the x axis is written


@dataclass(frozen=True)
class Bar:
    """A value with its standard deviation and its tooltip."""

    value: float
    hint: str
    sd: float = 0.0


@dataclass(frozen=True)
class Point:
    """A mean with its standard deviation and its tooltip."""

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


def bar_chart(title: str, names: Sequence[str], groups: Sequence[Sequence[Bar | None]]) -> str:
    """Draw groups of bars that start at zero; the bars of a group have the styles b0, b1, ..."""
    highest = max((bar.value + bar.sd for group in groups for bar in group if bar), default=1.0)
    y = Axis(0.0, 1.05 * highest or 1.0, BAR_BOTTOM, TOP)
    parts = _levels(y)
    width = (RIGHT - LEFT) / max(1, len(groups))
    crowded = any(LETTER * len(name) > width for name in names)
    for number, (name, group) in enumerate(zip(names, groups, strict=True)):
        left = LEFT + number * width
        each = min(WIDEST, width * FILLED / max(1, len(group)))
        start = left + (width - each * len(group)) / 2
        parts += [
            svg.element("g", _bar(bar, start + place * each, each - 2, y), class_=f"b{place}")
            for place, bar in enumerate(group)
            if bar is not None
        ]
        parts.append(_name(name, left + width / 2, crowded))
    return svg.chart(title, "".join(parts), WIDTH, HEIGHT)


def _bar(bar: Bar, left: float, width: float, y: Axis) -> str:
    up = y.at(bar.value)
    title = svg.element("title", escape(bar.hint))
    size = {"width": max(1.0, width), "height": BAR_BOTTOM - up}
    shape = svg.element("rect", title, x=left, y=up, **size, class_="bar")
    return shape + _deviation(left + width / 2, bar.value, bar.sd, y)


def _name(name: str, middle: float, slanted: bool) -> str:
    if not slanted:
        return svg.text(name, middle, BAR_BOTTOM + 18, class_="tick", text_anchor="middle")
    x, y = middle + 4, BAR_BOTTOM + 13
    turned = f"rotate({SLANT} {x:.1f} {y:.1f})"
    return svg.text(name, x, y, class_="tick", text_anchor="end", transform=turned)


def line_chart(
    title: str, series: Sequence[Series], x_name: str, *, log_x: bool = False, log_y: bool = False
) -> str:
    """Draw lines through the points of every series, with bars of one standard deviation."""
    points = [point for one in series for point in one.points]
    x = axis_over([point.x for point in points], LEFT, RIGHT, log_x)
    ends = [max(0.0, point.y + side * point.sd) for point in points for side in (-1, 0, 1)]
    y = axis_over(ends, BOTTOM, TOP, log_y)
    parts = [*_levels(y), svg.line(LEFT, BOTTOM, RIGHT, BOTTOM, "axis")]
    values = sorted({point.x for point in points})
    for value in values if len(values) <= MOST_VALUES else x.ticks():
        across = x.at(value)
        parts.append(svg.line(across, BOTTOM, across, BOTTOM + 4, "axis"))
        tick = {"class_": "tick", "text_anchor": "middle"}
        parts.append(svg.text(label(value), across, BOTTOM + 18, **tick))
    parts.append(svg.text(x_name, (LEFT + RIGHT) / 2, HEIGHT - 6, class_="name"))
    parts += [_series(one, x, y) for one in reversed(series)]  # the first lies on top
    return svg.chart(title, "".join(parts), WIDTH, HEIGHT)


def _series(series: Series, x: Axis, y: Axis) -> str:
    if not series.points:
        return ""
    places = [(x.at(point.x), y.at(point.y)) for point in series.points]
    path = "M" + "L".join(f"{across:.1f},{up:.1f}" for across, up in places)
    parts = [svg.element("path", d=path, class_="line")]
    for point, (across, up) in zip(series.points, places, strict=True) if series.marks else ():
        parts.append(_deviation(across, point.y, point.sd, y))
        parts.append(svg.mark(series.style, across, up, point.hint))
    return svg.element("g", "".join(parts), class_=series.style)


def _levels(y: Axis) -> list[str]:
    """Lines across the chart at round values, which stand to their left."""
    parts = []
    for value in y.ticks():
        up = y.at(value)
        parts.append(svg.line(LEFT, up, RIGHT, up, "grid" if value else "axis"))
        parts.append(svg.text(label(value), LEFT - 6, up + 4, class_="tick", text_anchor="end"))
    return parts


def _deviation(across: float, middle: float, sd: float, y: Axis) -> str:
    if not sd:
        return ""
    return svg.line(across, y.at(middle - sd), across, y.at(middle + sd), "deviation")
