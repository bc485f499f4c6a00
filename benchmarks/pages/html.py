"""The page as one HTML file: style, script, charts and pictures are all inside."""

from __future__ import annotations

from html import escape
from pathlib import Path
from string import Template

from benchmarks.pages import svg
from benchmarks.pages.coverage import Overview
from benchmarks.pages.table import Entry, Figure, Section, Table, Tone
from benchmarks.pages.targets import Target

LONG_TEXT = 60  # characters from which a column of words gets some width


def html_page(about: str, facts: Overview, judged: list[Target], sections: list[Section]) -> str:
    """Render the whole page."""
    named = {
        "group": facts.groups,
        "machine": facts.machine,
        "dates": facts.dates,
        "all runs took": facts.took,
    }
    return Template(_file("page.html")).substitute(
        style=_file("style.css"),
        script=_file("sort.js"),
        lead=escape(about),
        facts="\n".join(f"<dt>{n}</dt><dd>{escape(value)}</dd>" for n, value in named.items()),
        counts="\n".join(_count(name, count) for name, count in facts.counts.items()),
        contents="\n".join(
            f'<a href="#{name}">{escape(title)}</a>'
            for name, title in [("targets", "Targets"), *((s.name, s.title) for s in sections)]
        ),
        targets="\n".join(map(_target, judged)),
        sections="\n".join(map(_section, sections)),
    )


def _file(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def _count(name: str, count: int) -> str:
    return f"<li{'' if count else ' class=zero'}><b>{count:,}</b>{escape(name)}</li>"


def _target(target: Target) -> str:
    details = "".join(f"<li>{escape(text)}</li>" for text in target.details)
    return (
        f'<article class="target {target.verdict.name.lower()}">'
        f'<span class="verdict">{escape(target.verdict.value)}</span>'
        f"<h3>{escape(target.title)}</h3><ul>{details}</ul></article>"
    )


def _section(section: Section) -> str:
    parts = [
        _figure(part) if isinstance(part, Figure) else html_table(part) for part in section.parts
    ]
    content = "\n".join(parts) or f'<p class="empty">{escape(section.empty)}</p>'
    return (
        f'<section id="{section.name}">\n<h2>{escape(section.title)}</h2>\n'
        f'<p class="about">{escape(section.text)}</p>\n{content}\n</section>'
    )


def _figure(figure: Figure) -> str:
    legend = "".join(f"<li>{_sample(style)}{escape(name)}</li>" for style, name in figure.legend)
    return (
        f"<figure><h3>{escape(figure.title)}</h3>"
        + (f'<ul class="legend">{legend}</ul>' if legend else "")
        + f'<div class="panels">{"".join(figure.panels)}</div>'
        + f"<figcaption>{escape(figure.caption)}</figcaption></figure>"
    )


def _sample(style: str) -> str:
    """Draw a short piece of a line, or a bar, for the legend."""
    if style.startswith("b"):
        shape = svg.element("rect", x=0, y=0, width=28, height=12, class_="bar")
    else:
        shape = svg.line(0, 6, 28, 6, "line")
        if style.startswith("s"):
            shape += svg.mark(style, 14, 6, "")
    return svg.element("svg", shape, class_=style, aria_hidden="true")


def html_table(table: Table) -> str:
    """Render a table that sorts by each of its columns."""
    head = "".join(
        f'<th scope="col"{_words(table, number)}><button type="button">{escape(name)}</button></th>'
        for number, name in enumerate(table.columns)
    )
    body = "\n".join(_row(table, row) for row in table.rows)
    foot = "\n".join(_row(table, row) for row in table.foot)
    content = (
        f'<div class="wide" tabindex="0" role="region" aria-label="{escape(table.title)}">'
        f'<table class="sortable"><thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>'
        + (f"<tfoot>\n{foot}\n</tfoot>" if foot else "")
        + "</table></div>"
        + (f'<p class="caption">{escape(table.caption)}</p>' if table.caption else "")
    )
    if table.folded:
        return f"<details><summary>{escape(table.title)}: numbers</summary>{content}</details>"
    return f"<h3>{escape(table.title)}</h3>{content}"


def _words(table: Table, column: int, extra: str = "") -> str:
    names = ["words"] if column in table.words else []
    names += extra.split()
    return f' class="{" ".join(names)}"' if names else ""


def _row(table: Table, row: tuple[Entry, ...]) -> str:
    first = f'<th scope="row" {_sort(row[0])}>{_content(row[0])}</th>'
    return "<tr>" + first + "".join(_cell(table, n, e) for n, e in enumerate(row[1:], 1)) + "</tr>"


def _cell(table: Table, column: int, entry: Entry) -> str:
    extra = "" if entry.tone is Tone.PLAIN else entry.tone.value
    if not entry.change:
        extra += " alone"
    if column in table.words and len(entry.text) > LONG_TEXT:
        extra += " long"
    hint = f' title="{escape(entry.hint)}"' if entry.hint else ""
    return f"<td{_words(table, column, extra)} {_sort(entry)}{hint}>{_content(entry)}</td>"


def _sort(entry: Entry) -> str:
    """Write what a cell sorts by; what is missing sorts last."""
    missing = entry.tone is Tone.MISSING
    value = "" if missing else entry.text if entry.sort is None else entry.sort
    return f'data-sort="{escape(str(value))}"'


def _content(entry: Entry) -> str:
    value = f'<span class="{"value best" if entry.best else "value"}">{escape(entry.text)}</span>'
    if entry.spread:
        value += f" <small>{escape(entry.spread)}</small>"
    if not entry.reference and not entry.change:
        return value
    change = f'<span class="change">{escape(entry.change)}</span>' if entry.change else ""
    return f'{value}<span class="reference"><span>{escape(entry.reference)}</span>{change}</span>'
