"""Bar charts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from lsec.report import svg
from lsec.report.axis import Axis, label

WIDTH, HEIGHT = 360.0, 260.0
LEFT, RIGHT, TOP, BOTTOM = 44.0, 350.0, 30.0, 210.0
LETTER = 6.0  # about the width of a letter of a name
SLANT = -40  # degrees, where names side by side would run into each other
FILLED = 0.7  # share of a group's width that its bars take
WIDEST = 40.0


@dataclass(frozen=True)
class Bar:
    """A value with its standard deviation, and what it says when pointed at."""

    value: float
    hint: str
    sd: float = 0.0


def bar_chart(title: str, names: Sequence[str], groups: Sequence[Sequence[Bar | None]]) -> str:
    """Draw groups of bars that start at zero; the bars of a group have the styles b0, b1, ..."""
    highest = max((bar.value + bar.sd for group in groups for bar in group if bar), default=1.0)
    y = Axis(0.0, 1.05 * highest or 1.0, BOTTOM, TOP)
    parts = [_grid(y)]
    width = (RIGHT - LEFT) / max(1, len(groups))
    crowded = any(LETTER * len(name) > width for name in names)
    for number, (name, group) in enumerate(zip(names, groups, strict=True)):
        left = LEFT + number * width
        parts += _draw(group, left, width, y)
        parts.append(_name(name, left + width / 2, crowded))
    return svg.chart(title, "".join(parts), WIDTH, HEIGHT)


def _name(name: str, middle: float, slanted: bool) -> str:
    if not slanted:
        return svg.text(name, middle, BOTTOM + 18, class_="tick", text_anchor="middle")
    x, y = middle + 4, BOTTOM + 13
    turned = f"rotate({SLANT} {x:.1f} {y:.1f})"
    return svg.text(name, x, y, class_="tick", text_anchor="end", transform=turned)


def _grid(y: Axis) -> str:
    parts = []
    for value in y.ticks():
        up = y.at(value)
        parts.append(svg.line(LEFT, up, RIGHT, up, "grid" if value else "axis"))
        parts.append(svg.text(label(value), LEFT - 6, up + 4, class_="tick", text_anchor="end"))
    return "".join(parts)


def _draw(group: Sequence[Bar | None], left: float, width: float, y: Axis) -> list[str]:
    each = min(WIDEST, width * FILLED / max(1, len(group)))
    start = left + (width - each * len(group)) / 2
    parts = []
    for number, bar in enumerate(group):
        if bar is None:
            continue
        across, up = start + number * each, y.at(bar.value)
        title = svg.element("title", escape(bar.hint))
        shape = svg.element(
            "rect",
            title,
            x=across,
            y=up,
            width=max(1.0, each - 2),
            height=BOTTOM - up,
            class_="bar",
        )
        if bar.sd:
            middle = across + (each - 2) / 2
            low, high = y.at(bar.value - bar.sd), y.at(bar.value + bar.sd)
            shape += svg.line(middle, low, middle, high, "deviation")
        parts.append(svg.element("g", shape, class_=f"b{number}"))
    return parts
