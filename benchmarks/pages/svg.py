"""SVG as text; colors and fonts come from the style of the page."""

from __future__ import annotations

from html import escape

# Marks of the series s0 ... s11, drawn around the origin.
MARKS = (
    "M-3.5,0A3.5,3.5 0 1 0 3.5,0A3.5,3.5 0 1 0 -3.5,0Z",
    "M-3.5,0A3.5,3.5 0 1 0 3.5,0A3.5,3.5 0 1 0 -3.5,0Z",
    "M0,-4L4,0L0,4L-4,0Z",
    "M-3,-3H3V3H-3Z",
    "M-4,0H4M0,-4V4",
    "M0,4L4,-3L-4,-3Z",
    "M0,-4L4,0L0,4L-4,0Z",
    "M-3,-3H3V3H-3Z",
    "M0,-4L4,3L-4,3Z",
    "M-3,-3L3,3M-3,3L3,-3",
    "M-2,-4H2V4H-2Z",
    "M-4,-2H4V2H-4Z",
)


def element(name: str, content: str = "", **attributes: object) -> str:
    """Write an element; `content` is markup, attribute values are escaped.

    >>> element("g", "x", class_="a&b", text_anchor="end")
    '<g class="a&amp;b" text-anchor="end">x</g>'
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_short(value))}"'
        for key, value in attributes.items()
    )
    return f"<{name}{written}>{content}</{name}>"


def _short(value: object) -> str:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else str(value)


def text(content: str, x: float, y: float, **attributes: object) -> str:
    """Write some words."""
    return element("text", escape(content), x=x, y=y, **attributes)


def line(x1: float, y1: float, x2: float, y2: float, class_: str) -> str:
    """Write a straight line."""
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=class_)


def mark(style: str, x: float, y: float, hint: str) -> str:
    """Write the mark of a series at a point, which says something when pointed at."""
    number = int(style[1:]) if style[1:].isdigit() else 0
    title = element("title", escape(hint))
    shape = element("path", d=MARKS[number % len(MARKS)], class_="mark")
    # A larger disc that is not seen makes the point easy to hit.
    return element(
        "g",
        title + element("circle", r=8, class_="hit") + shape,
        transform=f"translate({x:.1f},{y:.1f})",
    )


def chart(title: str, content: str, width: float, height: float) -> str:
    """Write a whole chart with its title."""
    head = text(title, 0, 14, class_="title")
    return element(
        "svg",
        head + content,
        class_="chart",
        viewBox=f"0 0 {width:g} {height:g}",
        role="img",
        aria_label=title,
    )
