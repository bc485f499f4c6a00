"""The page as Markdown: the same sections, with tables in place of charts."""

from __future__ import annotations

from collections.abc import Iterable

from benchmarks.pages.coverage import Overview
from benchmarks.pages.table import Entry, Figure, Section, Table, Tone
from benchmarks.pages.targets import Target

SIGNS = {Tone.BETTER: " ▲", Tone.WORSE: " ▼"}


def markdown_page(
    about: str, facts: Overview, judged: list[Target], sections: list[Section]
) -> str:
    """Render the whole page."""
    counts = ", ".join(f"{count:,} {name}" for name, count in facts.counts.items())
    parts = [
        "# The LSEC paper, reproduced",
        inline(about),
        f"- group: {inline(facts.groups)}\n- machine: {inline(facts.machine)}\n"
        f"- dates: {inline(facts.dates)}\n- all runs took: {facts.took}\n- cells: {counts}",
        "▲ better than print, ▼ worse; differences within the printed standard deviation have no "
        "sign. The charts and pictures are in report.html.",
        "## Targets",
        "\n".join(map(_target, judged)),
    ]
    for section in sections:
        parts += [f"## {inline(section.title)}", inline(section.text)]
        tables = [part for part in section.parts if isinstance(part, Table)]
        figures = [part for part in section.parts if isinstance(part, Figure)]
        parts += [markdown_table(table) for table in tables]
        if not section.parts:
            parts.append(inline(section.empty))
        elif figures and not tables:
            parts.append(f"In report.html: {len(figures[0].panels)} pictures.")
    return "\n\n".join(parts) + "\n"


def _target(target: Target) -> str:
    details = "".join(f"\n  - {inline(text)}" for text in target.details)
    return f"- **{target.verdict.value}**: {inline(target.title)}{details}"


def markdown_table(table: Table) -> str:
    """Render a table with its title, if it has one, and caption."""
    rows = [_line([inline(name) for name in table.columns])]
    rows.append(_line(["---" if n in table.words else "---:" for n in range(len(table.columns))]))
    rows += [_line(map(_cell, row)) for row in [*table.rows, *table.foot]]
    title = [f"### {inline(table.title)}"] if table.title else []
    caption = [inline(table.caption)] if table.caption else []
    return "\n\n".join([*title, "\n".join(rows), *caption])


def _line(entries: Iterable[str]) -> str:
    return f"| {' | '.join(entries)} |"


def _cell(entry: Entry) -> str:
    """Write an entry on one line: ours, then print and the difference in brackets."""
    text = f"**{inline(entry.text)}**" if entry.best else inline(entry.text)
    text = f"{text} {inline(entry.spread)}".strip()
    inside = inline(f"{entry.reference} {entry.change}".strip())
    sign = SIGNS.get(entry.tone, "")
    return f"{text} ({inside}{sign})" if inside else f"{text}{sign}"


def inline(text: str) -> str:
    r"""Make text safe inside a line of Markdown: one line, no markup, no HTML.

    >>> inline("a | b\n<i>c</i> *d*")
    'a \\| b &lt;i&gt;c&lt;/i&gt; \\*d\\*'
    """
    flat = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    for sign in ("\\", "|", "*", "`", "[", "]", "_"):
        flat = flat.replace(sign, f"\\{sign}")
    return flat
